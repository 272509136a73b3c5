"""Read a bot's files once, so that each of its processes gets a copy.

A pack has three parts. The first 8 bytes are the length of the index (big-endian). Then
comes the index, then the contents of the files, one after the other. The index has four
fields for each entry, each ended by a zero byte: `d`, `f` or `l`; the mode in octal
digits; the absolute path; and the size of a file in bytes, the target of a link, or
nothing. Links are recorded and never followed. Anything else is left out.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from pips_tourney.bots.contents import NO_PART, mark_of, stamp_of
from pips_tourney.errors import TourneyError
from pips_tourney.sandbox.limits import MB

MOST_FILES: Final = 20_000


class PackError(TourneyError):
    """A bot that is too large to copy, or cannot be read."""


def write_pack(places: Collection[str], hidden: Collection[str], most_mb: int, into: BinaryIO, stamp: str = "") -> None:
    """Write a pack of everything in `places` that is not `hidden`.

    Raises `PackError`, which names what is too large, or what has changed since
    `stamp`.
    """
    entries, total = [], 0
    for entry in (entry for place in places for entry in _walk(place, frozenset(hidden))):
        entries.append(entry)
        total += entry[1].st_size if stat.S_ISREG(entry[1].st_mode) else 0
        if len(entries) > MOST_FILES or total > most_mb << 20:
            what = f"more than {MOST_FILES} files" if len(entries) > MOST_FILES else f"more than {most_mb} MB"
            raise PackError(
                f"{', '.join(places)}: it holds {what}, and each process gets a copy of it. Make it smaller, "
                "or let the league file raise sandbox.copy_mb, or name large files that all bots may read in "
                "sandbox.readable"
            )
    for place in places if stamp else ():
        if any(Path(path).is_relative_to(place) for path in hidden):
            continue  # files in this folder are no part of the bot
        own = {path[len(place) + 1 :]: mark_of(found) for path, found in entries if _is_file(found)}
        if stamp_of(own) != stamp:
            raise PackError(
                f"{place} has changed since its fingerprint was taken: put its files back, or end the run and begin it "
                "again, with --continue if something was played"
            )
    _write(entries, into)


def _is_file(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)


def _walk(place: str, hidden: frozenset[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield a place and all in it, folders first; links are not followed."""
    places, top = [place], place
    while places:
        place = places.pop()
        if place in hidden:
            continue
        try:
            found = os.stat(place, follow_symlinks=place == top)  # noqa: PTH116 - names of any bytes
            names = sorted(os.listdir(place), reverse=True) if stat.S_ISDIR(found.st_mode) else []  # noqa: PTH208 - names
        except FileNotFoundError:
            continue
        except OSError as error:
            raise PackError(f"{place} cannot be read: {error.strerror}") from None
        if stat.S_ISDIR(found.st_mode) and place != top and os.path.basename(place) in NO_PART:  # noqa: PTH119 - names
            continue
        if stat.S_ISDIR(found.st_mode) or _is_file(found):
            yield place, found
        places += [f"{place}/{name}" for name in names]


def _write(entries: Collection[tuple[str, os.stat_result]], into: BinaryIO) -> None:
    fields: list[bytes] = []
    for path, found in entries:
        if stat.S_ISDIR(found.st_mode):
            fields += [b"d", b"755", os.fsencode(path), b""]
        elif stat.S_ISLNK(found.st_mode):
            fields += [b"l", b"", os.fsencode(path), os.fsencode(Path(path).readlink())]
        else:
            mode = b"755" if found.st_mode & stat.S_IXUSR else b"644"
            fields += [b"f", mode, os.fsencode(path), str(found.st_size).encode()]
    index = b"".join(field + b"\0" for field in fields)
    into.write(len(index).to_bytes(8, "big") + index)
    for path, found in entries:
        if stat.S_ISREG(found.st_mode):
            _append(path, found, into)


def _append(path: str, found: os.stat_result, into: BinaryIO) -> None:
    """Append a file's contents.

    A file that has changed meanwhile is an error, because the index has its old size.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise PackError(f"{path} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as source:
        before = into.tell()
        now = os.fstat(descriptor)
        if (now.st_dev, now.st_ino, now.st_size) == (found.st_dev, found.st_ino, found.st_size):
            shutil.copyfileobj(source, into, MB)
        if into.tell() - before != found.st_size:
            raise PackError(f"{path} was changed while it was read")
