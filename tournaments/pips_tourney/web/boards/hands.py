"""Hands with some visible and some hidden cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pips_referee.cards import parse_card

Held = list[str | None]
"""Cards by code. None is a card that lies face down."""


def dealt(cards: Sequence[str] | None, count: int) -> Held:
    """A new hand: its cards, or this number of backs."""
    return [None] * count if cards is None else list(cards)


def take(hand: Held, cards: Iterable[str]) -> None:
    """Remove these cards from the hand; for a hidden card, remove a back."""
    for card in cards:
        hand.remove(card if card in hand else None)


def by_suit(hand: Held) -> Held:
    """Sort the hand as players do: suits together, backs last."""
    return sorted(hand, key=lambda card: 99 if card is None else int(parse_card(card)))


def by_rank(hand: Held) -> Held:
    """Sort the hand by rank, backs last."""

    def key(card: str | None) -> tuple[int, int]:
        return (99, 0) if card is None else (parse_card(card).rank, parse_card(card).suit)

    return sorted(hand, key=key)
