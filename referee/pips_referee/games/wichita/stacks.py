"""Wichita's stacks: what is one, what it is worth, which ones a hand holds, and the most points it can lay down.

Suits never matter (W4.2), so inside this module cards are counted, not named: a `Bag` is an int with seven bits for
every rank, aces lowest and kings highest, whose top bit stays free. A bag is taken out of another by subtraction.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import accumulate, islice
from typing import Final

from pips_referee.cards import ACE, CARDS, KING, Card
from pips_referee.chance import Rng
from pips_referee.value import value

Bag = int
BITS: Final = 7
ONE: Final[tuple[Bag, ...]] = (0, *(1 << BITS * (rank - 1) for rank in range(1, KING + 1)))
"""One card of each rank; nothing for rank 0."""
BAG_OF: Final = tuple(ONE[card.rank] for card in CARDS)
PLACES: Final = range(0, BITS * KING, BITS)
"""Where the ranks stand in a bag, from ace to king."""
NO_KINGS: Final = ONE[KING] - 1
GUARD: Final = sum(ONE) << (BITS - 1)
"""The free bits: `part` is in `bag` exactly when `(bag | GUARD) - part` keeps them all."""
DIGIT: Final = (1 << BITS) - 1
RANK_OF: Final = bytes([byte % KING + 1 for byte in range(256)])
"""Of cards as bytes their ranks: what `bytes.translate` takes."""
KINGS: Final = bytes([card for card in CARDS if card.rank == KING])
MANY: Final = 3
SOME: Final = (0, 0, 0, 0, 1, 1, 1, 2, 2, *[MANY] * 7)
"""How many stacks a random layout has, if there are so many: about one time in four it stops before its next. After
`MANY` chance is asked again."""
COIN: Final = (False, True)
TINY: Final = 1e-9
MARGIN: Final = 1e-6
"""Rounding errors of one price, and more than they can add up to in a search; both far below any real difference."""


class Reason(StrEnum):
    """Why an action is illegal; from EMPTY_STACK on about one of its stacks."""

    WRONG_KIND = "wrong_kind"
    NOT_IN_HAND = "not_in_hand"
    EMPTY_STACK = "empty_stack"
    ONLY_KINGS = "only_kings"
    MIXED_SIGNS = "mixed_signs"
    KINGS_BOTH_WAYS = "kings_both_ways"
    WRONG_TOTAL = "wrong_total"


@value
class Layout:
    """Stacks to lay down in one action, and what they bring at once: W5, and W6 when they empty the hand."""

    points: int
    stacks: tuple[tuple[Card, ...], ...]


def stack_worth(stack: Sequence[Card], dice: tuple[int, int]) -> int:
    """The points of a stack after that roll: 1, or 2 for two cards that show the dice (W5); 0 when it is none (W4)."""
    ranks, kings = _split(stack)
    target, total = dice[0] + dice[1], sum(ranks)
    if total == target and not kings:
        return 2 if len(ranks) == 2 and ranks[0] in dice else 1
    if not ranks:
        return 0
    difference = 2 * max(ranks) - total
    return int(target << kings in (total, difference) or target in (total << kings, difference << kings))


def flaw(stack: Sequence[Card], target: int) -> tuple[Reason, str]:
    """Why these cards are no stack of that target, as a reason and the end of a sentence. Only for what is none."""
    ranks = [card.rank for card in stack if card.rank != KING]
    kings = len(stack) - len(ranks)
    if not stack:
        return Reason.EMPTY_STACK, "has no cards"
    if not ranks:
        return Reason.ONLY_KINGS, "has only kings: they double or halve other cards"
    total = sum(ranks)
    bases = {total, 2 * max(ranks) - total}
    signed = {0}
    for rank in ranks:
        signed = {base + rank for base in signed} | {base - rank for base in signed}
    if signed.intersection(_bases(target, kings)):
        return Reason.MIXED_SIGNS, f"makes {target} only by adding and subtracting in one stack"
    if any(base << up == target << kings - up for base in bases for up in range(kings + 1)):
        return Reason.KINGS_BOTH_WAYS, f"makes {target} only with kings that double and kings that halve"
    made = {number for base in bases if base > 0 for number in (base << kings, base / (1 << kings))}
    return Reason.WRONG_TOTAL, f"makes {' or '.join(f'{number:g}' for number in sorted(made))}, not {target}"


def has_stack(hand: Iterable[Card], target: int) -> bool:
    """Whether the hand holds any legal stack."""
    ranks, kings = _split(hand)
    sums, kinds = 1, 0  # bit n is set when some of the cards add up to n; when one of them is an n
    for rank in ranks:
        sums |= sums << rank
        kinds |= 1 << rank
    some = sums - 1  # the sum of at least one card; below a card's rank it is never made with that card
    found = 0
    for _, base in _all_bases(target, kings):
        found |= sums >> base & 1
        if base < KING:  # else no card is above it; and with many kings a base is huge
            found |= some << base & kinds
    return found > 0


def legal_stacks(hand: Sequence[Card], target: int) -> Iterator[tuple[Card, ...]]:
    """Every different legal stack of the hand once, suits aside; few kings first. Lazy, king by king."""
    for stack in _stacks(_bag(hand), target):
        yield from name_cards(hand, [_ranks(stack)])


def layouts(hand: Sequence[Card], target: int) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Every different legal answer once, suits and order aside, the empty one first. Lazy: there are many."""
    yield ()  # whoever only begins waits for no search
    for stacks in islice(_layouts(_bag(hand), target, ONE[ACE]), 1, None):
        yield name_cards(hand, map(_ranks, stacks))


