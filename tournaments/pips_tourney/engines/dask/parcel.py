"""How bots travel: their files in an archive named by its hash, with their programs.

A program's paths are relative to the unpacked archive. A program outside the bot's
files, such as its own interpreter or a compiler's output elsewhere, must exist on the
worker already.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import Executable, environment, files_below

_HERE: Final = "{parcel}"
"""Stands for the folder where a parcel was unpacked."""
_PYTHON: Final = "{python}"
"""Stands for the interpreter that plays the night, on any machine."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """The bots' files as a compressed tar archive."""

    sha256: str
    data: bytes

    def unpack(self, below: Path) -> Path:
        """Return the folder of its files, after unpacking them if necessary."""
        folder = below / f"bots-{self.sha256[:16]}"
        if folder.is_dir():
            return folder
        if sha256(self.data).hexdigest() != self.sha256:
            raise OSError("the archive of the bots has been damaged on its way")
        below.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="unpacking-", dir=below))
        with tarfile.open(fileobj=io.BytesIO(self.data), mode="r:gz") as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # missing up to Python 3.11.3
            archive.extractall(made)  # noqa: S202 - `pack` made it: plain files below one folder
        try:
            made.rename(folder)
        except OSError:  # another process did it first
            if not folder.is_dir():
                raise
        return folder


def pack(programs: Mapping[str, Executable]) -> tuple[Parcel, dict[str, Executable]]:
    """Return the files of these programs, and the programs ready to travel.

    `place` turns them back into programs that can start.
    """
    files: dict[str, Path] = {}
    travelling: dict[str, Executable] = {}
    for name, program in programs.items():
        homes = {program.cwd: f"cwd-{_digest(program.cwd)}"}
        for place in program.files:
            home = _home_of(place, homes)
            if home is None:
                home = homes[place] = f"files-{_digest(place)}"
            own = files_below(Path(place)) if Path(place).is_dir() else [("", Path(place))]
            files |= {os.path.normpath(f"{home}/{inner}"): path for inner, path in own}
        travelling[name] = _packed(program, homes)
    return _archive(files), travelling


def _home_of(place: str, homes: Mapping[str, str]) -> str | None:
    """Return the path's place in the archive, if it or a folder above it has one."""
    for path, home in homes.items():
        if place == path or place.startswith(f"{path}{os.sep}"):
            return home + place[len(path) :]
    return None


def _packed(program: Executable, homes: Mapping[str, str]) -> Executable:
    def moved(word: str) -> str:
        if word == sys.executable:
            return _PYTHON
        for path, home in sorted(homes.items(), reverse=True):  # the innermost first
            word = re.sub(rf"{re.escape(path)}(?![\w.-])", f"{_HERE}/{home}", word)
        return word

    return replace(
        program,
        command=tuple(map(moved, program.command)),
        cwd=moved(program.cwd),
        env={name: moved(value) for name, value in program.env.items() if environment().get(name) != value},
        files=tuple(map(moved, program.files)),
    )


def place(program: Executable, folder: Path) -> Executable:
    """Return a program from another machine, with the paths of its unpacked files."""

    def placed(word: str) -> str:
        return word.replace(_HERE, str(folder)).replace(_PYTHON, sys.executable)

    Path(placed(program.cwd)).mkdir(parents=True, exist_ok=True)
    return replace(
        program,
        command=tuple(map(placed, program.command)),
        cwd=placed(program.cwd),
        env={**environment(), **{name: placed(value) for name, value in program.env.items()}},
        files=tuple(map(placed, program.files)),
        stamp="",  # these copies are never stale
    )


def _archive(files: Mapping[str, Path]) -> Parcel:
    """Pack files. Equal files give equal bytes: no times, owners or disk order."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=6, format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            entry = archive.gettarinfo(files[name], name)
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
            with files[name].open("rb") as stream:
                archive.addfile(entry, stream)
    data = packed.getvalue()
    data = data[:4] + bytes(4) + data[8:]  # gzip's own time
    return Parcel(sha256(data).hexdigest(), data)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
