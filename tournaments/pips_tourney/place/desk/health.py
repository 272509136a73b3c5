"""The health of a place's machine, for its organiser; the bound on its disk space."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pips_tourney.bots.archives import HandInError
from pips_tourney.bots.logs import bot_of
from pips_tourney.files import files_below
from pips_tourney.night.log.earlier_nights import moved_aside

GB: Final = 1 << 30
MB: Final = 1 << 20
NEARLY: Final = 0.8
"""The part of the disk bound at which the organiser is warned."""
SPARE: Final = GB // 2
"""How many bytes of the disk stay free, for the night and for others."""


@dataclass
class DiskBound:
    """The disk space of a place and of its authors: at the last count, and at most."""

    database: Path
    versions: Path
    """The folder with all versions; that of the place is above it."""
    gb: float
    used: int = 0
    free: int = 1 << 62
    used_by: Counter[int] = field(default_factory=Counter)
    """By owner, the bytes of their versions and of what these printed."""

    def look(self, owners: Mapping[str, int]) -> None:
        """Count the space again; `owners` are by a version's folder or bot."""
        nights, used_by = (self.database, *moved_aside(self.database).values()), Counter[int]()
        for path in files_below(self.versions.parent):
            of = path.relative_to(self.versions).parts[0] if path.is_relative_to(self.versions) else bot_of(path)
            used_by[owners.get(of, 0)] += _size(path)
        self.used = used_by.total() + sum(map(_size, [*nights, *(Path(f"{night}-wal") for night in nights)]))
        self.used_by, self.free = used_by, shutil.disk_usage(self.versions).free

    def add(self, owner: int, folder: Path) -> None:
        """Count a new version."""
        self.used_by[owner] += (size := sum(map(_size, files_below(folder))))
        self.used += size

    def check(self, owner: int, owners: int) -> None:
        """Raise `HandInError` if the place, or the owner's equal part, is used up."""
        if self.part >= 1:
            raise HandInError("this place has used up its disk: its organiser has to make room")
        if self.used_by[owner] >= (share := self.most / max(1, owners)):
            raise HandInError(
                f"your versions and what they printed take {self.used_by[owner] / MB:.1f} MB, and each author here "
                f"has {share / MB:.1f} MB: ask the organiser for a larger `disk_gb`"
            )

    @property
    def most(self) -> float:
        """The bytes that the place may use."""
        return min(self.gb * GB, self.used + self.free - SPARE)

    @property
    def part(self) -> float:
        """The used part of the bound; from 1 on, hand-ins are refused."""
        return self.used / self.most if self.most > 0 else 1.0

    def __str__(self) -> str:
        if not self.used:
            return "its size is being counted"
        return f"{self.used / GB:.2f} of {self.gb:g} GB, {self.free / GB:.1f} GB are free on the disk"


def _size(path: Path) -> int:
    """The bytes that a file takes on the disk, where the smallest one has a block."""
    with suppress(OSError):
        found = path.lstat()
        return max(found.st_size, 512 * found.st_blocks)
    return 0


def health(folder: Path, database: Path, *, is_playing: bool) -> dict[str, str]:
    """The state of the machine for the organiser, in words."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    free = shutil.disk_usage(folder).free
    return {
        "Load": f"{load:.1f} on {cores} cores",
        "Free memory": f"{_free_memory() / GB:.1f} GB",
        "Free disk": f"{free / GB:.1f} GB",
        "Night": str(1 + len(moved_aside(database))),
        "The night's process": "runs" if is_playing else "does not run",
    }


def _free_memory() -> int:
    """How many bytes of memory programs may still take."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return 0
