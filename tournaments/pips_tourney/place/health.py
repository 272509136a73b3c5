"""How the machine of a place fares: for its organiser."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.place.site import Works

GB: Final = 1 << 30


def health(desk: Works) -> dict[str, str]:
    """What the organiser should know, in words."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    free = shutil.disk_usage(desk.folder).free
    return {
        "Load": f"{load:.1f} on {cores} cores",
        "Free memory": f"{_free_memory() / GB:.1f} GB",
        "Free disk": f"{free / GB:.1f} GB",
        "Night": str(1 + len(moved_aside(desk.database))),
        "The night's process": "runs" if desk.is_playing else "does not run",
    }


def _free_memory() -> int:
    """Bytes that programs may still take."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return 0
