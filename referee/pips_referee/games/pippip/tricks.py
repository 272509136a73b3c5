"""The winner and the points of a trick, the cards that follow, and the pairs to call.

Two identical cards are equal values. So everything here works on positions or counts,
never on one particular card of two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import permutations
from typing import Final

from pips_referee.cards import ACE, CARDS, JACK, KING, QUEEN, Card, Suit

RANKS: Final = (2, ACE, KING, QUEEN, JACK, 10, 9, 8, 7, 6, 5, 4, 3)
"""The ranks from the highest down (P2)."""
TABLE: Final = bytes(256 - len(CARDS))
"""Pads a table by card to the 256 bytes that `bytes.translate` needs."""
HEIGHT: Final = bytes([len(RANKS) - RANKS.index(card.rank) for card in CARDS])
"""The rank order of a card in its suit: 13 for a two, 1 for a three (P2)."""
POINTS: Final = bytes([{2: 11, ACE: 10, KING: 5, QUEEN: 4, JACK: 3}.get(card.rank, 0) for card in CARDS]) + TABLE
"""The points that a card brings the winner of its trick (P10)."""
PAIR_CARDS: Final = tuple((Card.of(KING, suit), Card.of(QUEEN, suit)) for suit in Suit)
"""The king and the queen of each suit (P7)."""
_NO_PAIRS: Final = bytes([card for card in CARDS if card.rank not in (QUEEN, KING)])
"""All cards but kings and queens."""


def strengths(trumps: Suit, led: Suit) -> bytes:
    """The strength of each card in such a trick: the highest wins, 0 never (P5)."""
    by_card = [HEIGHT[c] + 13 if c.suit == trumps else HEIGHT[c] if c.suit == led else 0 for c in CARDS]
    return bytes(by_card) + TABLE


STRENGTH: Final = tuple(tuple(strengths(trumps, led) for led in Suit) for trumps in Suit)
"""`strengths` by trumps, then by suit led."""


def card_points(card: Card) -> int:
    """The points that the card brings the winner of its trick: 0 to 11 (P10)."""
    return POINTS[card]


def winner(trick: Sequence[Card], trumps: Suit) -> int:
    """The position of the winning card; of two identical cards the later wins (P5)."""
    strength = bytes(trick).translate(STRENGTH[trumps][trick[0].suit])
    return strength.rindex(max(strength))


def would_win(card: Card, trick: Sequence[Card], trumps: Suit) -> bool:
    """Whether the card, played now, would be the best of the trick so far (P5)."""
    return winner((*trick, card), trumps) == len(trick)


def trick_points(trick: Sequence[Card]) -> int:
    """The points of a trick (P10)."""
    return sum(bytes(trick).translate(POINTS))


def following(hand: Collection[Card], led: Suit) -> list[Card]:
    """The cards of the suit led; if there are any, one of them must be played (P5)."""
    return [card for card in hand if card.suit is led]


def following_sorted(hand: list[Card], led: Suit) -> list[Card]:
    """`following` for sorted cards: quicker, as the cards of a suit are adjacent."""
    first = 13 * led
    return hand[bisect_left(hand, first) : bisect_left(hand, first + 13)]


def pairs(hidden: Sequence[Card], trumps: Suit) -> tuple[Suit, ...]:
    """The suits that hidden cards can call, each once for every pair (P7, P8)."""
    found: tuple[Suit, ...] = ()
    if len(bytes(hidden).translate(None, _NO_PAIRS)) < 2:  # most hands by far
        return found
    for king, queen in PAIR_CARDS:
        if king in hidden and queen in hidden and king.suit is not trumps:
            found += (king.suit,) * min(hidden.count(king), hidden.count(queen))
    return found


def call_orders(callable_suits: Sequence[Suit]) -> list[tuple[Suit, ...]]:
    """All answers of a window: none, some or all of the pairs, in every order (P7)."""
    counts = range(len(callable_suits) + 1)
    return list(dict.fromkeys(order for count in counts for order in permutations(callable_suits, count)))
