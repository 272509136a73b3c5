"""How long a bot may think, and which time was not its own.

Callers pass the times in. This module reads the kernel's ledger of running and waiting
times.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

from pips.v1 import referee_pb2

SLOW_US: Final = 5_000
"""Quicker answers are not looked up in the kernel's ledger."""
WATCH_S: Final = 0.01
"""Interval of the deadline checks, in seconds. An answer late in between stays late."""
LOOK_S: Final = 0.05
"""Interval of the looks at a bot's waits during a slow answer, in seconds."""
NO_LIMIT: Final = 1 << 62
LONGEST_LIMITS: Final = 10
LONGEST_LEAST_US: Final = 10_000_000
"""The least default of `longest_us`, which is ten times the limit.

A bot is credited for its waits for the core. Without this bound it could prolong them.
"""
TICK_US: Final = 1_000_000 // os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 10_000


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The limits of one answer and of a whole match, in microseconds.

    Each answer adds an increment to the match's remaining time. `longest_us` is the
    most wall-clock time for one answer, credited time included; 0 means ten times the
    answer's limit, at least 10 s.
    """

    answer_us: int = NO_LIMIT
    bank_us: int = NO_LIMIT
    increment_us: int = 0
    longest_us: int = 0

    @staticmethod
    def read(message: referee_pb2.Clock) -> TimeControl:
        return TimeControl(
            1000 * message.answer_ms or NO_LIMIT,
            1000 * message.bank_ms or NO_LIMIT,
            1000 * message.increment_ms,
            1000 * message.longest_ms,
        )

    @property
    def runs(self) -> bool:
        return self.answer_us < NO_LIMIT or self.bank_us < NO_LIMIT


class SeatClock:
    """One seat's time in one match."""

    __slots__ = ("_control", "bank_us", "left_ms", "limit_us", "longest_us", "used_us")

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.bank_us = control.bank_us
        self.used_us = 0
        """The cost of the last answer."""
        self._set_limit()

    def _set_limit(self) -> None:
        self.limit_us = limit = min(self._control.answer_us, self.bank_us)
        """The most bot time that the next answer may cost."""
        self.longest_us = self._control.longest_us or (
            NO_LIMIT if limit >= NO_LIMIT else max(LONGEST_LEAST_US, LONGEST_LIMITS * limit)
        )
        """The most wall-clock time for the next answer."""
        self.left_ms = 0 if limit >= NO_LIMIT else max(1, limit // 1000)
        """The limit in whole milliseconds, as sent: at least 1; 0 means no clock."""

    def charge(self, used_us: int) -> bool:
        """Charge an answer's cost; return whether it was in time."""
        in_time = used_us <= self.limit_us
        self.used_us = used_us
        if self.bank_us < NO_LIMIT:
            self.bank_us = max(0, self.bank_us - used_us) + self._control.increment_us
            self._set_limit()
        return in_time


class Lateness:
    """How late the referee itself may be when it takes a message.

    It may have been at work on another message, or waiting for its core. Nobody knows
    when a message arrived. But the clocks tick every `period_s`, so a late tick shows
    how long nothing was read. The kernel's ledger adds the waits of the referee's
    threads for the core since the tick before last. A message passes through these
    threads in turn. Several may wait at the same time, but they never wait longer than
    that period.
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._ticked_s: float | None = None
        self._ticked_before_s = 0.0
        self._late_s = 0.0
        self._waits = OwnWaits()
        self._waited_us = (0, 0)

    def tick(self, now: float) -> float:
        """Record a check of the clocks at `now` (seconds); return its lateness."""
        self._late_s = self._overdue_s(now)
        self._ticked_before_s = now if self._ticked_s is None else self._ticked_s
        self._ticked_s = now
        self._waited_us = (self._waited_us[1], self._waits.look(refresh=True))
        return self._late_s

    def late_s(self, now: float) -> float:
        """How long a message read now may have waited unread, in seconds."""
        if self._ticked_s is None:
            return 0.0
        waited_s = (self._waits.look() - self._waited_us[0]) / 1e6
        return max(self._late_s + self._overdue_s(now), min(waited_s, now - self._ticked_before_s))

    def close(self) -> None:
        """Close the ledger's files; no tick follows."""
        self._waits.close()

    def _overdue_s(self, now: float) -> float:
        return 0.0 if self._ticked_s is None else max(0.0, now - self._ticked_s - self._period_s)


class OwnWaits:
    """This process's waits for the core, summed over its threads.

    The ledger's files stay open between looks.
    """

    REFRESH: Final = 64
    """New threads are searched for every this many looks."""

    def __init__(self) -> None:
        self._files: dict[str, int] = {}
        self._gone_us = 0
        self._seen_us: dict[str, int] = {}
        self._looks = 0

    def look(self, *, refresh: bool = False) -> int:
        """Microseconds waited since some fixed time; never decreases.

        0 if the kernel keeps no ledger.
        """
        if refresh:
            if self._looks % self.REFRESH == 0:
                self._find_threads()
            self._looks += 1
        for name, file in list(self._files.items()):
            try:
                self._seen_us[name] = int(os.pread(file, 64, 0).split()[1]) // 1000
            except (OSError, IndexError):  # the thread has ended
                self._gone_us += self._seen_us.pop(name, 0)
                os.close(self._files.pop(name))
        return self._gone_us + sum(self._seen_us.values())

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            os.close(file)
        self._files.clear()

    def _find_threads(self) -> None:
        folder = "/proc/self/task"
        with suppress(OSError):
            for name in os.listdir(folder):  # noqa: PTH208 - a quarter of the price of paths
                if name not in self._files:
                    with suppress(OSError):
                        self._files[name] = os.open(f"{folder}/{name}/schedstat", os.O_RDONLY | os.O_CLOEXEC)


class CoreWait:
    """How long a bot waited for the core: its process and all descendants.

    It measures one answer at a time. The kernel's ledger (`/proc/PID/task/*/schedstat`)
    has the exact figure. If the kernel keeps none, a task that could run but did not
    counts as waiting from one `sample` to the next. Time in which the bot's own threads
    ran is never credited: a bot with many threads waits for itself. If a process is new
    at a look, others may have come and gone before it, so nothing is credited since the
    previous look.

    No ledger includes the time for which the machine was halted, as happens when it
    shares its cores with others. A process's first thread does the thinking, and the
    kernel says whether it slept. If not, it was halted for as long as it neither ran
    nor waited.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seen: dict[str, Task] = {}
        self._looked_s = 0.0
        self._lost_us = 0
        self._ahead_us: dict[str, int] = {}
        """By task, credited time that its ledger does not show yet."""
        self._seen_us = self._whole_us = 0
        """Running time of living threads since the mark, and of processes before it."""
        self.ran_us = 0
        """Running time from the mark to the last look, ended tasks included.

        All of it is charged, whatever else waited.
        """

    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        try:
            state = _read(f"/proc/{self._pid}/stat").rpartition(")")[2].split()[0]
        except OSError:
            return False
        return state not in "ZX"

    def mark(self, now: float) -> None:
        """Start to measure; `now` in seconds."""
        self._seen, self._looked_s = _tasks(self._pid), now
        self._ahead_us.clear()
        self._begin()

    def mark_again(self, now: float) -> bool:
        """Start to measure, reusing the look just taken.

        False, with no mark, if the last look was not at `now`.
        """
        if now != self._looked_s:
            return False
        self._begin()
        return True

    def _begin(self) -> None:
        self._lost_us = self.ran_us = self._seen_us = 0
        self._whole_us = sum(_whole(self._seen))

    def sample(self, now: float) -> None:
        """Take another look if it is time; with a ledger, intervals are longer."""
        if now - self._looked_s >= LOOK_S or any(task.waited_us is None for task in self._seen.values()):
            self._look(now)

    def credit_us(self, now: float) -> int:
        """Time since the mark in which the bot could not run, without its doing.

        In each interval between looks, only the longest wait of a thread counts. The
        sum over all threads would be too much, because threads unrelated to the
        question wait too. Threads that wait for each other in turn do so in different
        intervals.
        """
        self._look(now)
        return max(0, self._lost_us)

    def _look(self, now: float) -> None:
        before, self._seen = self._seen, _tasks(self._pid)
        passed_us = round(1e6 * (now - self._looked_s))
        self._looked_s = now
        changes = [(name, before.get(name, _NEW), task) for name, task in self._seen.items()]
        ran_us = sum([task.ran_us - base.ran_us for _, base, task in changes])
        self._seen_us += ran_us
        whole = _whole(self._seen)
        rounded_us = 2 * TICK_US * (1 + len(whole))  # the kernel counts in ticks
        self.ran_us = max(self._seen_us, sum(whole) - self._whole_us - rounded_us)
        if any(task.whole_us is not None and base is _NEW for _, base, task in changes):
            return
        if any(task.waited_us is None for task in self._seen.values()):
            # The kernel counts a task's running time in ticks, which may be longer than
            # the time between two looks.
            self._lost_us += (passed_us if any(task.can_run for task in before.values()) else 0) - ran_us
        else:  # While a thread waited, others of the bot may have run: so much of its wait was for them.
            lost_us = [
                self._lost_of(name, base, task, passed_us) - (ran_us - task.ran_us + base.ran_us)
                for name, base, task in changes
            ]
            self._lost_us += max([0, *lost_us])

    def _lost_of(self, name: str, base: Task, task: Task, passed_us: int) -> int:
        """How long a task waited for the core during `passed_us`.

        If it never slept, that is all the time in which it did not run.
        """
        if base.waited_us is None or task.waited_us is None:
            return 0
        waited_us, ahead_us = task.waited_us - base.waited_us, self._ahead_us.pop(name, 0)
        if base.can_run and base.sleeps is not None and base.sleeps == task.sleeps:
            lost_us = passed_us - (task.ran_us - base.ran_us)
            self._ahead_us[name] = max(0, ahead_us + lost_us - waited_us)
            return lost_us
        return max(0, waited_us - ahead_us)


class Task(NamedTuple):
    """One thread's figures from the kernel."""

    ran_us: int
    waited_us: int | None
    """Time waited; None if the kernel keeps no ledger of waits."""
    can_run: bool
    """Known only without a ledger, and for a process's first thread."""
    sleeps: int | None = None
    """How often it gave up the core voluntarily; known only for a first thread."""
    whole_us: int | None = None
    """Running time of its process, ended threads included; only for a first thread."""


_NEW: Final = Task(0, None, False)
"""The figures at the mark of a later task: all of its running time counts."""


def kernel_keeps_ledger() -> bool:
    """Whether this kernel records how long a task waited for the core."""
    return any(task.waited_us is not None for task in _tasks(os.getpid()).values())


def _whole(tasks: Mapping[str, Task]) -> list[int]:
    """The running time of each process, with that of children it has waited for."""
    return [task.whole_us for task in tasks.values() if task.whole_us is not None]


def _tasks(pid: int) -> dict[str, Task]:
    """The tasks of a process and its descendants, by number; empty if it has ended."""
    found: dict[str, Task] = {}
    pids = [str(pid)]
    while pids and len(found) < 4096:
        first = pids.pop()
        folder = f"/proc/{first}/task"
        try:
            for name in os.listdir(folder):  # noqa: PTH208 - four times as fast as paths
                found[name] = _task(f"{folder}/{name}", is_first=name == first)
                pids += _read(f"{folder}/{name}/children").split()
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
    return found


def _task(folder: str, *, is_first: bool = False) -> Task:
    whole_us = None
    if is_first:
        whole = _read(f"{folder}/../../stat").rpartition(")")[2].split()[11:15]
        whole_us = sum(map(int, whole)) * TICK_US
    try:
        ran, waited, _ = _read(f"{folder}/schedstat").split()
    except OSError:
        stat = _read(f"{folder}/stat").rpartition(")")[2].split()
        return Task((int(stat[11]) + int(stat[12])) * TICK_US, None, stat[0] == "R", whole_us=whole_us)
    if not is_first:
        return Task(int(ran) // 1000, int(waited) // 1000, False)
    status = _read(f"{folder}/status")
    sleeps = status.rpartition("\nvoluntary_ctxt_switches:")[2].split()[0]
    return Task(int(ran) // 1000, int(waited) // 1000, "\nState:\tR" in status, int(sleeps), whole_us)


def _read(path: str) -> str:
    """Read a small file of the kernel with three system calls."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, 1 << 16).decode(errors="replace")
    finally:
        os.close(file)
