"""A bot's start up to its hello, by a clock that leaves out waits for its core."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from pips_referee.timing.clock import TICK_US, CoreWait
from pips_referee.timing.standstill import BEAT_S, standstills

MOST_CREDITED: Final = 3
"""At most this many limits are credited, so that a start ends on any busy machine."""
LOOKS: Final = 40
"""Checks during one limit; threads that wait in turn show up in different checks."""

RESTART_S, REFUSED_S = 0.05, 0.5
"""Pause before an ended process restarts, and before one that the machine refused."""
SLOWEST_RESTART_S: Final = 5.0


def restart_delay_s(failures: int) -> float:
    """Seconds before a process is started again, longer after each failure in a row."""
    return min(RESTART_S * 2.0**failures, SLOWEST_RESTART_S)


class StartFailure(NamedTuple):
    """A bot's process that did not reach its hello."""

    process: str
    how: str
    last_output: str
    refused: bool = False
    """The machine refused to start it."""


class CoreTime:
    """How long a core was busy, by the kernel's account."""

    def __init__(self, core: int | None) -> None:
        self._name = f"cpu{core} "

    def busy_us(self) -> int:
        """Return how long the core worked, waited for a disk, or was another machine's.

        In microseconds; 0 if the kernel does not report it.
        """
        try:
            account = Path("/proc/stat").read_text(encoding="ascii")
        except OSError:
            return 0
        for line in account.splitlines():
            if line.startswith(self._name):
                user, nice, system, _, *rest = map(int, line.split()[1:9])
                return TICK_US * (user + nice + system + sum(rest))
        return 0


@dataclass(eq=False, slots=True)
class StartClock:
    """A start's clock, in seconds of monotonic time; `core` is the process's own."""

    limit_s: float
    core: int | None = None
    _began_s: float = 0.0
    _looked_s: float = 0.0
    _core_wait: CoreWait | None = None
    _core_time: CoreTime | None = None
    _busy_us: int = 0

    def begin(self, now: float) -> None:
        """The process has been requested; the core's account begins here."""
        self._began_s = self._looked_s = now
        self._core_time = self._core_time or CoreTime(self.core)
        self._busy_us = self._core_time.busy_us()

    def started(self, pid: int, now: float) -> None:
        """The process exists."""
        self._core_wait = CoreWait(pid)
        self._core_wait.mark(now)

    def stood_still(self, seconds: float) -> None:
        """The whole machine stood still: count the start from that much later."""
        self._began_s += seconds
        self._looked_s += seconds

    async def leave_out_standstills(self) -> None:
        """Watch for standstills of the whole machine, until cancelled."""
        async for seconds in standstills(self._began_s):
            self.stood_still(seconds)

    def is_over(self, now: float) -> bool:
        """Return whether the start took too long, not counting waits for its core."""
        over_s = now - self._began_s - self.limit_s
        if now - self._looked_s > self.limit_s / LOOKS or over_s > 0:
            kept_s, self._looked_s = self.kept_s(now), now
            return over_s > 0 and over_s > min(kept_s, MOST_CREDITED * self.limit_s)
        return False

    def is_starved(self, now: float) -> bool:
        """Return whether a process whose time is over never had its full time."""
        return now - self._began_s - self.kept_s(now) <= self.limit_s

    def kept_s(self, now: float) -> float:
        """Return how long the process could not run: it waited, or others had the core.

        A process may also wait for others that wait for the core, such as the referee.
        So all time that the core works for others is counted.
        """
        if self._core_time is None:
            return 0.0
        waited_us = self._core_wait.credit_us(now) if self._core_wait is not None else 0
        others_us = self._core_time.busy_us() - self._busy_us - (self._core_wait.ran_us if self._core_wait else 0)
        return max(waited_us, others_us) / 1e6


async def is_surely_over(clock: StartClock) -> bool:
    """Whether a start takes too long; a second check leaves out any standstill."""
    if clock.is_over(monotonic()):
        await asyncio.sleep(2 * BEAT_S)
    return clock.is_over(monotonic())
