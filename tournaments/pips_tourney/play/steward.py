"""Looks after a night while it is played.

It notices decisions of the director and of gates, and ends the night on time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Final

from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.night.log.kinds import ADD, DIRECTORS, REDEAL, ROUND, WITHDRAW
from pips_tourney.night.log.store import Store
from pips_tourney.night.plan.stages import Gate
from pips_tourney.reports.tables import gate_lines

POLL_S: Final = 0.25
"""How often the log is read for decisions."""
LONGEST_WAIT_S: Final = 60.0
"""The longest time that bots which join or leave wait for first deals, or a match."""
AT_ONCE: Final = tuple(kind for kind in DIRECTORS if kind not in (ADD, WITHDRAW))
"""The decisions that wait for nobody's first deals and for no long match."""
MOST_BARREN: Final = 5
"""How many sessions in a row may bring no result while matches stay void."""


@dataclass(slots=True)
class Steward:
    """Watches for decisions and for the end of the time.

    `clock` is in seconds. `heard` is whether the director has decided something since
    the last `begin`.
    """

    store: Store
    minutes: float | None = None
    clock: Callable[[], float] = monotonic
    poll_s: float = POLL_S
    heard: bool = False
    in_vain: str = ""
    _known: int = 0
    _results: int = 0
    _barren: int = 0
    _ends_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._ends_at = inf if self.minutes is None else self.clock() + 60 * self.minutes

    @property
    def in_time(self) -> bool:
        return self.clock() < self._ends_at

    def begin(self) -> None:
        """Start anew: treat all decisions so far as known."""
        self.heard, self.in_vain, self._known = False, "", self.store.last(*DIRECTORS, REDEAL)

    async def watch(self, queue: MatchQueue) -> None:
        """Close the queue after a decision.

        When the time is up, let the queue finish its deals. Bots that join or leave
        wait until the first deals of earlier newcomers are over, and long matches.
        """
        waits_until = inf
        while not self.look() or (
            self.store.last(*AT_ONCE) <= self._known and _holds(queue) and self.clock() < waits_until
        ):
            if self.heard:
                waits_until = min(waits_until, self.clock() + LONGEST_WAIT_S)
            elif not self.in_time:
                queue.finish()
            if queue.is_for_first:
                queue.stir()  # a slow newcomer is waited for at times only
            await asyncio.sleep(self.poll_s)
        queue.close()

    async def wait(self) -> None:
        """Wait until the next decision, or until the time is up."""
        while not self.look() and self.in_time:  # noqa: ASYNC110 - another process writes the log
            await asyncio.sleep(self.poll_s)

    def look(self) -> bool:
        """Whether the director has decided something since `begin`."""
        self.heard = self.heard or self.store.last(*DIRECTORS) > self._known
        return self.heard

    def pass_gate(self, tell: Callable[[str], object], gate: Gate) -> None:
        """Print the decision of a gate, and log the round that it has planned."""
        for line in gate_lines(gate):
            tell(line)
        for entry in gate.news():
            self.store.append(ROUND, entry)

    def is_redealt(self, results: int) -> bool:
        """Whether a block was dealt afresh since `begin`, and should be played now.

        `results` counts the results of the run. After `MOST_BARREN` sessions without a
        new result, the block waits for the next run, and `in_vain` says why.
        """
        if self.store.last(REDEAL) <= self._known:
            return False
        self._barren = 0 if results > self._results else self._barren + 1
        self._results = results
        if self._barren < MOST_BARREN:
            return True
        why = self.store.log(REDEAL)[-1].payload["reason"]
        self.in_vain = f"Matches are void again and again: {why}. Fix that, and run the night again"
        return False


def _holds(queue: MatchQueue) -> bool:
    """Whether first deals or long matches are played, for which a newcomer waits."""
    if not queue.is_for_first:
        queue.time.wind_up()
    return queue.is_for_first or queue.time.is_held
