"""Turns of a match, as everybody at the table can count them; what a turn is each
game's `pace.py` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import ClassVar, Protocol

from pips_referee.game import AnyState, Event


class Turns(Protocol):
    """Counts the turns of one match that have passed: what everybody at the table could
    count.
    """

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        """After these events, the next of the match's, when the state asks its next
        question.
        """


def turns_of(game: str) -> Turns:
    """A new count of that game."""
    made: Turns = import_module(f"pips_referee.games.{game}.pace").Count()
    return made


class CountedEvents:
    """The turns of a game in which each event of some kinds is one."""

    KINDS: ClassVar[tuple[type[Event], ...]] = ()

    def __init__(self) -> None:
        self._passed = 0

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        self._passed += sum(isinstance(event, self.KINDS) for event in events)
        return self._passed
