"""Turns of a match, as everybody at the table can count them.

A game's `pace.py` defines its turns. Without one every event is a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from pips_referee.game import AnyState, Event
from pips_referee.installed import package_of, part_in


class Turns(Protocol):
    """Counts the turns of one match that have passed, as all at the table could."""

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        """The turns passed after these events, at the state's next question.

        `events` are the next of the match's.
        """


def turns_of(game: str) -> Turns:
    """A new count for that game."""
    pace = part_in(package_of(game), "pace")
    made: Turns = CountedEvents() if pace is None else pace.Count()
    return made


class CountedEvents:
    """The turns of a game in which each event of certain kinds is one turn."""

    KINDS: ClassVar[tuple[type[Event], ...]] = (Event,)

    def __init__(self) -> None:
        self._passed = 0

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        self._passed += sum(isinstance(event, self.KINDS) for event in events)
        return self._passed
