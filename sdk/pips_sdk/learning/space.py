"""The base class of every game's `Space`."""

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

    An answer is encoded as one number. In Wichita it may take several; `said` has the
    numbers given so far.
    """

    action_count: int
    fields: tuple[ObservedField, ...]
    """The parts of an observation, in order."""

    @cached_property
    def observation_size(self) -> int:
        return sum([field.size for field in self.fields])

    @abstractmethod
    def numbers(self, view: ViewT, said: Sequence[int] = ()) -> Sequence[int]:
        """The legal next numbers."""

    @abstractmethod
    def action(self, view: ViewT, said: Sequence[int]) -> Action | None:
        """The answer that the numbers encode; None if more numbers are needed."""

    @abstractmethod
    def spell(self, view: ViewT, action: Action) -> tuple[int, ...]:
        """The numbers that encode a legal answer; the inverse of `action`."""

    def observe(self, view: ViewT, said: Sequence[int] = ()) -> list[int]:
        """The seat's knowledge, as numbers from 0 up."""
        found = array("i", bytes(4 * self.observation_size))
        self.write(view, said, memoryview(found), 0)
        return found.tolist()

    @abstractmethod
    def write(self, view: ViewT, said: Sequence[int], into: Numbers, at: int) -> None:
        """Write the observation from index `at` on; all these numbers must be 0 before.

        Most stay 0, so this is quicker than a list.
        """


Numbers: TypeAlias = "memoryview[int]"
"""A view of memory with whole numbers, such as that of an `array`."""


def write_counts(cards: Iterable[Card], into: Numbers, at: int) -> None:
    """Count each of the 52 cards, from index `at` on."""
    for card in cards:
        into[at + card] += 1


def write_row(numbers: Sequence[int], into: Numbers, at: int) -> None:
    """Write consecutive numbers from index `at` on; a bool becomes 0 or 1.

    Bytes are not allowed: an array would take them for its memory.
    """
    into[at : at + len(numbers)] = array(into.format, numbers)  # at once, not one by one


def seats_from(seat: int, by_seat: Sequence[T]) -> list[T]:
    """The values by seat, reordered to begin with `seat` and go left."""
    return [*by_seat[seat:], *by_seat[:seat]]
