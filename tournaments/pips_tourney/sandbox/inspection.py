"""The keeper's look at what bots take, ten times a second, where no control group
counts it.

A look costs a file for each process of a bot. What is not resident is looked for once a
second, and at once when the machine has less memory left than before; what children
share is counted exactly only where it matters.

For the keeper, which must start fast: nothing but a little of the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from pips_tourney.sandbox.census import Census
from pips_tourney.sandbox.groups import BotGroup
from pips_tourney.sandbox.limits import MB, Allowance, Usage
from pips_tourney.sandbox.memory import NOTHING, Holdings, MachineMemory, exact_bytes, holdings, machine_memory
from pips_tourney.sandbox.processes import Process

SCAN_S: Final = 1.0
"""How often it is looked for what is held and not resident, though nothing
tells of it.
"""
FELL_BYTES: Final = 16 * MB
"""When the machine has so much less memory left than at the last scan, there is another
one.
"""
MANY_OPENED: Final = 32
"""When a bot has opened so many files since the last scan, there is another
one of it.
"""
EXACT_S: Final = 0.2
"""For so long an exact count holds, while what is resident has not grown by what was
left.
"""
MOST_LEAVINGS: Final = 3
"""A bot that leaves its core, or its scheduling class, so often is ended."""
LIMITS_BY_NAMESPACE: Final = (5, 14)
"""From this Linux on the kernel counts tasks by user namespace (ucounts), not over all
of a user's.
"""


@dataclass(eq=False, slots=True)
class Watched:
    """One process of a bot that is watched, by what it was started with."""

    allowance: Allowance
    user: int | None = None
    """Its own, if it has one."""
    group: BotGroup | None = None
    leavings: int = 0
    bounded: set[int] = field(default_factory=set)
    held: Holdings = NOTHING
    opened: int = 0
    """Files that were open at the last scan."""
    exact_bytes: int = 0
    rough_bytes: int = 0
    counted_s: float = -EXACT_S
    """When it was counted exactly, and what came of it."""


class Inspector:
    """`core` is where bots stay; None where nobody keeps them there."""

    def __init__(self, keeper: int, core: int | None) -> None:
        self.census = Census(keeper)
        self._core = core
        self._scanned_s = -SCAN_S
        self._left = MachineMemory(0, 0, 0)
        self._is_scan = False

    def look(
        self, watched: Mapping[int, Watched], roots: Collection[int], now: float
    ) -> tuple[dict[int, str], list[int]]:
        """By root what it took too much of; and the processes that belong to nobody any
        longer.

        `now` is in seconds; `roots` are all processes that the keeper has started.
        """
        self._is_scan = self._is_time_to_scan(now)
        excess = {root: found for root, one in watched.items() if one.group and (found := self._grouped(one))}
        if all(one.group for one in watched.values()):
            return excess, []  # nothing leaves its group
        trees, strays = self.census.take(roots)
        for root, one in watched.items():
            if one.group is None and (found := self._excess(one, root, trees[root], now)):
                excess[root] = found
        return excess, [stray.pid for stray in strays]

    def _is_time_to_scan(self, now: float) -> bool:
        left = machine_memory()
        fell = self._left.available - left.available > FELL_BYTES or left.shared - self._left.shared > FELL_BYTES
        self._left = MachineMemory(
            left.total, max(left.available, self._left.available), min(left.shared, self._left.shared)
        )  # what comes back slowly is not to hide what is taken slowly
        if not fell and now < self._scanned_s + SCAN_S:
            return False
        self._scanned_s, self._left = now, left
        return True

    def _grouped(self, one: Watched) -> str:
        """Memory and threads the kernel keeps; the rest is read from its files."""
        assert one.group is not None
        pids = one.group.pids()
        usage = Usage(cpu_s=one.group.cpu_s(), processes=len(pids))
        if self._is_scan and (left := self._put_back(one, one.group.threads())):
            return left
        return one.allowance.excess(usage)

    def _excess(self, one: Watched, root: int, tree: list[Process], now: float) -> str:
        usage = Usage(
            sum(process.memory_bytes for process in tree),
            sum(process.cpu_s for process in tree),
            len(tree),
            sum(process.threads for process in tree),
        )
        self._bound(one, tree)
        ever = self.census.ever.get(root, set())
        opened = sum(_open_files(process.pid) for process in tree)
        if self._is_scan or abs(opened - one.opened) > MANY_OPENED:
            one.held, one.opened = holdings(tree, ever, one.user), opened
        threads = [thread for process in tree for thread in _threads(process.pid)] if self._is_scan else []
        if left := self._put_back(one, threads):
            return left
        rough = usage.memory_bytes + one.held.total
        if rough > one.allowance.limits.memory_mb * MB:
            rough = self._counted(one, tree, ever, rough, now)
        return one.allowance.excess(usage._replace(memory_bytes=rough))

    def _counted(self, one: Watched, tree: list[Process], ever: set[int], rough: int, now: float) -> int:
        """The exact count, or the one before while no more than what was left then can
        have been taken.
        """
        left = one.allowance.limits.memory_mb * MB - one.exact_bytes
        if now < one.counted_s + EXACT_S and rough - one.rough_bytes < left:
            return one.exact_bytes
        one.held = holdings(tree, ever, one.user)
        one.exact_bytes, one.rough_bytes, one.counted_s = exact_bytes(tree, one.held), rough, now
        return one.exact_bytes

    def _bound(self, one: Watched, tree: list[Process]) -> None:
        """Limit the threads of what is in a user namespace of its own: there the kernel
        counts them apart.
        """
        for process in tree:
            if process.pid not in one.bounded:
                one.bounded.add(process.pid)
                if COUNTS_BY_NAMESPACE and _has_own_namespace(process.pid):
                    _limit_tasks(process.pid, one.allowance.limits.threads)

    def _put_back(self, one: Watched, threads: Collection[int]) -> str:
        """Put threads back on their core and into their class; "" until it was too
        often.
        """
        left = [thread for thread in threads if self._left_core(thread) | _left_class(thread)]
        one.leavings += bool(left)
        if one.leavings < MOST_LEAVINGS:
            return ""
        return "it left its core or its scheduling class again and again"

    def _left_core(self, thread: int) -> bool:
        with suppress(OSError):
            if self._core is not None and os.sched_getaffinity(thread) != {self._core}:
                os.sched_setaffinity(thread, {self._core})
                return True
        return False


def _left_class(thread: int) -> bool:
    with suppress(OSError):
        if os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK != os.SCHED_BATCH:
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
            return True
    return False


def _open_files(pid: int) -> int:
    """How many files a process has open, which its folder tells as its size; 0 before
    Linux 6.2.
    """
    try:
        return os.stat(f"/proc/{pid}/fd").st_size  # noqa: PTH116 - no pathlib
    except OSError:
        return 0


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - no pathlib
    except OSError:
        return []


def _has_own_namespace(pid: int) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/ns/user") != os.readlink("/proc/self/ns/user")  # noqa: PTH115 - no pathlib
    except OSError:
        return False


def _limit_tasks(pid: int, most: int) -> None:
    import resource

    with suppress(OSError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_NPROC, (most, most))


def _counts_by_namespace() -> bool:
    major, minor, *_ = os.uname().release.split(".")
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= LIMITS_BY_NAMESPACE


COUNTS_BY_NAMESPACE: Final = hasattr(os, "uname") and _counts_by_namespace()
