"""A turn of an OpenSpiel game: each event that all seats see."""

from __future__ import annotations

from collections.abc import Sequence

from pips_referee.game import AnyState, Event
from pips_referee.openspiel.values import SpielChance, SpielMoved
from pips_referee.turns import CountedEvents


class Count(CountedEvents):
    def count(self, events: Sequence[Event], state: AnyState) -> int:
        open_to_all = [each for each in events if isinstance(each, (SpielChance, SpielMoved)) and not each.hidden]
        return super().count(open_to_all, state)
