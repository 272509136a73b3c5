"""The most points that one lay-down of Wichita can make: an exact search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from pips_referee.cards import KING, Card
from pips_referee.game import Value
from pips_referee.games.wichita.bags import (
    DIGIT,
    FILLED,
    GUARD,
    ONE,
    PLACES,
    Bag,
    bag_of,
    cost,
    highest_of,
    ranks_of,
    stacks_in,
)
from pips_referee.games.wichita.stacks import highest_fits, name_cards

TINY: Final = 1e-9
MARGIN: Final = 1e-6
"""`TINY` exceeds the rounding error of a price, `MARGIN` that of a search's sums.

Both are far below any real difference.
"""
FEW, SOME = 5, 40
"""The most stacks containing no other, and the most in all, to try in every number."""


class Layout(Value):
    """Stacks to lay down in one action, and the points they bring at once.

    The points are those of W5, and of W6 if the stacks empty the hand.
    """

    points: int
    stacks: tuple[tuple[Card, ...], ...]

    def __iter__(self) -> Iterator[tuple[Card, ...]]:
        """Its stacks."""
        return iter(self.stacks)

    def __len__(self) -> int:
        return len(self.stacks)


def best_layout(hand: Sequence[Card], dice: tuple[int, int], bonus: bool = True) -> Layout:
    """The stacks of one lay-down with the most points; exact.

    `bonus`: whether emptying the hand earns a card of the stock (W6), that is, whether
    the stock has a card. Among equal layouts one that empties the hand is preferred,
    because another turn follows.

    A few stacks are tried in every number. If there are more, every rank gets a price
    such that no stack costs less than it is worth. Then no layout makes more points
    than the complete hand costs. A search for `points` may waste no more than the
    difference, on cards left over or on stacks that cost more than their worth. The
    lowest such prices are the dual of a small linear programme. With them the bound is
    nearly always reached at once, and hardly any stack is tried in vain.
    """
    if isinstance(dice, int):
        raise TypeError(f"best_layout(hand, dice) takes the two dice, such as view.dice, not their sum {dice}")
    points, laid = _best(bag_of(hand), dice, bonus)
    return Layout(points, name_cards(hand, map(ranks_of, laid)))


def _best(held: Bag, dice: tuple[int, int], bonus: bool) -> tuple[int, list[Bag]]:
    """`best_layout` with bags."""
    pair, stacks = ONE[dice[0]] + ONE[dice[1]], _stacks(held, dice[0] + dice[1])
    if not stacks:
        return 0, []
    smallest = _smallest(stacks)
    search = None
    if len(smallest) <= FEW and len(stacks) <= SOME:
        points, laid = _most(held, [(stack, _worth(stack, pair)) for stack in smallest[::-1]])
        slack = float(points)
    else:
        search, slack = _priced(held, pair, stacks, smallest)
        points, laid = _searched(search, smallest, slack)
    if not bonus or not _covers(stacks, held):
        return points, laid
    if search is None:
        search = _Search(held, pair, FREE, dict.fromkeys(stacks, 0.0))
    if less := search.find(stacks, points - 1, slack - points + 1, empty=True):
        more = search.find(stacks, points, slack - points, empty=True)
        laid = more or less
        points += more is not None
    return points, laid


def _priced(held: Bag, pair: Bag, stacks: Sequence[Bag], smallest: list[Bag]) -> tuple[_Search, float]:
    """A search with the lowest prices, and the price of the hand."""
    prices = _prices(held, smallest, pair)
    wastes = {stack: cost(stack, prices) - _worth(stack, pair) for stack in stacks}
    return _Search(held, pair, prices, wastes), cost(held, prices) + MARGIN


def _searched(search: _Search, smallest: list[Bag], slack: float) -> tuple[int, list[Bag]]:
    """The most points, and stacks that bring them."""
    points = int(slack)
    while (laid := search.find(smallest, points, slack - points)) is None:
        points -= 1
    return points, laid


def empties(hand: Sequence[Card], dice: tuple[int, int]) -> bool:
    """Whether the best layout empties the hand; quick if some card fits no stack."""
    if hand and not highest_fits(hand, dice[0] + dice[1]):
        return False
    held = bag_of(hand)
    if not _covers(_stacks(held, dice[0] + dice[1]), held):
        return False
    return sum(_best(held, dice, bonus=True)[1]) == held


@lru_cache(2)
def _stacks(held: Bag, target: int) -> tuple[Bag, ...]:
    """`stacks_in`, cached: a turn asks about the same hand several times."""
    return tuple(stacks_in(held, target))


def _covers(stacks: Iterable[Bag], held: Bag) -> bool:
    """Whether every rank of the hand is in some stack: otherwise nothing empties it."""
    covered = 0
    for stack in stacks:
        covered |= stack
    return not (held + FILLED & GUARD) & ~(covered + FILLED)


def _most(held: Bag, stacks: Sequence[tuple[Bag, int]]) -> tuple[int, list[Bag]]:
    """The most points from these stacks, each with its worth, and the stacks used.

    It tries every number of every stack, beginning with as many as possible.
    """
    if not stacks:
        return 0, []
    (stack, worth), rest = stacks[0], stacks[1:]
    times = 0
    while (held | GUARD) - stack & GUARD == GUARD:
        held -= stack
        times += 1
    best, laid = _most(held, rest)
    best += times * worth
    laid = [stack] * times + laid
    while times:
        held += stack
        times -= 1
        points, others = _most(held, rest)
        if points + times * worth > best:
            best, laid = points + times * worth, [stack] * times + others
    return best, laid


def _smallest(stacks: Iterable[Bag]) -> list[Bag]:
    """The stacks that contain no other: enough unless the hand must be emptied."""
    smallest: list[Bag] = []
    for stack in sorted(stacks):  # a bag is a larger number than every bag in it
        room = stack | GUARD
        for part in smallest:
            if room - part & GUARD == GUARD:
                break
        else:
            smallest.append(stack)
    return smallest


Prices = list[float]
"""The price of a card of each rank, from ace to king."""
FREE: Final[Prices] = [0.0] * KING


def _prices(held: Bag, stacks: list[Bag], pair: Bag) -> Prices:
    """The prices at which no stack costs less than its worth and the hand costs least.

    The simplex method solves the dual: how many of each stack, fractions included,
    bring the most points. It starts with no stacks; Bland's rule keeps it from cycling.
    """
    ranks = [at for at, place in enumerate(PLACES) if held >> place & DIGIT]
    columns = (*stacks, *[ONE[at + 1] for at in ranks], held)
    rows = [[float(bag >> place & DIGIT) for bag in columns] for place in [PLACES[at] for at in ranks]]
    gains = [-float(_worth(stack, pair)) for stack in stacks] + [0.0] * (len(ranks) + 1)
    basis = list(range(len(stacks), len(stacks) + len(ranks)))
    while (enters := next((column for column, gain in enumerate(gains) if gain < -TINY), None)) is not None:
        _, _, leaves = min((row[-1] / row[enters], basis[at], at) for at, row in enumerate(rows) if row[enters] > TINY)
        basis[leaves] = enters
        pivot = rows[leaves][enters]
        chosen = rows[leaves] = [value / pivot for value in rows[leaves]]
        for at, row in enumerate(rows):
            if row[enters] and at != leaves:
                rows[at] = _without(row, chosen, enters)
        gains = _without(gains, chosen, enters)
    prices = [0.0] * KING
    for at, price in zip(ranks, gains[len(stacks) : -1], strict=True):
        prices[at] = price
    return prices


def _without(row: list[float], chosen: list[float], column: int) -> list[float]:
    """The row minus the multiple of `chosen` that makes `column` 0."""
    share = row[column]
    return [value - share * other for value, other in zip(row, chosen, strict=True)]


def _worth(stack: Bag, pair: Bag) -> int:
    return 2 if stack == pair else 1


class _Search(Value):
    """Searches a hand for stacks that make a given number of points."""

    held: Bag
    pair: Bag
    prices: Prices
    wastes: dict[Bag, float]
    """By stack, its price minus its worth."""

    def find(self, stacks: Iterable[Bag], points: int, slack: float, empty: bool = False) -> list[Bag] | None:
        """Stacks that make `points` and waste at most `slack`; all cards if `empty`.

        The highest remaining card goes into a stack, the least wasteful first, or it is
        left over with all cards of its rank.
        """
        choices = self._choices(stacks, slack)
        laid: list[Bag] = []
        hopeless: set[tuple[Bag, int]] = set()

        def fill(left: Bag, wanted: int, slack: float) -> bool:
            if not left or (wanted <= 0 and not empty):
                return wanted <= 0
            highest = highest_of(left)
            if not highest or slack < 0 or (left, wanted) in hopeless:
                return False
            room = left | GUARD
            for waste, stack in choices[highest]:
                if waste > slack:
                    break
                if room - stack & GUARD == GUARD:
                    laid.append(stack)
                    if fill(left - stack, wanted - _worth(stack, self.pair), slack - waste):
                        return True
                    laid.pop()
            if not empty:
                unused = left & DIGIT * ONE[highest]
                if fill(left - unused, wanted, slack - cost(unused, self.prices)):
                    return True
            hopeless.add((left, wanted))
            return False

        return laid if fill(self.held, points, slack) else None

    def _choices(self, stacks: Iterable[Bag], slack: float) -> list[list[tuple[float, Bag]]]:
        """By highest card, stacks that waste at most `slack`, least wasteful first."""
        choices: list[list[tuple[float, Bag]]] = [[] for _ in range(KING)]
        for waste, stack in sorted([(self.wastes[stack], stack) for stack in stacks if self.wastes[stack] <= slack]):
            choices[highest_of(stack)].append((waste, stack))
        return choices
