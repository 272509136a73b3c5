"""The health of a place's machine, for its organiser; the bound on its disk space."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pips_tourney.files import files_below
from pips_tourney.night.log.earlier_nights import moved_aside

GB: Final = 1 << 30
NEARLY: Final = 0.8
"""The part of the disk bound at which the organiser is warned."""
SPARE: Final = GB // 2
"""How many bytes of the disk stay free, for the night and for others."""


@dataclass
class DiskBound:
    """The disk space of a place: at the last count, and at most."""

    database: Path
    folder: Path
    gb: float
    used: int = 0
    free: int = 1 << 62

    def look(self) -> None:
        """Count the space again."""
        nights = (self.database, *moved_aside(self.database).values())
        self.used = sum(map(_size, [*files_below(self.folder), *nights, *(Path(f"{night}-wal") for night in nights)]))
        self.free = shutil.disk_usage(self.folder).free

    @property
    def part(self) -> float:
        """The used part of the bound; from 1 on, hand-ins are refused."""
        most = min(self.gb * GB, self.used + self.free - SPARE)
        return self.used / most if most > 0 else 1.0

    def __str__(self) -> str:
        if not self.used:
            return "its size is being counted"
        return f"{self.used / GB:.2f} of {self.gb:g} GB, {self.free / GB:.1f} GB are free on the disk"


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_size
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
