"""Turns of a match, counted by what everybody at the table knows.

A game's `pace.py` defines its turns. Without one every event is a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from pips_referee.game import AnyState, Event
from pips_referee.installed import package_of, part_in


class Turns(Protocol):
    """Counts the turns of one match, as everybody at the table could."""

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        """The number of turns before the state's next question.

        `events` are the match's events since the last call.
        """


def turns_of(game: str) -> Turns:
    """A new counter for that game."""
    pace = part_in(package_of(game), "pace")
    made: Turns = CountedEvents() if pace is None else pace.Count()
    return made


class CountedEvents:
    """Counts each event of certain kinds as one turn."""

    KINDS: ClassVar[tuple[type[Event], ...]] = (Event,)

    def __init__(self) -> None:
        self._passed = 0

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        self._passed += sum(isinstance(event, self.KINDS) for event in events)
        return self._passed
