"""The facts of this machine as a value; findings depend on nothing else."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import Final

from pips_tourney.sandbox.counting.groups import GroupError, find_base
from pips_tourney.sandbox.counting.memory import machine_memory
from pips_tourney.sandbox.counting.shortage import most_tasks
from pips_tourney.sandbox.limits import MB

with suppress(ImportError):  # Windows lacks it
    import resource

SYNCS: Final = 15
_FAR: Final = ("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs", "vboxsf", "virtiofs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Facts: sizes in MB, times as named; None for what the machine does not report."""

    root: bool = False
    tier: str = "bubblewrap"
    """The sandbox that a night would have on this machine; "" if none is possible."""
    why_tier: str = ""
    """Gaps of the sandbox, or why there is none."""
    bots_are_root: bool = False
    got: Mapping[str, str] = field(default_factory=dict)
    """By attack, what it reached; "" if it was stopped. Empty if none was tried."""
    cgroup: str = ""
    """Why bots have no control group; "" if they have one."""
    memory_mb: int = 0
    """Available at the moment."""
    cores: int = 1
    """Cores that this process may use."""
    load: float = 0.0
    """Processes that wanted a core in the last minute, on average."""
    free_mb: int = 0
    """Free space where the night's database will be stored."""
    far_disk: str = ""
    """The kind of the database's file system, if it is on another machine."""
    sync_ms: float | None = None
    """Median time until a write there is safe; None if nothing can be written."""
    open_to_others: tuple[str, ...] = ()
    """Folders of the league that other users may write to."""
    descriptors: int = 0
    """The most files that a process may open."""
    processes: int = 0
    """The most processes and threads."""
    ports_taken: tuple[str, ...] = ()


def look_at_machine(folder: Path, ports: tuple[int, ...], league_folders: tuple[Path, ...] = ()) -> Machine:
    """Return the facts of this machine, except those about its sandbox.

    `folder` is that of the night's database.
    """
    return Machine(
        root=os.geteuid() == 0,
        memory_mb=machine_memory().available // MB,
        cores=len(os.sched_getaffinity(0)),
        load=os.getloadavg()[0],
        free_mb=shutil.disk_usage(folder).free >> 20,
        far_disk=_far_disk(folder, Path("/proc/self/mounts").read_text(errors="replace")),
        sync_ms=_sync_ms(folder),
        open_to_others=tuple(str(place) for place in league_folders if _is_open(place)),
        descriptors=resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        processes=most_tasks(of_user=os.geteuid() != 0),
        ports_taken=tuple(str(port) for port in ports if not _is_free(port)),
    )


def why_no_cgroup(given: str) -> str:
    """Return why bots lack the given control group, or any; "" if they have one."""
    try:
        find_base(given)
    except GroupError as error:
        return str(error)
    return ""


def _far_disk(folder: Path, mounts: str) -> str:
    """Return the kind of a folder's file system, if it is on another machine."""
    best, kind = "", ""
    for line in mounts.splitlines():
        _, place, of, *_ = line.split()
        if folder.resolve().is_relative_to(place.replace("\\040", " ")) and len(place) >= len(best):
            best, kind = place, of
    return kind if kind in _FAR else ""


def _sync_ms(folder: Path) -> float | None:
    """Time a safe write as SQLite does it: write a page, wait until it is on disk."""
    times: list[float] = []
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            ends_at = monotonic() + 5
            while len(times) < SYNCS and monotonic() < ends_at:
                file.write(bytes(4096))
                file.flush()
                began = perf_counter()
                os.fsync(file.fileno())
                times.append(1000 * (perf_counter() - began))
    except OSError:
        return None
    return median(times)


def _is_open(folder: Path) -> bool:
    """Return whether users other than its owner and root may write to the folder."""
    try:
        found = folder.stat()
    except OSError:
        return False
    return bool(found.st_mode & 0o002) and not found.st_mode & 0o1000


def _is_free(port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("0.0.0.0", port))  # noqa: S104 - where guests dial in
        except OSError:
            return False
    return True
