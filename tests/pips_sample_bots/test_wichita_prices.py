"""What a card in the hand is worth to Wichita's `search`, and what it lays for it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pips_referee.cards import parse_cards
from pips_sample_bots.wichita.search_bot import LEFT, USUAL_DRAW, SearchBot, cards_to_come, found_prices
from pips_sdk.wichita import Lay, WichitaView

HAND = "8C 6D 2H AC 3D 9S"


def view(stock: int, hand: str = HAND, seats: int = 2) -> WichitaView:
    cards = parse_cards(hand)
    return WichitaView(0, "lay", 0, (5, 3), cards, (len(cards),) * seats, (0,) * seats, stock, (0,) * 13, 1)


def prices(seen: WichitaView) -> list[float]:
    return found_prices(len(seen.points)).of(seen)


def laid(stock: int) -> list[list[str]]:
    bot = SearchBot()
    action = bot.choose(view(stock))
    assert isinstance(action, Lay)
    return sorted(sorted(map(str, stack)) for stack in action.stacks)


def test_at_the_end_each_card_is_better_gone() -> None:
    assert prices(view(0)) == [-1.0] * 13
    assert max(prices(view(2))) < 0 < min(prices(view(30)))


def test_early_only_cheap_stacks_are_laid_and_at_the_end_all() -> None:
    assert len(laid(40)) < len(laid(0)) == 3


@pytest.mark.parametrize("seats", [2, 5, 12])
def test_prices_change_evenly_with_what_is_left(seats: int) -> None:
    """No step is larger than one between two tabled prices; the ends stay flat."""
    stocks = range(1, 60 * seats)
    found = [prices(view(stock, seats=seats))[7] for stock in stocks]
    assert max(abs(b - a) for a, b in pairwise(found)) < 1 / seats
    assert found[-1] == prices(view(100 * seats, seats=seats))[7]


def test_cards_to_come_leave_out_what_the_others_draw() -> None:
    assert cards_to_come(view(10)) == pytest.approx((10 - USUAL_DRAW) / 2)
    assert cards_to_come(view(0, seats=4)) < 0
    assert list(LEFT) == sorted(set(LEFT))
