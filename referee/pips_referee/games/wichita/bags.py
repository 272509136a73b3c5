"""Wichita's cards, counted: a bag is the number of cards of each rank.

Suits never matter (W4.2). A `Bag` is an int with seven bits for every rank, aces lowest
and kings highest. The top bit of each rank stays free. Subtraction takes one bag out of
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pips_referee.cards import ACE, CARDS, KING, Card

Bag = int
BITS: Final = 7
ONE: Final[tuple[Bag, ...]] = (0, *(1 << BITS * (rank - 1) for rank in range(1, KING + 1)))
"""One card of each rank; index 0 is an empty bag."""
BAG_OF: Final = tuple(ONE[card.rank] for card in CARDS)
PLACES: Final = range(0, BITS * KING, BITS)
"""The bit positions of the ranks in a bag, from ace to king."""
NO_KINGS: Final = ONE[KING] - 1
GUARD: Final = sum(ONE) << (BITS - 1)
"""The free bits: `part` is in `bag` if `(bag | GUARD) - part` keeps them all."""
FILLED: Final = GUARD - sum(ONE)
"""`bag + FILLED` sets the free bit of every rank that is in the bag."""
DIGIT: Final = (1 << BITS) - 1


def bag_of(hand: Iterable[Card]) -> Bag:
    return sum([BAG_OF[card] for card in hand])


def ranks_of(bag: Bag) -> list[int]:
    """The ranks in a bag, highest first."""
    ranks = [KING] * (bag // ONE[KING])
    while rank := highest_of(bag):
        ranks.append(rank)
        bag -= ONE[rank]
    return ranks


def highest_of(bag: Bag) -> int:
    """The highest rank in the bag below the kings, 0 if it has none."""
    return ((bag & NO_KINGS).bit_length() + BITS - 1) // BITS


def cost(bag: Bag, prices: Sequence[float]) -> float:
    """The price of a bag, with `prices` by rank from ace to king."""
    total = 0.0
    while bag:
        at = (bag.bit_length() - 1) // BITS
        count = bag >> PLACES[at]
        total += count * prices[at]
        bag -= count << PLACES[at]
    return total


def bases_of(target: int, kings: int) -> tuple[int, ...]:
    """The sums that the other cards may make: the kings halve or double it (W4.4)."""
    if kings and not target & (1 << kings) - 1:
        return target << kings, target >> kings
    return (target << kings,)


def stacks_in(held: Bag, target: int) -> Iterator[Bag]:
    """Every legal stack in the bag, once (W4)."""
    kings = held // ONE[KING]
    counts = [(rank, count) for rank in range(ACE, KING) if (count := held >> BITS * (rank - 1) & DIGIT)]
    sums = _sums(counts)
    known: dict[tuple[int, int], list[Bag]] = {}

    def ways(kinds: int, total: int) -> list[Bag]:
        """The bags with that total from the `kinds` lowest ranks; there are some."""
        while counts[kinds - 1][0] > total:  # that rank is too high for any of them
            kinds -= 1
        bags = known.get((kinds, total))
        if bags is None:
            rank, count = counts[kinds - 1]
            made, more = sums[kinds - 1], 0
            bags = ways(kinds - 1, total) if made >> total & 1 else []
            for rest in range(total - rank, max(total - rank * count, 0) - 1, -rank):
                more += ONE[rank]
                if not rest:
                    bags = [*bags, more]
                elif made >> rest & 1:
                    bags = bags + [bag + more for bag in ways(kinds - 1, rest)]
            known[kinds, total] = bags
        return bags

    kinds, made = len(counts), sums[-1]
    for used in range(kings + 1):
        bases = bases_of(target, used)
        for base in bases:
            if made >> base & 1:
                for bag in ways(kinds, base):
                    yield bag + used * ONE[KING]
            for highest, _ in counts:
                # Twice the highest less the base may be a base, which has the same sum.
                if highest > base and made >> highest - base & 1 and 2 * highest - base not in bases:
                    for bag in ways(kinds, highest - base):
                        yield bag + ONE[highest] + used * ONE[KING]


def _sums(counts: Iterable[tuple[int, int]]) -> list[int]:
    """By number of lowest ranks, the totals that their cards can make: bit n for n."""
    sums = [1]
    for rank, count in counts:
        made = sums[-1]
        for _ in range(count):
            made |= made << rank
        sums.append(made)
    return sums
