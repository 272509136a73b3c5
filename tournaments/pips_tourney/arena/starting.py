"""A bot's way from its start to its hello, on a clock that leaves out what it waited for its core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from pips_referee.clock import CoreWait

MOST_CREDITED: Final = 3
"""So many times the limit is credited at most: a start ends on the busiest of machines."""


class StartFailure(NamedTuple):
    """A bot's process that did not come to its hello."""

    process: str
    how: str
    last_output: str


@dataclass(eq=False, slots=True)
class StartClock:
    """All times in seconds, of one monotonic clock."""

    limit_s: float
    _began_s: float = 0.0
    _core_wait: CoreWait | None = None

    def begin(self, now: float) -> None:
        """The process has been asked for."""
        self._began_s = now

    def started(self, pid: int, now: float) -> None:
        """It is there."""
        self._core_wait = CoreWait(pid)
        self._core_wait.mark(now)

    def is_over(self, now: float) -> bool:
        """Whether it has taken too long, also without its waits; those are looked up only when it matters."""
        over_s = now - self._began_s - self.limit_s
        return over_s > 0 and over_s > min(self._waited_s(now), MOST_CREDITED * self.limit_s)

    def _waited_s(self, now: float) -> float:
        return 0.0 if self._core_wait is None else self._core_wait.credit_us(now) / 1e6
