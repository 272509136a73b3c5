"""Hand a bot in to a place, from a terminal or a CI job."""

from __future__ import annotations

import io
import json
import re
import secrets
import ssl
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from pips_referee.versions import KEY, versions_line
from pips_tourney.errors import TourneyError

ANSWER_S: Final = 60.0
POLL_S: Final = 2.0
LONGEST_S: Final = 900.0
AWAY_S: Final = 60.0
"""Seconds that a place may be away after it was reached, as in a restart."""
BUSY: Final = 429
BROKEN: Final = 500
LEFT_OUT: Final = ("__pycache__", ".git", ".venv", "node_modules", ".DS_Store")
READY, REFUSED = "ready", "refused"


class NotHandedIn(TourneyError):
    """A place that refuses a hand-in; the text says why."""


class Away(NotHandedIn):
    """A place that may answer later."""


@dataclass(frozen=True, slots=True)
class PlaceClient:
    """A place, by its address and an author's token; `ca` is a file of trusted CAs."""

    address: str
    token: str
    ca: Path | None = None

    def submit(self, bot: Path) -> dict[str, Any]:
        """Hand in a file or a folder; returns the version. Raises `NotHandedIn`."""
        name, content = _packed(bot)
        edge = secrets.token_hex(16)
        head = f'--{edge}\r\ncontent-disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        return self.ask("versions", body, f"multipart/form-data; boundary={edge}")

    def me(self) -> dict[str, Any]:
        """The bot's current state."""
        return self.ask("me")

    def ask(self, what: str, body: bytes | None = None, kind: str = "") -> dict[str, Any]:
        """The place's answer as JSON. Raises `NotHandedIn`."""
        if not self.address.startswith(("http://", "https://")):
            raise NotHandedIn(f"{self.address} is no address: write it as https://HOST:PORT")
        if re.fullmatch("[A-Za-z0-9_-]+", self.token) is None:
            raise NotHandedIn("the token is one word of letters, digits, _ and -: copy it again from your page")
        headers = {"authorization": f"Bearer {self.token}", KEY: versions_line()}
        headers |= {"content-type": kind} if kind else {}
        trusted = self._trusted()
        try:
            request = Request(f"{self.address.rstrip('/')}/api/v1/{what}", body, headers)  # noqa: S310 - http and https
            with urlopen(request, timeout=ANSWER_S, context=trusted) as answer:  # noqa: S310 - the same
                found: dict[str, Any] = json.loads(answer.read())
                return found
        except HTTPError as error:
            kind_of = Away if error.code == BUSY or error.code >= BROKEN else NotHandedIn
            raise kind_of(f"{self.address}: {_reason(error)}") from None
        except (URLError, HTTPException, OSError, ValueError) as error:
            raise Away(f"{self.address} does not answer: {getattr(error, 'reason', error)}") from None

    def _trusted(self) -> ssl.SSLContext | None:
        if not self.address.startswith("https:"):
            return None
        try:
            return ssl.create_default_context(cafile=self.ca)
        except (OSError, ValueError) as error:
            raise NotHandedIn(f"{self.ca} is no certificate that can be read: {error}") from None


def wait_for_check(
    place: PlaceClient, version: int, told: Callable[[str], None], pause: Callable[[float], None] = time.sleep
) -> dict[str, Any]:
    """Wait until a version is checked or replaced by a later one; returns it.

    Raises `NotHandedIn` if that takes very long.
    """
    said = ""
    for _ in range(round(LONGEST_S / POLL_S)):
        found = _stands(place, pause)["version"]
        if found["id"] != version or found["state"] in (READY, REFUSED):
            return dict(found)
        now = f"Ahead of it: {found['before']}." if found["state"] == "waiting" else found["said"]
        if now != said:
            told(now)
            said = now
        pause(POLL_S)
    raise NotHandedIn(f"it is handed in, but has not been checked after {LONGEST_S:.0f} s: look at its page later")


def _stands(place: PlaceClient, pause: Callable[[float], None]) -> dict[str, Any]:
    """The bot's state. A place that is briefly away is asked again."""
    until = time.monotonic() + AWAY_S
    while True:
        try:
            return place.me()
        except Away as error:
            if time.monotonic() >= until:
                raise NotHandedIn(f"it is handed in, but {error}") from None
        pause(POLL_S)


def wait_for_interval(
    place: PlaceClient, deals: int, pause: Callable[[float], None] = time.sleep
) -> list[dict[str, Any]]:
    """Wait until the newest version has `deals` deals in each of its tables.

    Raises `NotHandedIn` if that takes very long.
    """
    for _ in range(round(LONGEST_S / POLL_S)):
        found = _stands(place, pause)
        rows = [row for row in found["standings"] if row["bot"] == found["version"]["bot"]]
        if rows and all(row["deals"] >= deals for row in rows):
            return rows
        pause(POLL_S)
    raise NotHandedIn(f"it is handed in, but has no {deals} deals after {LONGEST_S:.0f} s: look at its page later")


def _packed(bot: Path) -> tuple[str, bytes]:
    """The name and the bytes of a hand-in: a file as it is, a folder as a zip."""
    try:
        if bot.is_file():
            return _plain(bot), bot.read_bytes()
        into = io.BytesIO()
        with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in _files(bot):
                archive.write(path, path.relative_to(bot))
    except (OSError, ValueError) as error:
        raise NotHandedIn(f"{bot} cannot be read: {error}") from None
    return "bot.zip", into.getvalue()


def _plain(bot: Path) -> str:
    """A file's name, or `bot` with its suffix if a form cannot carry the name."""
    for name in (bot.name, f"bot{bot.suffix}"):
        if name.isascii() and name.isprintable() and not set(name) & set('"\\'):
            return name
    return "bot.py"


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise NotHandedIn(f"there is no file or folder {folder}")
    for path in sorted(folder.rglob("*")):
        left_out = any(part in LEFT_OUT for part in path.relative_to(folder).parts)
        if path.is_file() and not path.is_symlink() and not left_out:
            yield path


def _reason(error: HTTPError) -> str:
    try:
        return str(json.loads(error.read(1 << 16))["error"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"it answers {error.code}"
