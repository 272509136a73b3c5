"""Invites for players whose bots run elsewhere.

Each has one token. Its SHA-256 is kept beside the league file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, NamedTuple

from pips_referee.written import written_text
from pips_tourney.remote.codes import Code, InviteError, new_code

FILE: Final = "invites.json"
TOKEN_VARIABLE: Final = "PIPS_TOKEN"  # noqa: S105 - the name of a variable
LONGEST_TOKEN: Final = 1 << 10
"""The most characters of a file that are read: a code has few."""


def given_token(file: Path | None) -> Code:
    """The code of a file or of `PIPS_TOKEN`.

    The file `-` is standard input. The variable is taken out of the environment: no bot
    inherits it.

    Raises `InviteError` when there is no token.
    """
    variable = os.environ.pop(TOKEN_VARIABLE, None)
    if file is not None:
        return Code.read(_token_in(file))
    if variable is None:
        raise InviteError(
            f"there is no token: put the one of your invite into a file for --token-file, or set {TOKEN_VARIABLE}"
        )
    return Code.read(variable)


def _token_in(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.readline(LONGEST_TOKEN)
        return written_text(file)[:LONGEST_TOKEN]
    except (OSError, UnicodeDecodeError) as error:
        raise InviteError(f"the token's file {file} cannot be read: {getattr(error, 'strerror', error)}") from None


def host_folder(league: Path) -> Path:
    """The folder of a league's invites and certificates, for its owner alone.

    It is `night.host` beside `night.toml`.
    """
    folder = league.with_suffix(".host")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InviteError(f"{folder}: {error.strerror}") from None
    return folder


class _Kept(NamedTuple):
    hashes: dict[str, str]
    revoked: set[str]


class Invites:
    """By player, the hash of its token. A write is there whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def read(self) -> dict[str, str]:
        """The hashes. Raises `InviteError` when the file is no such list."""
        return self._kept().hashes

    def revoked(self) -> set[str]:
        """Who had an invite taken back and got no other. Raises `InviteError`."""
        return self._kept().revoked

    def _kept(self) -> _Kept:
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            hashes = {str(player): bytes.fromhex(digest).hex() for player, digest in kept["invites"].items()}
            revoked = {*map(str, kept.get("revoked", ()))}
        except FileNotFoundError:
            return _Kept({}, set())
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InviteError(f"{self.path} cannot be read: {error}") from None
        whose: dict[str, str] = {}
        for player, digest in hashes.items():
            if (other := whose.setdefault(digest, player)) != player:
                raise InviteError(f"{self.path}: {other} and {player} have the same invite: remove one of the two")
        return _Kept(hashes, revoked)

    def state(self) -> tuple[int, int, int]:
        """What changes whenever the file does. Raises `InviteError`."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return 0, 0, 0
        except OSError as error:
            raise InviteError(f"{self.path} cannot be read: {error.strerror}") from None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def invite(self, player: str, certificate: bytes) -> Code:
        """A new code, for a host with this certificate in DER.

        It replaces any earlier one of that player.
        """
        code = new_code(certificate)
        with self._changing() as kept:
            kept.hashes[player] = code.sha256
            kept.revoked.discard(player)
        return code

    def revoke(self, player: str) -> bool:
        """Remove a player's invite; whether the player had one."""
        with self._changing() as kept:
            kept.revoked.add(player)
            return kept.hashes.pop(player, None) is not None

    @contextmanager
    def _changing(self) -> Iterator[_Kept]:
        """What is kept, to be changed. Of several writers each waits for its turn.

        Raises `InviteError`.
        """
        import fcntl  # who joins a host works without it, on any platform

        try:
            with self.path.with_suffix(".lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                kept = self._kept()
                yield kept
                self._write(kept)
        except OSError as error:
            raise InviteError(f"{self.path} cannot be written: {error.strerror}") from None

    def _write(self, kept: _Kept) -> None:
        text = json.dumps({"invites": dict(sorted(kept.hashes.items())), "revoked": sorted(kept.revoked)}, indent=1)
        with NamedTemporaryFile(
            "w", encoding="utf-8", dir=self.path.parent, prefix=f"{self.path.stem}.", suffix=".new", delete=False
        ) as file:
            new = Path(file.name)
            try:
                file.write(text)
                file.close()
                new.replace(self.path)
            finally:
                new.unlink(missing_ok=True)
