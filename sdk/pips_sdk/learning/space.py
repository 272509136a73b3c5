"""What a game's numbers have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

from pips_referee.cards import Card
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

    @cached_property
    def observation_size(self) -> int:
        return sum([field.size for field in self.fields])

    @abstractmethod
    def numbers(self, view: ViewT, said: Sequence[int] = ()) -> Sequence[int]:
        """The numbers that are legal now."""

    @abstractmethod
    def action(self, view: ViewT, said: Sequence[int]) -> Action | None:
        """The answer that legal numbers spell; None if it needs more of them."""

    @abstractmethod
    def spell(self, view: ViewT, action: Action) -> tuple[int, ...]:
        """The numbers of a legal answer; `action` gives it back."""

    def observe(self, view: ViewT, said: Sequence[int] = ()) -> list[int]:
        """What the seat knows, as numbers from 0 up."""
        found = array("i", bytes(4 * self.observation_size))
        self.write(view, said, memoryview(found), 0)
        return found.tolist()

    @abstractmethod
    def write(self, view: ViewT, said: Sequence[int], into: Numbers, at: int) -> None:
        """Write the same from number `at` on; all these numbers have to be 0 before.

        Most stay 0, so this is quicker than a list.
        """


Numbers: TypeAlias = "memoryview[int]"
"""A view of memory that holds whole numbers, such as those of an `array`."""


def write_counts(cards: Iterable[Card], into: Numbers, at: int) -> None:
    """Count each of the 52 cards, from number `at` on."""
    for card in cards:
        into[at + card] += 1


def write_row(numbers: Sequence[int], into: Numbers, at: int) -> None:
    """Write numbers one after the other, from number `at` on; a bool becomes 0 or 1.

    Not bytes: an array would take them for its memory.
    """
    into[at : at + len(numbers)] = array(into.format, numbers)  # at once, not one by one


def seats_from(seat: int, by_seat: Sequence[T]) -> list[T]:
    """The values by seat, beginning with that seat and going left."""
    return [*by_seat[seat:], *by_seat[:seat]]
