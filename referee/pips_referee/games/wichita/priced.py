"""Wichita's best layout if cards have a price, because some are worth keeping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pips_referee.cards import KING, Card
from pips_referee.games.wichita.bags import (
    DIGIT,
    GUARD,
    NO_KINGS,
    ONE,
    Bag,
    bag_of,
    cost,
    highest_of,
    ranks_of,
    stacks_in,
)
from pips_referee.games.wichita.best import Layout
from pips_referee.games.wichita.stacks import name_cards

TRIES: Final = 400
SMALL: Final = 9
"""Larger hands are not emptied at a loss: that would hardly be possible."""
Gains = list[list[tuple[float, Bag]]]
"""By highest card below the kings, the gain of each stack, best first."""


def priced_layout(
    hand: Sequence[Card], dice: tuple[int, int], prices: Sequence[float], empty: float = 0.0, tries: int = TRIES
) -> Layout:
    """The layout with the most points minus the prices of its cards.

    `prices` are the values of a card in the hand, from ace to king: -1 for all when the
    match ends, as each card left costs a point. `empty` is the value of an empty hand:
    a card of the stock and another turn (W6). After `tries` positions it takes the
    stack with the largest gain each time, so that a large hand does not take long.
    """
    held, pair = bag_of(hand), ONE[dice[0]] + ONE[dice[1]]
    if len(hand) > SMALL:
        empty = 0.0
    gains: Gains = [[] for _ in range(KING)]
    found = False
    for stack in stacks_in(held, dice[0] + dice[1]):
        gain = (2 if stack == pair else 1) - cost(stack, prices)
        if gain > 0 or empty:
            gains[highest_of(stack)].append((gain, stack))
            found = True
    if not found:
        return Layout(0, ())
    for ordered in gains:
        ordered.sort(reverse=True)
    laid = _Gainful(gains, empty, tries).laid(held)
    return Layout(sum([2 if stack == pair else 1 for stack in laid]), name_cards(hand, map(ranks_of, laid)))


class _Gainful:
    """Puts the highest remaining card into a stack, or keeps all cards of its rank."""

    def __init__(self, gains: Gains, empty: float, tries: int) -> None:
        self.gains, self.empty, self.tries = gains, empty, tries
        self.known: dict[tuple[Bag, bool], tuple[float, Bag]] = {}
        """A bag's gain, and the first stack to lay; 0 if its highest rank is kept."""

    def laid(self, bag: Bag) -> list[Bag]:
        """The stacks with the largest gain."""
        self.gain(bag, False)
        laid, kept = [], False
        while bag & NO_KINGS:
            stack = self.known[bag, kept][1]
            if stack:
                laid.append(stack)
                bag -= stack
            else:
                kept = True
                bag &= ~(DIGIT * ONE[highest_of(bag)])
        return laid

    def gain(self, bag: Bag, kept: bool) -> float:
        """The largest gain from these cards; `kept`: whether others stay in hand."""
        highest = highest_of(bag)
        if not highest:
            return 0.0 if bag or kept else self.empty
        known = self.known.get((bag, kept))
        if known:
            return known[0]
        self.tries -= 1
        best, first = self.gain(bag & ~(DIGIT * ONE[highest]), True), 0
        room = bag | GUARD
        for gain, stack in self.gains[highest]:
            if room - stack & GUARD == GUARD:
                with_rest = gain + self.gain(bag - stack, kept)
                if with_rest > best:
                    best, first = with_rest, stack
                if self.tries < 0:
                    break
        self.known[bag, kept] = best, first
        return best
