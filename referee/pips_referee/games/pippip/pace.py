"""A turn of Pip-Pip!: every card, and every chance to call.

A chance counts even if the seat has nothing to call. Everybody knows how many chances
follow a card (P7, P13), but not who is asked because of a king and queen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from pips_referee.game import AnyState, Event
from pips_referee.games.pippip.rules import PippipState
from pips_referee.games.pippip.values import FOSDICK, Called, Dealt, Drew, Played


class Count:
    """Counts the cards and chances that have passed."""

    def __init__(self) -> None:
        self._opened = 0
        """How many turns have passed once the windows now open are over."""
        self._left = 0
        """`windows_left` at the last question."""

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        assert isinstance(state, PippipState)
        for event, following in zip_longest(events, events[1:]):
            if isinstance(event, Dealt):
                self._opened += state.seats
            elif isinstance(event, Played):
                drew = isinstance(following, Drew)
                self._opened += 1 + (state.after_draw if drew else state.after_card)
            elif isinstance(event, Called) and state.windows == FOSDICK:
                self._opened += state.seats - self._left  # P13: all others get another chance
        self._left = state.windows_left
        return self._opened - self._left
