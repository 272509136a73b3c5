"""The order of mounts that leaves nothing hidden visible, as words for bubblewrap.

Paths are compared as texts: by `pathlib` that was most of what a bot's start took here.

Deeper places are mounted later. A place that holds something hidden is not shown as a
whole. Instead each of its entries is shown by itself, except the hidden ones, and so on
downwards. Files that appear there later, such as a database's journal, are not visible
either.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import SYSTEM

_IN_SYSTEM: Final = tuple(f"{place}/" for place in SYSTEM)
WRITABLE: Final = ("/tmp", "/dev/shm")  # noqa: S108 - the bot's own


def ways(places: Iterable[str]) -> Iterator[str]:
    """Words for the folders above each place, open to everybody.

    Bubblewrap would give them the modes of their sources.
    """
    above = {folder for place in places for folder in _above(str(Path(place)))}
    for folder in sorted(above, key=lambda folder: folder.count(os.sep)):
        if not in_system(folder) and folder not in WRITABLE:
            yield from ("--dir", folder)


def mounts(shown: Collection[str], hidden: Collection[str], copied: Collection[str], copy_bytes: int) -> Iterator[str]:
    """Words that show what is shown except the hidden, and make room for copies.

    All paths are absolute. `copied` are the bot's own files and folders. A folder that
    receives a copy is empty at first.
    """
    show, own = {place for place in _normal(shown) if Path(place).exists()}, outermost(copied)
    room = {place if Path(place).is_dir() else str(Path(place).parent) for place in own} - {"/", *WRITABLE}
    hide = _normal(hidden) - show
    yield from ways(show | room)
    for place in sorted(show | room, key=lambda place: (place.count(os.sep), place)):
        if place in room:
            yield from ("--size", str(copy_bytes), "--tmpfs", place)
        elif not _is_seen(place, show, hide | room):
            yield from _opened(place, {path for path in hide if _is_below(path, place)})


def outermost(places: Iterable[str]) -> list[str]:
    """Return the places that lie in none of the others, in order."""
    found: list[str] = []
    for place in sorted(_normal(places), key=lambda place: (place.count(os.sep), place)):
        if not any(_is_below(place, other) for other in found):
            found.append(place)
    return found


def _normal(places: Iterable[str]) -> set[str]:
    return {os.path.normpath(place) for place in places} - {os.sep}


def _is_seen(place: str, show: Collection[str], cover: Collection[str]) -> bool:
    """Return whether the nearest place above already shows this one."""
    for above in _above(place):
        if above in cover:
            return False
        if above in show:
            return True
    return False


def _opened(place: str, hidden: Collection[str]) -> Iterator[str]:
    """Words that show a place for reading, without what is hidden in it."""
    if not hidden:
        yield from ("--ro-bind-try", place, place)
        return
    yield from ("--dir", place)
    try:
        names = sorted(os.listdir(place))  # noqa: PTH208 - names are joined, not walked
    except OSError:
        return
    for name in names:
        path = f"{place}/{name}"
        if path in hidden:
            continue
        if Path(path).is_symlink():
            yield from ("--symlink", str(Path(path).readlink()), path)
        else:
            yield from _opened(path, {other for other in hidden if _is_below(other, path)})


def _above(place: str) -> Iterator[str]:
    """Yield the folders above a place, the nearest first, without the root."""
    while place := place.rpartition("/")[0]:
        yield place


def _is_below(path: str, place: str) -> bool:
    return path.startswith(f"{place}/")


def in_system(path: str) -> bool:
    """Return whether a path is in one of the folders that every bot is shown."""
    return path in SYSTEM or path.startswith(_IN_SYSTEM)
