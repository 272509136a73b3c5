"""Make a backup of a place while it runs, and restore it.

The backup is a zip with the nights, the people, their versions and invites. Nights are
copied first. So a hand-in that the copied night lacks is in the copy of the book, and
is brought over when the place opens again.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Final

from pips_tourney.errors import TourneyError
from pips_tourney.files import check_file, files_below, replaced
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.people.store import FILE
from pips_tourney.place.desk.grades import people_beside

LEFT_OUT: Final = ("logs", FILE, f"{FILE}-wal", f"{FILE}-shm", "place.lock")
"""Parts of a place's folder: the bots' output, and the book, copied separately."""
TRIES: Final = 5
SPOILT: Final = (OSError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""The exceptions raised by a zip that is no backup."""


class BackupError(TourneyError):
    """A backup that cannot be made or restored; the text says why."""


def back_up(database: Path, file: Path) -> int:
    """Write the place of this night into a zip that only its owner can read.

    Returns the number of files. Raises `BackupError`, `NotWritten`.
    """
    folder = people_beside(database)
    if folder is None or folder.name != f"{database.stem}-place":
        raise BackupError(f"there is no place beside {database}: only a place's current night has one")
    check_file(file)
    with (
        tempfile.TemporaryDirectory(prefix="pips-backup-", dir=file.parent) as made,
        replaced(file, b"PK", private=True) as into,
        zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for copied in _nights(database, Path(made)):
            archive.write(copied, copied.name)
        archive.write(_copied(folder / FILE, Path(made)), f"{folder.name}/{FILE}")
        for path in sorted(files_below(folder)):
            name = path.relative_to(folder)
            is_whole = name.parts[0] not in LEFT_OUT and not any(part.endswith(".part") for part in name.parts)
            if is_whole and path.is_file() and not path.is_symlink():
                with suppress(FileNotFoundError):  # the person was deleted meanwhile
                    archive.write(path, f"{folder.name}/{name}")
        return len(archive.namelist())


def _nights(database: Path, into: Path) -> list[Path]:
    """Copies of the current night and of all earlier ones.

    If a night ends meanwhile, all are copied again, so that no night is copied twice.
    """
    for _ in range(TRIES):
        with suppress(FileNotFoundError):  # it was moved aside, and there is no new night yet
            before = database.stat().st_ino
            copies = [_copied(night, into) for night in (database, *moved_aside(database).values())]
            if database.stat().st_ino == before:
                return copies
    raise BackupError("nights ended while they were copied: try again")


def _copied(database: Path, into: Path) -> Path:
    """A consistent copy of a database while others write to it."""
    copy = into / database.name
    copy.unlink(missing_ok=True)
    try:
        with (
            closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as error:
        database.stat()  # raises if the database is gone
        raise BackupError(f"{database} cannot be copied: {error}") from None
    return copy


def take_back(file: Path, database: Path) -> int:
    """Unpack a backup as the place of `database`, if there is no place yet.

    The place may get another name. Returns the number of files. Raises `BackupError`.
    """
    folder = database.with_name(f"{database.stem}-place")
    for there in (database, Path(f"{database}-wal"), folder, *moved_aside(database).values()):
        if there.exists():
            raise BackupError(
                f"{there} is there already, and nothing is written over: leave --from out to go on with what is there, "
                "or take the backup back in an empty folder"
            )
    written: list[Path] = []
    try:
        with zipfile.ZipFile(file) as archive:
            for name, place in dict(_places(archive, database, folder)).items():
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with archive.open(name) as packed, _new(place) as unpacked:
                    written.append(place)  # other files are not ours to remove
                    while data := packed.read(1 << 20):
                        unpacked.write(data)
    except BaseException as error:
        for place in written:
            place.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, SPOILT):
            raise BackupError(f"{file} cannot be taken back: {error}") from None
        raise
    return len(written)


def _places(archive: zipfile.ZipFile, database: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """The destination of each file. Raises `ValueError` for a file of no place."""
    names = archive.namelist()
    stem = next((name[: -len(f"-place/{FILE}")] for name in names if name.endswith(f"-place/{FILE}")), "")
    night = re.compile(rf"{re.escape(stem)}((?:\.\d+)?\.db)")
    for name in names:
        parts = name.split("/")
        if (found := night.fullmatch(name)) is not None:
            yield name, database.with_name(f"{database.stem}{found[1]}")
        elif stem and parts[0] == f"{stem}-place" and not {"", ".", ".."}.intersection(parts) and len(parts) > 1:
            yield name, folder.joinpath(*parts[1:])
        else:
            raise ValueError(f"it has {name!r}, which is of no place")


def _new(place: Path) -> IO[bytes]:
    return os.fdopen(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
