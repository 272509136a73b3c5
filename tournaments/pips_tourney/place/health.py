"""How the machine of a place fares: for its organiser, and for Prometheus."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from pips_tourney.night.aside import moved_aside
from pips_tourney.place.desk import Desk

GB: Final = 1 << 30


def health(desk: Desk) -> dict[str, str]:
    """What the organiser should know, in words."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    free = shutil.disk_usage(desk.versions).free
    handed_in = {"Versions": str(len(desk.book.versions())), "Waiting for their check": str(desk.queue())}
    return {
        "Load": f"{load:.1f} on {cores} cores",
        "Free memory": f"{_free_memory() / GB:.1f} GB",
        "Free disk": f"{free / GB:.1f} GB",
        **({} if desk.dial else handed_in),
        "Night": str(1 + len(moved_aside(desk.database))),
        "The night's process": "runs" if desk.is_playing else "does not run",
    }


def metrics(desk: Desk, played: int, scheduled: int, spectators: int) -> str:
    """The same as Prometheus reads it, with how far the night is."""
    people, versions = desk.book.people(), desk.book.versions()
    found = [
        ("pips_people", "gauge", "People with an invite or without.", len(people)),
        ("pips_versions_total", "counter", "Versions that were handed in.", len(versions)),
        ("pips_versions_waiting", "gauge", "Versions that wait for their check.", desk.queue()),
        ("pips_night", "gauge", "The number of the night.", 1 + len(moved_aside(desk.database))),
        ("pips_night_playing", "gauge", "Whether the night's process runs.", int(desk.is_playing)),
        ("pips_matches_played", "gauge", "Matches of this night with a result.", played),
        ("pips_matches_scheduled", "gauge", "Matches of this night that are known.", scheduled),
        ("pips_spectators", "gauge", "Pages that follow the night.", spectators),
        ("pips_disk_free_bytes", "gauge", "Free disk.", shutil.disk_usage(desk.versions).free),
        ("pips_memory_available_bytes", "gauge", "Free memory.", _free_memory()),
    ]
    return "".join(line for each in found for line in _lines(*each))


def _lines(name: str, kind: str, what: str, value: int) -> Iterator[str]:
    yield f"# HELP {name} {what}\n"
    yield f"# TYPE {name} {kind}\n"
    yield f"{name} {value}\n"


def _free_memory() -> int:
    """Bytes that programs may still take."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return 0
