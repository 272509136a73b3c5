"""Turns on a fixed grid of time, so that a silence does not tell whether somebody had a
choice.

What leaves no choice is played at once. So the time until the next question tells
whether an opponent was asked, and with it what lies in its hand. At a paced table every
turn takes one step, forced or chosen. What a turn is each game's `pace.py` says, by
what everybody at the table knows. A bot that takes longer than a step moves the grid by
whole steps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import ceil
from time import monotonic
from typing import Any

from pips_referee.game import AnyState, Event
from pips_referee.turns import Turns

Later = Callable[[float, Callable[[], None]], Any]
"""Call something after so many seconds; what it gives back has a method `cancel`."""


class Pace:
    """One paced table: when its next question is put. Steps in seconds."""

    def __init__(
        self, step_s: float, turns: Turns, clock: Callable[[], float] = monotonic, later: Later | None = None
    ) -> None:
        self._step_s, self._turns, self._clock, self._later = step_s, turns, clock, later
        self._begun: tuple[float, int] | None = None
        """The time of a point of the grid, and how many turns had passed then."""
        self._seen = 0
        self._waiting: Any = None

    def wait(self, log: Sequence[Event], state: AnyState, put: Callable[[], None]) -> None:
        """Call `put` when the turns are over that have passed by now; at once at the
        match's begin.
        """
        passed, self._seen = self._turns.count(log[self._seen :], state), len(log)
        now = self._clock()
        if self._begun is None:
            self._begun = now, passed
        begun_s, before = self._begun
        due_s = begun_s + (passed - before) * self._step_s
        if now > due_s:
            due_s += ceil((now - due_s) / self._step_s) * self._step_s
            self._begun = due_s, passed
        self.stop()
        later = self._later or asyncio.get_running_loop().call_later
        self._waiting = later(due_s - now, put)

    def stop(self) -> None:
        """Nothing is put any more that was to be."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
