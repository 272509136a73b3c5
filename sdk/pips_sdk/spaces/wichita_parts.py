"""Wichita's stacks, card by card: the cards that may come next in a stack.

Sums of cards are bits of a number, so stacks are never enumerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

from pips_referee.cards import ACE, KING
from pips_referee.games.wichita.bags import BITS, DIGIT, ONE, Bag, bases_of

Ranks = tuple[int, ...]
"""A stack or the beginning of one: kings first, then downwards."""


class StackParts:
    """The beginnings of all stacks in a bag for a target (W4)."""

    def __init__(self, held: Bag, target: int) -> None:
        self._kings = held // ONE[KING]
        self._bases = [bases_of(target, used) for used in range(self._kings + 1)]
        self._counts = [0]
        self._below = [1]  # by rank, bit n: some cards up to that rank add up to n
        self._beside = [0]  # the same with one card of that rank left out; 0 if there is none
        made = 1
        for rank in range(ACE, KING):
            count = held >> BITS * (rank - 1) & DIGIT
            self._counts.append(count)
            beside = 0
            for _ in range(count):
                beside = made
                made |= made << rank
            self._beside.append(beside)
            self._below.append(made)

    @cached_property
    def first(self) -> list[int]:
        """The ranks that a stack may begin with, in ascending order."""
        return self._after_kings(0)

    def after(self, begun: Sequence[int]) -> tuple[list[int], bool]:
        """The ranks that may follow this beginning, and whether it is a stack."""
        kings = begun.count(KING)
        if kings == len(begun):
            return self._after_kings(kings), False
        highest, lowest = begun[kings], begun[-1]
        said = sum(begun[kings + 1 :])
        wanted = [rest for base in self._bases[kings] if (rest := abs(highest - base) - said) >= 0]
        if not wanted:
            return [], False
        besides = self._beside[:lowest]  # the beginning uses some cards of the lowest rank
        if (left := self._counts[lowest] - begun.count(lowest)) > 0:
            beside = self._below[lowest - 1]
            for _ in range(left - 1):
                beside |= beside << lowest
            besides.append(beside)
        found = []
        for rank, beside in enumerate(besides):
            for rest in wanted if beside else ():
                if rest >= rank and beside >> rest - rank & 1:
                    found.append(rank)
                    break
        return found, 0 in wanted

    def _after_kings(self, kings: int) -> list[int]:
        found = self._highest(kings)
        if any(self._highest(more) for more in range(kings + 1, self._kings + 1)):
            found.append(KING)
        return found

    def _highest(self, kings: int) -> list[int]:
        """The ranks that can be the highest in a stack with that many kings.

        The other cards make up the difference to a base: they are added or subtracted.
        """
        found = []
        for rank, beside in enumerate(self._beside):
            for base in self._bases[kings] if beside else ():
                if beside >> abs(rank - base) & 1:
                    found.append(rank)
                    break
        return found


@lru_cache(maxsize=256)
def parts_of(held: Bag, target: int) -> StackParts:
    """The parts of a bag's stacks; the latest are cached."""
    return StackParts(held, target)
