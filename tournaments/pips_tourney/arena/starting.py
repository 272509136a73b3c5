"""A bot's way from its start to its hello, on a clock that leaves out what it was kept
from its core.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pips_referee.clock import TICK_US, CoreWait

MOST_CREDITED: Final = 3
"""So many times the limit is credited at most: a start ends on the busiest
of machines.
"""
LOOKS: Final = 40
"""Looks at a start that takes its whole limit: threads that wait one after the other
are seen in different ones.
"""


class StartFailure(NamedTuple):
    """A bot's process that did not come to its hello."""

    process: str
    how: str
    last_output: str
    refused: bool = False
    """It was the machine that would not let it start."""


class CoreTime:
    """What a core did for others than one process, by the kernel's account
    of the core.
    """

    def __init__(self, core: int | None) -> None:
        self._name = f"cpu{core} "

    def busy_us(self) -> int:
        """For how long the core was at work, waited for a disk, or was another
        machine's. 0 where it is not told.
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
    """All times in seconds, of one monotonic clock. `core` is the one that the process
    stays on.
    """

    limit_s: float
    core: int | None = None
    _began_s: float = 0.0
    _looked_s: float = 0.0
    _core_wait: CoreWait | None = None
    _core_time: CoreTime | None = None
    _busy_us: int = 0

    def begin(self, now: float) -> None:
        """The process has been asked for."""
        self._began_s = self._looked_s = now

    def started(self, pid: int, now: float) -> None:
        """It is there."""
        self._core_wait, self._core_time = CoreWait(pid), CoreTime(self.core)
        self._core_wait.mark(now)
        self._busy_us = self._core_time.busy_us()

    def is_over(self, now: float) -> bool:
        """Whether it has taken too long, also without what it was kept from
        its core.
        """
        over_s = now - self._began_s - self.limit_s
        if now - self._looked_s > self.limit_s / LOOKS or over_s > 0:
            kept_s, self._looked_s = self.kept_s(now), now
            return over_s > 0 and over_s > min(kept_s, MOST_CREDITED * self.limit_s)
        return False

    def is_starved(self, now: float) -> bool:
        """Of one that is over: whether it never had its time."""
        return now - self._began_s - self.kept_s(now) <= self.limit_s

    def kept_s(self, now: float) -> float:
        """For how long it could not run: it waited for the core, or the core did the
        work of others.

        A process may also wait for others that wait for the core, as for the referee:
        as long as the core is not idle, it cannot be said that nothing kept it.
        """
        if self._core_wait is None or self._core_time is None:
            return 0.0
        waited_us = self._core_wait.credit_us(now)
        others_us = self._core_time.busy_us() - self._busy_us - self._core_wait.ran_us
        return max(waited_us, others_us) / 1e6
