"""Wichita's stacks: legality, worth, and which of them a hand holds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import islice
from typing import Final

from pips_referee.cards import ACE, CARDS, KING, Card
from pips_referee.chance import Rng
from pips_referee.games.wichita.bags import ONE, Bag, bag_of, bases_of, ranks_of, stacks_in

RANK_OF: Final = bytes([byte % KING + 1 for byte in range(256)])
"""A table for `bytes.translate` from cards to ranks."""
KINGS: Final = bytes([card for card in CARDS if card.rank == KING])
MANY: Final = 3
SOME: Final = (0, 0, 0, 0, 1, 1, 1, 2, 2, *[MANY] * 7)
"""The numbers of stacks from which a random layout draws, as far as the hand allows.

After each stack it stops with a chance of about one in four. After `MANY`, another
number is drawn and added.
"""
COIN: Final = (False, True)


class Reason(StrEnum):
    """Why an action is illegal; from EMPTY_STACK on, a flaw of a stack."""

    WRONG_KIND = "wrong_kind"
    NOT_IN_HAND = "not_in_hand"
    EMPTY_STACK = "empty_stack"
    ONLY_KINGS = "only_kings"
    MIXED_SIGNS = "mixed_signs"
    KINGS_BOTH_WAYS = "kings_both_ways"
    WRONG_TOTAL = "wrong_total"


def stack_worth(stack: Sequence[Card], dice: tuple[int, int]) -> int:
    """The points of a stack after that roll: 1, or 2 for two cards that show the dice.

    0 if these cards are no stack (W4, W5).
    """
    ranks, kings = _split(stack)
    target, total = dice[0] + dice[1], sum(ranks)
    if total == target and not kings:
        return 2 if len(ranks) == 2 and ranks[0] in dice else 1
    if not ranks:
        return 0
    difference = 2 * max(ranks) - total
    return int(target << kings in (total, difference) or target in (total << kings, difference << kings))


def flaw(stack: Sequence[Card], target: int) -> tuple[Reason, str]:
    """Why these cards are no stack for the target: a reason, and a sentence's end.

    The cards must have a `stack_worth` of 0.
    """
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
    if signed.intersection(bases_of(target, kings)):
        return Reason.MIXED_SIGNS, f"makes {target} only by adding and subtracting in one stack"
    if any(base << up == target << kings - up for base in bases for up in range(kings + 1)):
        return Reason.KINGS_BOTH_WAYS, f"makes {target} only with kings that double and kings that halve"
    made = {number for base in bases if base > 0 for number in (base << kings, base / (1 << kings))}
    return Reason.WRONG_TOTAL, f"makes {' or '.join(f'{number:g}' for number in sorted(made))}, not {target}"


def has_stack(hand: Iterable[Card], target: int) -> bool:
    """Whether the hand holds any legal stack."""
    ranks, kings = _split(hand)
    sums, kinds = 1, 0  # bit n: some cards add up to n; some card has rank n
    for rank in ranks:
        sums |= sums << rank
        kinds |= 1 << rank
    some = sums - 1  # at least one card; a sum below a card's rank does not use that card
    found = 0
    for _, base in _all_bases(target, kings):
        found |= sums >> base & 1
        if base < KING:  # otherwise no card is above it; with many kings a base is huge
            found |= some << base & kinds
    return found > 0


def highest_fits(hand: Iterable[Card], target: int) -> bool:
    """Whether a legal stack has the highest card below the kings, if there is one."""
    ranks, kings = _split(hand)
    if not ranks:
        return False
    highest, sums = max(ranks), 1  # bit n: some of the others add up to n
    for rank in ranks.replace(bytes([highest]), b"", 1):
        sums |= sums << rank
    return any(sums >> abs(base - highest) & 1 for _, base in _all_bases(target, kings))


def legal_stacks(hand: Sequence[Card], target: int) -> Iterator[tuple[Card, ...]]:
    """Every distinct legal stack of the hand, suits aside; few kings first.

    Lazy: computed for one number of kings after another.
    """
    if not isinstance(target, int):
        raise TypeError(f"legal_stacks(hand, target) takes the sum of the dice, view.target, not {target!r}")
    for stack in stacks_in(bag_of(hand), target):
        yield from name_cards(hand, [ranks_of(stack)])


def layouts(hand: Sequence[Card], target: int) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Every distinct legal answer once, ignoring suits and order, the empty one first.

    Lazy: there are many.
    """
    yield ()  # the first answer needs no search
    for stacks in islice(_layouts(bag_of(hand), target, ONE[ACE]), 1, None):
        yield name_cards(hand, map(ranks_of, stacks))


def random_layout(hand: Sequence[Card], target: int, rng: Rng) -> tuple[tuple[Card, ...], ...]:
    """One of `layouts`, each of them possible; made stack by stack."""
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
        sums, made, kinds = [1], 1, 0  # by number of lowest cards; bit n: some add up to n
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
            ranks.remove(highest)  # a card higher than the rest
            stack.append(highest)
        while rest:  # cards that add up to the rest; each way is possible
            at -= 1
            rank = ranks[at]
            if rank <= rest and sums[at] >> rest - rank & 1 and not (sums[at] >> rest & 1 and rng.choice(COIN)):
                stack.append(ranks.pop(at))
                rest -= rank
        stacks.append(stack)
    if not stacks:
        return ()
    stacks.sort()  # in the order of their bags
    return name_cards(hand, stacks)


def name_cards(hand: Iterable[Card], stacks: Iterable[Sequence[int]]) -> tuple[tuple[Card, ...], ...]:
    """Cards of the hand for the ranks of each stack; kings move from first to last."""
    held = sorted(hand)  # lowest suit first within a rank
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


def _split(hand: Iterable[Card]) -> tuple[bytes, int]:
    """The ranks below the kings, and the number of kings."""
    cards = bytes(hand)
    ranks = cards.translate(RANK_OF, KINGS)
    return ranks, len(cards) - len(ranks)


@cache
def _all_bases(target: int, kings: int) -> tuple[tuple[int, int], ...]:
    """Every number of kings up to `kings`, with each of its bases."""
    return tuple([(used, base) for used in range(kings + 1) for base in bases_of(target, used)])


def _goals(sums: int, kinds: int, kings: int, target: int) -> list[tuple[int, int, int]]:
    """The kinds of stack that are possible.

    Each is (number of kings, the card that others are subtracted from or 0, the others'
    sum). Bit n of `sums` is set if some cards below the kings add up to n, bit n of
    `kinds` if one of them has rank n.
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


def _layouts(held: Bag, target: int, least: Bag) -> Iterator[tuple[Bag, ...]]:
    """Every set of stacks in the bag, none below `least`, in ascending order."""
    yield ()
    for stack in stacks_in(held, target):
        if stack >= least:
            for others in _layouts(held - stack, target, stack):
                yield (stack, *others)
