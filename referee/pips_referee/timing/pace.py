"""Turns on a fixed grid of time, so that silence does not show who had a choice.

A forced answer is played at once. So the time until the next question shows whether an
opponent was asked, which may reveal its hand. At a paced table every turn takes one
step, forced or not. Each game's `pace.py` defines a turn by what everybody at the table
knows. A bot that takes longer than a step moves the grid by whole steps.
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
"""Calls a function after that many seconds; the result has a method `cancel`."""


class Pace:
    """The times at which one paced table puts its questions. Steps in seconds."""

    def __init__(
        self, step_s: float, turns: Turns, clock: Callable[[], float] = monotonic, later: Later | None = None
    ) -> None:
        self._step_s, self._turns, self._clock, self._later = step_s, turns, clock, later
        self._begun: tuple[float, int] | None = None
        """A point of the grid: its time, and the number of turns passed by then."""
        self._seen = 0
        self._waiting: Any = None

    def wait(self, log: Sequence[Event], state: AnyState, put: Callable[[], None]) -> None:
        """Call `put` when the turns passed so far have had their time.

        At the beginning of the match it is called at once.
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
        """Cancel the pending question."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
