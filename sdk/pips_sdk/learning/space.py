"""What a game's numbers have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from pips_referee.cards import CARDS, Card
from pips_referee.game import Action, View
from pips_sdk.learning.fields import ObservedField

ViewT = TypeVar("ViewT", bound=View)
T = TypeVar("T")


class Space(ABC, Generic[ViewT]):
    """The actions and observations of a game with these options and seats.

    An answer is spelt by one number. In Wichita it may take several: `said` are those
    of the answer that have been given.
    """

    action_count: int
    fields: tuple[ObservedField, ...]
    """The parts of an observation, in order."""

    @property
    def observation_size(self) -> int:
        return sum(field.size for field in self.fields)

    @abstractmethod
    def numbers(self, view: ViewT, said: Sequence[int] = ()) -> Sequence[int]:
        """The numbers that are legal now."""

    @abstractmethod
    def action(self, view: ViewT, said: Sequence[int]) -> Action | None:
        """The answer that legal numbers spell; None if it needs more of them."""

    @abstractmethod
    def spell(self, view: ViewT, action: Action) -> tuple[int, ...]:
        """The numbers of a legal answer; `action` gives it back."""

    @abstractmethod
    def observe(self, view: ViewT, said: Sequence[int] = ()) -> list[int]:
        """What the seat knows, as numbers from 0 up."""


def counts(cards: Iterable[Card]) -> list[int]:
    """The number of each of the 52 cards."""
    found = [0] * len(CARDS)
    for card in cards:
        found[card] += 1
    return found


def seats_from(seat: int, by_seat: Sequence[T]) -> list[T]:
    """The values by seat, beginning with that seat and going left."""
    return [*by_seat[seat:], *by_seat[:seat]]
