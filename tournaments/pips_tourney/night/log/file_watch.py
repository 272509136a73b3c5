"""The files of a database, and whether they are still the ones that were opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

PLEDGE: Final = ".pledge"
"""The suffix of a commitment's private file, after the database's name."""
_PARTS: Final = {
    "": "the database",
    "-wal": "it holds the last results of the database",
    "-shm": "it is a part of the database",
    ".lock": "it keeps a second runner away",
}
"""What each file contains, by suffix."""
_INODE = tuple[int, int]


def usual_database(league: str | Path) -> Path:
    """The default database of a league's night, in the current folder."""
    return Path(f"{Path(league).stem}.db")


def private_files(database: Path) -> Iterator[Path]:
    """The files of a database and of earlier nights, which no bot may read."""
    yield from (Path(f"{database}{suffix}") for suffix in (*_PARTS, PLEDGE))
    yield from database.parent.glob(f"{database.stem}.*{database.suffix}*")


def files_of_nights(league: Path) -> Iterator[Path]:
    """The files of a league's nights, in its folder and in the current one."""
    for folder in {Path(), league.parent}:
        yield from private_files(folder / usual_database(league))


class FileWatch:
    """The files of a database, as they were when it was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        found = {suffix: _inode(Path(f"{path}{suffix}")) for suffix in _PARTS}
        self._known: Mapping[str, _INODE] = {suffix: inode for suffix, inode in found.items() if inode is not None}

    def trouble(self) -> str:
        """A sentence about the first file that is gone or was replaced; else empty."""
        for suffix, known in self._known.items():
            file = Path(f"{self._path}{suffix}")
            now = _inode(file)
            if now == known:
                continue
            how = "was removed or renamed" if now is None else "was replaced by another file"
            return (
                f"{file} {how} while the night was played ({_PARTS[suffix]}). The night ends here. "
                "Put the files back where they were, if there is a copy, and run it again"
            )
        return ""


def _inode(file: Path) -> _INODE | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
