"""The keeper's check of what bots use, ten times a second, without control groups.

Each look reads the process trees below the keeper. Memory that is not resident is
scanned once a second, and at once if the machine's free memory has fallen. Memory
shared by children is counted exactly only if that matters.

The keeper imports this module and must start fast, so it imports few others.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

from pips_tourney.sandbox.counting.groups import BotGroup
from pips_tourney.sandbox.counting.memory import MachineMemory, exact_bytes, held_bytes, machine_memory
from pips_tourney.sandbox.counting.processes import Process, look_at, read_tree, signal_all, stop_all
from pips_tourney.sandbox.homes import MOST_ENTRIES, TEMPORARY, written_bytes
from pips_tourney.sandbox.limits import GROUP, MB, TEMPORARY_MB, Allowance, Usage

with suppress(ImportError):  # Windows has none
    import resource

SCAN_S: Final = 1.0
"""Seconds between two scans for memory that is not resident."""
FELL_BYTES: Final = 16 * MB
"""If the machine's free memory has fallen this far since the last scan, scan again."""
MANY_OPENED: Final = 32
"""If a bot has opened this many files since the last scan, scan that bot again."""
EXACT_S: Final = 0.2
"""How long an exact count is valid, unless the bot has grown past its limit since."""
MOST_CLOSED: Final = 50
"""The most looks at a closed process, for 5 s: each is closed briefly at its start."""
LIMITS_BY_NAMESPACE: Final = (5, 14)
"""From this version on, Linux counts tasks by user namespace (ucounts), not by user."""


class Watched:
    """One watched process of a bot, with its limits and measurements."""

    held_bytes: int = 0
    opened: int = 0
    """Number of files that were open at the last scan."""
    exact_bytes: int = 0
    rough_bytes: int = 0
    counted_s: float = -EXACT_S
    """The time of the last exact count, in seconds."""
    looks_closed: int = 0
    """In how many looks in a row one of its processes was closed to its own user."""

    def __init__(
        self, allowance: Allowance, group: BotGroup | None = None, user: int | None = None, home: str = ""
    ) -> None:
        self.allowance, self.group, self.user, self.home = allowance, group, user, home
        self.bounded: set[int] = set()


class Inspector:
    """Checks what bots use."""

    def __init__(self, keeper: int) -> None:
        self._keeper = keeper
        self._scanned_s = -SCAN_S
        self._left = MachineMemory(0, 0, 0)
        self._is_scan = False

    def look(
        self, watched: Mapping[int, Watched], roots: Collection[int], now: float
    ) -> tuple[dict[int, str], list[int]]:
        """Return, by root, which limit it exceeds, and the stray processes.

        `now` is in seconds; `roots` are all processes that the keeper has started.
        """
        self._is_scan = self._is_time_to_scan(now)
        excess = {root: found for root, one in watched.items() if one.home and (found := _written(one))}
        excess |= {root: found for root, one in watched.items() if one.group and (found := self._grouped(one))}
        if all(one.group for one in watched.values()):
            return excess, []  # no process can leave its group
        trees, strays = trees_of(self._keeper, roots)
        for root, one in watched.items():
            if one.group is None:
                with looking_as(one.user):
                    found = self._excess(one, trees[root], now)
                if found:
                    excess[root] = found
        return excess, [stray.pid for stray in strays]

    def _is_time_to_scan(self, now: float) -> bool:
        left = machine_memory()
        fell = self._left.available - left.available > FELL_BYTES or left.shared - self._left.shared > FELL_BYTES
        self._left = MachineMemory(
            left.total, max(left.available, self._left.available), min(left.shared, self._left.shared)
        )  # memory that is freed slowly must not hide memory that is taken slowly
        if not fell and now < self._scanned_s + SCAN_S:
            return False
        self._scanned_s, self._left = now, left
        return True

    def _grouped(self, one: Watched) -> str:
        """Check a bot in a group: the kernel limits memory and threads itself."""
        assert one.group is not None
        pids = one.group.pids()
        return one.allowance.excess(Usage(cpu_s=one.group.cpu_s(), processes=len(pids)))

    def _excess(self, one: Watched, tree: list[Process], now: float) -> str:
        usage = Usage(
            sum(process.memory_bytes for process in tree),
            sum(process.cpu_s for process in tree),
            len(tree),
            sum(process.threads for process in tree),
        )
        self._bound(one, tree)
        one.looks_closed = one.looks_closed + 1 if one.home and any(map(_is_closed, tree)) else 0
        if one.looks_closed > MOST_CLOSED:
            return "it runs a program that it may not read, so its memory cannot be measured"
        opened = sum(_open_files(process.pid) for process in tree)
        if self._is_scan or abs(opened - one.opened) > MANY_OPENED:
            one.held_bytes, one.opened = held_bytes(tree), opened
        rough = usage.memory_bytes + one.held_bytes
        if rough > one.allowance.limits.memory_mb * MB:
            rough = self._counted(one, tree, rough, now)
        return one.allowance.excess(usage._replace(memory_bytes=rough))

    def _counted(self, one: Watched, tree: list[Process], rough: int, now: float) -> int:
        """Return the exact count, or the last count if it is surely below the limit."""
        left = one.allowance.limits.memory_mb * MB - one.exact_bytes
        if now < one.counted_s + EXACT_S and rough - one.rough_bytes < left:
            return one.exact_bytes
        one.held_bytes = held_bytes(tree)
        one.exact_bytes, one.rough_bytes, one.counted_s = exact_bytes(tree) + one.held_bytes, rough, now
        return one.exact_bytes

    def _bound(self, one: Watched, tree: list[Process]) -> None:
        """Limit threads in a separate user namespace, which has its own count."""
        for process in tree:
            if process.pid not in one.bounded:
                one.bounded.add(process.pid)
                if COUNTS_BY_NAMESPACE and _has_own_namespace(process.pid):
                    _limit_tasks(process.pid, one.allowance.limits.threads)


