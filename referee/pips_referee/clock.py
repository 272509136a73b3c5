"""How long a bot may think, and what of the passing time was not its own.

Times are passed in; what is read here is the kernel's ledger of who ran and who waited.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pips.v1 import referee_pb2

SLOW_S: Final = 0.005
"""Only answers that took longer are worth a look into the kernel's ledger."""
NO_LIMIT: Final = 1 << 62
TICK_US: Final = 1_000_000 // os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 10_000


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Limits in microseconds: of one answer, of a seat's whole match, and what every answer adds to the latter."""

    answer_us: int = NO_LIMIT
    bank_us: int = NO_LIMIT
    increment_us: int = 0

    @staticmethod
    def read(message: referee_pb2.Clock) -> TimeControl:
        return TimeControl(
            1000 * message.answer_ms or NO_LIMIT, 1000 * message.bank_ms or NO_LIMIT, 1000 * message.increment_ms
        )

    @property
    def runs(self) -> bool:
        return self.answer_us < NO_LIMIT or self.bank_us < NO_LIMIT


class SeatClock:
    """One seat's time in one match."""

    __slots__ = ("_control", "bank_us", "used_us")

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.bank_us = control.bank_us
        self.used_us = 0
        """What the last answer cost."""

    @property
    def limit_us(self) -> int:
        """The most that the next answer may cost."""
        return min(self._control.answer_us, self.bank_us)

    @property
    def left_ms(self) -> int:
        """The limit as it travels: whole milliseconds, at least 1 while there is any, 0 for no clock."""
        limit = self.limit_us
        return 0 if limit >= NO_LIMIT else max(1, limit // 1000)

    def charge(self, used_us: int) -> bool:
        """Book an answer's cost; whether it was in time."""
        in_time = used_us <= self.limit_us
        self.used_us = used_us
        if self.bank_us < NO_LIMIT:
            self.bank_us = max(0, self.bank_us - used_us) + self._control.increment_us
        return in_time


class Lateness:
    """How late the referee itself may be: how long it has been at work without a pause when it takes a message."""

    PAUSE_S: Final = 0.0001

    __slots__ = ("_since", "_until")

    def __init__(self) -> None:
        self._since = self._until = 0.0

    def begin(self, now: float) -> float:
        """The referee takes a message: the seconds for which it may have lain there unread."""
        if now - self._until > self.PAUSE_S:
            self._since = now
        return now - self._since

    def end(self, now: float) -> None:
        """The message was dealt with."""
        self._until = now


class CoreWait:
    """A bot's wait for the core, over its process and all that it started; one answer at a time.

    The kernel's ledger (`/proc/PID/task/*/schedstat`) tells it exactly. Where the kernel keeps none, every `sample`
    takes a task that can run but did not for one that waited. What the bot's own threads ran is never credited: a bot
    that starts many waits for itself.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._base: dict[str, Task] = {}
        self._now: dict[str, Task] = {}
        self._sampled_s = 0.0
        self._runnable_s = 0.0

    def mark(self, now: float) -> None:
        """From here on; `now` in seconds."""
        self._base = self._now = _tasks(self._pid)
        self._sampled_s, self._runnable_s = now, 0.0

    def sample(self, now: float) -> None:
        """Look again: the time since the last look counts as a wait if a task can run."""
        before, self._now = self._now, _tasks(self._pid)
        if any(task.can_run for task in before.values()):
            self._runnable_s += now - self._sampled_s
        self._sampled_s = now

    def credit_us(self, now: float) -> int:
        """Of the time since the mark, what the bot could not run for reasons that are not its own."""
        self.sample(now)
        changes = [(task, self._base.get(name, _NEW)) for name, task in self._now.items()]
        ran_us = sum([task.ran_us - base.ran_us for task, base in changes])
        waited_us = [
            # While it waited others of its own may have run: that much of its wait was for them.
            task.waited_us - base.waited_us - (ran_us - (task.ran_us - base.ran_us))
            for task, base in changes
            if task.waited_us is not None and base.waited_us is not None
        ]
        if waited_us or not changes:
            return max([0, *waited_us])
        return max(0, round(1e6 * self._runnable_s) - ran_us)


class Task(NamedTuple):
    """One thread as the kernel sees it."""

    ran_us: int
    waited_us: int | None
    """None where the kernel keeps no ledger of waits."""
    can_run: bool


_NEW: Final = Task(0, None, False)
"""A task that was not there at the mark: all that it ran, it ran since."""


def kernel_keeps_ledger() -> bool:
    """Whether this kernel tells how long a task waited for the core."""
    return any(task.waited_us is not None for task in _tasks(os.getpid()).values())


def _tasks(pid: int) -> dict[str, Task]:
    """The tasks of a process and its descendants by their number; empty when it has ended."""
    found: dict[str, Task] = {}
    pids = [str(pid)]
    while pids and len(found) < 4096:
        folder = Path("/proc", pids.pop(), "task")
        try:
            for task in folder.iterdir():
                found[task.name] = _task(task)
                pids += (task / "children").read_text().split()
        except (OSError, ValueError, IndexError):
            continue  # it ended while it was looked at
    return found


def _task(folder: Path) -> Task:
    stat = (folder / "stat").read_text().rpartition(")")[2].split()
    can_run = stat[0] == "R"
    try:
        ran, waited, _ = (folder / "schedstat").read_text().split()
    except OSError:
        return Task((int(stat[11]) + int(stat[12])) * TICK_US, None, can_run)
    return Task(int(ran) // 1000, int(waited) // 1000, can_run)
