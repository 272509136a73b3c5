"""What waits for first deals, and for how long."""

from __future__ import annotations

import asyncio
from itertools import count
from unittest.mock import Mock

import pytest

from pips_tourney.night.log.kinds import ADD, PAUSE, WITHDRAW
from pips_tourney.play.steward import LONGEST_WAIT_S, Steward


class Desk:
    """A log with one decision at a time, a queue in its first deals, and a clock."""

    def __init__(self, kind: str, at_s: float, over_s: float) -> None:
        self.now_s = 0.0
        self.queue = Mock(is_for_first=True, time=Mock(is_held=False))
        self.queue.stir.side_effect = lambda: setattr(self.queue, "is_for_first", self.now_s < over_s)
        self._kind, self._at_s, self._seconds = kind, at_s, count(0.0)

    def last(self, *kinds: str) -> int:
        return int(self._kind in kinds and self.now_s >= self._at_s)

    def clock(self) -> float:
        self.now_s = next(self._seconds)
        return self.now_s

    async def close_s(self) -> float:
        """When the queue is closed."""
        await asyncio.wait_for(Steward(self, clock=self.clock, poll_s=0).watch(self.queue), 10)  # type: ignore[arg-type]
        self.queue.close.assert_called_once_with()
        return self.now_s


@pytest.mark.parametrize("kind", [ADD, WITHDRAW])
async def test_who_joins_or_leaves_waits_for_first_deals_but_not_for_ever(kind: str) -> None:
    assert 30 <= await Desk(kind, at_s=5, over_s=30).close_s() <= 33
    assert LONGEST_WAIT_S <= await Desk(kind, at_s=5, over_s=10**6).close_s() <= LONGEST_WAIT_S + 9
    assert await Desk(kind, at_s=5, over_s=0).close_s() <= 8


async def test_a_break_waits_for_nobody_and_tables_are_asked_again_meanwhile() -> None:
    desk = Desk(PAUSE, at_s=20, over_s=10**6)
    assert await desk.close_s() <= 23
    assert desk.queue.stir.call_count >= 8, "a slow newcomer is waited for at times only"


async def test_who_joins_waits_for_a_long_match_while_others_play() -> None:
    desk = Desk(ADD, at_s=5, over_s=0)
    desk.queue.time.wind_up.side_effect = lambda: setattr(desk.queue.time, "is_held", desk.now_s < 30)
    assert 30 <= await desk.close_s() <= 33
    assert desk.queue.time.wind_up.called, "no slow bot begins a match that would hold it up again"