def _written(one: Watched) -> str:
    """Check what a bot has written to its home."""
    size = written_bytes(f"{one.home}/{TEMPORARY}")
    if size is None:
        return f"it has more than {MOST_ENTRIES} files and folders in its TMPDIR, or too deep or closed ones"
    return f"it wrote {size // MB} MB to its TMPDIR and may write {TEMPORARY_MB}" if size > TEMPORARY_MB * MB else ""


@contextmanager
def looking_as(user: int | None) -> Iterator[None]:
    """Look at processes of this user with that user's rights.

    In a container, root may not look into processes of others.
    """
    if user is None:
        yield
        return
    system = ctypes.CDLL(None)
    system.setfsgid(GROUP)
    system.setfsuid(user)
    try:
        yield
    finally:
        system.setfsuid(os.geteuid())
        system.setfsgid(os.getegid())


def trees_of(keeper: int, roots: Collection[int]) -> tuple[dict[int, list[Process]], list[Process]]:
    """Return each root's living processes, including the root, and the strays.

    The keeper is the subreaper of all. An orphan belongs to the root of its session. A
    stray has left both its parent and its session, or its root has ended.
    """
    trees: dict[int, list[Process]] = {root: [] for root in roots}
    strays: list[Process] = []
    root_of: dict[int, int] = {}
    for pid in read_tree(keeper):
        if (process := look_at(pid)) is not None:
            root = pid if pid in trees else root_of.get(process.parent, process.session)
            root_of[pid] = root
            trees.get(root, strays).append(process)
    return trees, strays


def end_strays(keeper: int, roots: Collection[int]) -> None:
    """End processes that have outlived their root, or left it and its session."""
    signal_all(stop_all(lambda: {stray.pid for stray in trees_of(keeper, roots)[1]}), signal.SIGKILL)


def _is_closed(process: Process) -> bool:
    """Return whether not even the process's own user may look into it."""
    try:
        os.scandir(f"/proc/{process.pid}/fd").close()
    except OSError as error:
        return isinstance(error, PermissionError)
    return False


def _open_files(pid: int) -> int:
    """Return how many files a process has open; 0 before Linux 6.2."""
    try:
        return os.stat(f"/proc/{pid}/fd").st_size  # noqa: PTH116 - no pathlib
    except OSError:
        return 0


def _has_own_namespace(pid: int) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/ns/user") != os.readlink("/proc/self/ns/user")  # noqa: PTH115 - no pathlib
    except OSError:
        return False


def _limit_tasks(pid: int, most: int) -> None:
    with suppress(OSError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_NPROC, (most, most))


def _counts_by_namespace() -> bool:
    major, minor, *_ = os.uname().release.split(".")
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= LIMITS_BY_NAMESPACE


COUNTS_BY_NAMESPACE: Final = hasattr(os, "uname") and _counts_by_namespace()
