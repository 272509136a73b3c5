"""The time that a machine had: one that shares its cores with others stands still while
they have them.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

import psutil

LOOK_S: Final = 0.25


class Stopwatch:
    """Seconds from its making on, and which of them others took, by the kernel's own
    account (steal).
    """

    def __init__(self) -> None:
        self._looks: list[tuple[float, list[float]]] = []
        self.look()

    def look(self) -> None:
        """To be called again and again; it reads the account no oftener than
        it must.
        """
        now = monotonic()
        if not self._looks or now >= self._looks[-1][0] + LOOK_S:
            self._looks.append((now, [getattr(core, "steal", 0.0) for core in psutil.cpu_times(percpu=True)]))

    def had_s(self) -> float:
        """For how long it runs, without what was taken."""
        return monotonic() - self._looks[0][0] - self.taken_s()

    def taken_s(self) -> float:
        """What was taken from the core of which most was."""
        self.look()
        return max(_taken_s(self._looks[0][1], self._looks[-1][1]))

    def had_at_least_s(self, passed_s: float) -> float:
        """What is left of a time that passed some time since, if it was then that most
        was taken.
        """
        taken_s, first = 0.0, 0
        for last, (now, after) in enumerate(self._looks):
            while self._looks[first][0] < now - passed_s and first < last:
                first += 1
            taken_s = max(taken_s, *_taken_s(self._looks[first][1], after))
        return max(0.0, passed_s - taken_s)


def _taken_s(before: list[float], after: list[float]) -> list[float]:
    """By core; of the counters some round down, and a core may come or go."""
    return [max(0.0, late - early) for early, late in zip(before, after, strict=False)] or [0.0]
