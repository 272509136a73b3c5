"""Files for other people, written so that nothing Pips keeps is destroyed.

An export only replaces an older export of its kind. Everything else stays, by whichever
name or link: a night's database and its -wal, a league, a key, a bot.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from pips_tourney.errors import TourneyError

FILE_HINT: Final = "name another file with -o"
_HEAD: Final = 4096
_BESIDE: Final = ("-wal", "-shm", "-journal", ".lock", ".key")
"""Suffixes of files that belong to a database."""
_KINDS: Final = re.compile(
    r'\ufeff?\s*(<!doctype html|"""mistakes of |\[event "|\{\s*"[\w$]+"|\[\s*[{\]]|"?\w+"?[,;]"?\w+)',
    re.IGNORECASE,
)
"""How exports begin: a page, tests, PGN, JSON with a key, CSV with two names."""


def files_below(folder: Path) -> Iterator[Path]:
    """All files below a folder in which others write; deleted ones are skipped."""
    return (Path(at, name) for at, _, names in os.walk(folder) for name in names)


class NotWritten(TourneyError):
    """A file that cannot be written, or must not be; the text says what to do."""


def check_file(place: Path, hint: str = FILE_HINT) -> None:
    """Check, before the work, that its result can be written to that file.

    `NotWritten` says what prevents it.
    """
    if not os.path.isdir(place.parent):  # noqa: PTH112 - Path's own raises where one may not look
        raise _not_written(place, f"there is no folder {place.parent}", hint)
    target = Path(os.path.realpath(place))
    needed = [target] if os.path.exists(target) else []  # noqa: PTH110 - the same
    if not needed or os.path.isfile(target):  # noqa: PTH113 - the same; a file is replaced by a new one beside it
        needed.append(target.parent)
    if not all(os.access(each, os.W_OK) for each in needed):
        raise _not_written(place, os.strerror(13), hint)
    with _told(place, hint):
        head = _head(place)
    if head is None or (head and _kind(head) is None):
        raise _kept(place, hint)


def write_file(place: Path, texts: Iterable[str], hint: str = FILE_HINT, *, private: bool = False) -> None:
    """Write texts into a file, completely or not at all. Raises `NotWritten`.

    A private file can be read by its owner alone.
    """
    whole = "".join(texts).encode()
    with replaced(place, whole[:_HEAD], hint, private=private) as file:
        file.write(whole)


def make_folder(folder: Path, hint: str) -> None:
    """Make a folder if it is missing. Raises `NotWritten`."""
    with _told(folder, hint):
        folder.mkdir(parents=True, exist_ok=True)


def check_log(file: Path, hint: str) -> None:
    """Check that a log is no link to another file. Raises `NotWritten`."""
    with _told(file, hint):
        if file.is_symlink() or (file.exists() and file.stat().st_nlink > 1):
            raise _not_written(file, "it is a link to another file", hint)


def writable(name: str) -> str:
    """The name, with escapes for letters that this machine's locale cannot write."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return name.encode("ascii", "backslashreplace").decode().replace("\\", "_")
    return name


@contextmanager
def replaced(place: Path, head: bytes, hint: str = FILE_HINT, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a new file for writing; it replaces `place` once it is complete.

    `head` is its beginning. Raises `NotWritten`.
    """
    with _told(place, hint):
        target = Path(os.path.realpath(place))
        if target.exists() and not target.is_file():  # a device, a pipe
            with target.open("wb") as file:
                yield file
            return
        if not _may_replace(place, head):
            raise _kept(place, hint)
        new = target.with_name(f".{secrets.token_hex(8)}.new")
        is_there = target.exists() and not private
        mode = stat.S_IMODE(target.stat().st_mode) if is_there else 0o600 if private else 0o666
        try:
            with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as file:
                yield file
            if is_there:  # regardless of the umask
                new.chmod(mode)
            new.replace(target)
        except BaseException:
            with suppress(OSError):
                new.unlink()
            raise


def _may_replace(place: Path, new: bytes) -> bool:
    old = _head(place)
    if old is None or not old:
        return old is not None
    if (kind := _kind(new)) is not None:
        return _kind(old) == kind
    if b"\0" in new:
        return old[:1] == new[:1]
    return not place.is_symlink() and place.stat().st_nlink == 1 and not _is_kept(old)


def _head(place: Path) -> bytes | None:
    """The file's beginning, b"" if it is missing; None if it belongs to a database."""
    if os.path.realpath(place).casefold().endswith(_BESIDE):
        return None
    if not place.is_file():
        return b""
    with place.open("rb") as file:
        return file.read(_HEAD)


def _kind(head: bytes) -> str | None:
    begin = _KINDS.match(head.decode("utf-8", "replace"))
    return None if begin is None or b"\0" in head else re.sub(r'[\s";,]', "", begin[1]).lower()


def _is_kept(head: bytes) -> bool:
    """Whether it is a key, a certificate, a league, a program, or not text at all."""
    text = head.decode("utf-8", "replace").strip()
    with suppress(tomllib.TOMLDecodeError, RecursionError):
        return bool(tomllib.loads(text))
    is_key = re.fullmatch("[0-9a-fA-F]{32,}", text) is not None
    return is_key or "\0" in text or text.startswith(("-----BEGIN", "#!", "import ", "from ", '"""'))


@contextmanager
def _told(place: Path, hint: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _not_written(place, error.strerror or str(error), hint) from None


def _kept(place: Path, hint: str) -> NotWritten:
    return _not_written(place, "something is there that is no earlier export", f"move it away, or {hint}")


def _not_written(place: Path, why: str, hint: str) -> NotWritten:
    return NotWritten(f"{place} cannot be written: {why}; {hint}")