def random_layout(hand: Sequence[Card], target: int, rng: Rng) -> tuple[tuple[Card, ...], ...]:
    """One of `layouts`, each of which can come up: as many random stacks as chance says, or until there is none."""
    wanted = more = rng.choice(SOME)
    while more == MANY:
        wanted += (more := rng.choice(SOME))
    if not wanted:
        return ()
    mixed, kings = _split(hand)
    ranks = sorted(mixed)
    stacks = []
    while wanted:
        wanted -= 1
        sums, made, kinds = [1], 1, 0  # by how many of the lowest cards: bit n is set when some of them add up to n
        for rank in ranks:
            made |= made << rank
            sums.append(made)
            kinds |= 1 << rank
        goals = _goals(made, kinds, kings, target)
        if not goals:
            break
        used, highest, rest = rng.choice(goals)
        stack = [KING] * used
        kings -= used
        at = bisect_right(ranks, rest)
        if highest:
            ranks.remove(highest)  # one above the rest
            stack.append(highest)
        while rest:  # cards that add up to the rest, each way of doing so possible
            at -= 1
            rank = ranks[at]
            if rank <= rest and sums[at] >> rest - rank & 1 and not (sums[at] >> rest & 1 and rng.choice(COIN)):
                stack.append(ranks.pop(at))
                rest -= rank
        stacks.append(stack)
    if not stacks:
        return ()
    stacks.sort()  # as their bags would be
    return name_cards(hand, stacks)


def best_layout(hand: Sequence[Card], dice: tuple[int, int], bonus: bool = True) -> Layout:
    """The most points that one lay-down can make, and stacks that make them; exact.

    `bonus`: whether emptying the hand earns a card of the stock (W6), that is, whether the stock has one. Of equal
    layouts one that empties the hand is taken, because another turn follows.

    Give every rank a price such that no stack costs less than it is worth. Then no layout makes more points than the
    whole hand costs, and a search that wants `points` may waste no more than the difference, on cards left over or on
    stacks that cost more than their worth. The lowest such prices are the dual of a small linear programme; with
    them the bound is nearly always reached at once and hardly any stack is ever tried in vain.
    """
    held, pair = _bag(hand), ONE[dice[0]] + ONE[dice[1]]
    stacks = list(_stacks(held, dice[0] + dice[1]))
    if not stacks:
        return Layout(0, ())
    smallest = _smallest(stacks)
    prices = _prices(held, smallest, pair)
    wastes = {stack: _cost(stack, prices) - _worth(stack, pair) for stack in stacks}
    search = _Search(held, pair, prices, wastes)
    slack = _cost(held, prices) + MARGIN
    points = int(slack)
    while (laid := search.find(smallest, points, slack - points)) is None:
        points -= 1
    for needed in (points, points - 1) if bonus else ():
        if emptied := search.find(stacks, needed, slack - needed, empty=True):
            points, laid = needed + 1, emptied
            break
    return Layout(points, name_cards(hand, map(_ranks, laid)))


def name_cards(hand: Iterable[Card], stacks: Iterable[Sequence[int]]) -> tuple[tuple[Card, ...], ...]:
    """Cards of the hand for the ranks of each stack: the kings, which come first, are put last."""
    held = sorted(hand)  # of the cards of one rank that with the lowest suit comes first
    left = list(bytes(held).translate(RANK_OF))
    named = []
    for ranks in stacks:
        cards = []
        for rank in ranks:
            at = left.index(rank)
            left[at] = 0
            cards.append(held[at])
        if ranks[0] == KING:
            kings = ranks.count(KING)
            cards = cards[kings:] + cards[:kings]
        named.append(tuple(cards))
    return tuple(named)


def _bag(hand: Iterable[Card]) -> Bag:
    return sum([BAG_OF[card] for card in hand])


def _ranks(bag: Bag) -> list[int]:
    """The ranks in a bag, the highest first."""
    ranks = [KING] * (bag // ONE[KING])
    while rank := _highest(bag):
        ranks.append(rank)
        bag -= ONE[rank]
    return ranks


def _highest(bag: Bag) -> int:
    """The highest rank in the bag below the kings, 0 when there is none."""
    return ((bag & NO_KINGS).bit_length() + BITS - 1) // BITS


def _split(hand: Iterable[Card]) -> tuple[bytes, int]:
    """The ranks that are no kings, and how many kings."""
    cards = bytes(hand)
    ranks = cards.translate(RANK_OF, KINGS)
    return ranks, len(cards) - len(ranks)


def _bases(target: int, kings: int) -> tuple[int, ...]:
    """What the other cards have to make when that many kings all halve or all double it (W4.4)."""
    if kings and not target & (1 << kings) - 1:
        return target << kings, target >> kings
    return (target << kings,)


@cache
def _all_bases(target: int, kings: int) -> tuple[tuple[int, int], ...]:
    """Every number of kings up to that one with each of its bases."""
    return tuple([(used, base) for used in range(kings + 1) for base in _bases(target, used)])


def _goals(sums: int, kinds: int, kings: int, target: int) -> list[tuple[int, int, int]]:
    """The kinds of stack there are, as (kings, the card the others are taken from or 0, the sum of the others).

    Of the other cards bit n of `sums` is set when some add up to n, and bit n of `kinds` when one of them is an n.
    """
    goals = []
    for used, base in _all_bases(target, kings):
        if sums >> base & 1:
            goals.append((used, 0, base))
        highest = sums - 1 << base & kinds if base < KING else 0
        while highest:
            rank = highest.bit_length() - 1
            goals.append((used, rank, rank - base))
            highest ^= 1 << rank
    return goals


def _stacks(held: Bag, target: int) -> Iterator[Bag]:
    """Every legal stack in the bag once (W4)."""
    kings = held // ONE[KING]
    counts = [(rank, count) for rank in range(ACE, KING) if (count := held >> BITS * (rank - 1) & DIGIT)]
    everything = [*accumulate([rank * count for rank, count in counts], initial=0)]
    known: dict[tuple[int, int], list[Bag]] = {}

    def ways(kinds: int, total: int) -> list[Bag]:
        """The bags with that total of so many of the lowest ranks there are."""
        if not 0 < total <= everything[kinds]:
            return [] if total else [0]
        bags = known.get((kinds, total))
        if bags is None:
            rank, count = counts[kinds - 1]
            bags = ways(kinds - 1, total)
            more = 0
            for rest in range(total - rank, max(total - rank * count, 0) - 1, -rank):
                more += ONE[rank]
                bags = bags + [bag + more for bag in ways(kinds - 1, rest)]
            known[kinds, total] = bags
        return bags

    for used in range(kings + 1):
        bases = _bases(target, used)
        for base in bases:
            for bag in ways(len(counts), base):
                yield bag + used * ONE[KING]
            for highest, _ in counts:
                if highest > base and 2 * highest - base not in bases:  # else the sum is right as well
                    for bag in ways(len(counts), highest - base):
                        yield bag + ONE[highest] + used * ONE[KING]


def _layouts(held: Bag, target: int, least: Bag) -> Iterator[tuple[Bag, ...]]:
    """Every set of stacks of the bag, none below `least`, in ascending order."""
    yield ()
    for stack in _stacks(held, target):
        if stack >= least:
            for others in _layouts(held - stack, target, stack):
                yield (stack, *others)


def _smallest(stacks: Iterable[Bag]) -> list[Bag]:
    """The stacks that contain no other stack: all that is worth laying unless the hand is to be emptied."""
    smallest: list[Bag] = []
    for stack in sorted(stacks):  # a bag is greater than every bag in it
        room = stack | GUARD
        for part in smallest:
            if room - part & GUARD == GUARD:
                break
        else:
            smallest.append(stack)
    return smallest


Prices = list[float]
"""What a card of each rank costs, from ace to king."""


def _prices(held: Bag, stacks: list[Bag], pair: Bag) -> Prices:
    """The prices at which no stack costs less than its worth and the hand costs least.

    The simplex method on the dual: how many of each stack to lay, parts of stacks allowed, for the most points. It
    begins with none, and Bland's rule keeps it from going round in circles.
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
    """The row less as much of the chosen one as clears the column."""
    share = row[column]
    return [value - share * other for value, other in zip(row, chosen, strict=True)]


def _worth(stack: Bag, pair: Bag) -> int:
    return 2 if stack == pair else 1


def _cost(bag: Bag, prices: Prices) -> float:
    cost = 0.0
    while bag:
        at = (bag.bit_length() - 1) // BITS
        count = bag >> PLACES[at]
        cost += count * prices[at]
        bag -= count << PLACES[at]
    return cost


@value
class _Search:
    """Looks for stacks of a hand that make some points."""

    held: Bag
    pair: Bag
    prices: Prices
    wastes: dict[Bag, float]
    """By how much each stack costs more than it is worth."""

    def find(self, stacks: Iterable[Bag], points: int, slack: float, empty: bool = False) -> list[Bag] | None:
        """Stacks of so many points that waste at most `slack`, with every card used if the hand is to be `empty`.

        The highest card left is either laid in a stack, the least wasteful first, or (all of its rank) left over.
        """
        choices = self._choices(stacks, slack)
        laid: list[Bag] = []
        hopeless: set[tuple[Bag, int]] = set()

        def fill(left: Bag, wanted: int, slack: float) -> bool:
            if not left or (wanted <= 0 and not empty):
                return wanted <= 0
            highest = _highest(left)
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
                if fill(left - unused, wanted, slack - _cost(unused, self.prices)):
                    return True
            hopeless.add((left, wanted))
            return False

        return laid if fill(self.held, points, slack) else None

    def _choices(self, stacks: Iterable[Bag], slack: float) -> list[list[tuple[float, Bag]]]:
        """By their highest card the stacks that waste little enough, and how much that is; the least wasteful first."""
        choices: list[list[tuple[float, Bag]]] = [[] for _ in range(KING)]
        for stack in stacks:
            if (waste := self.wastes[stack]) <= slack:
                choices[_highest(stack)].append((waste, stack))
        for ordered in choices:
            ordered.sort()
        return choices
