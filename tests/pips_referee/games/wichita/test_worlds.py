"""Wichita's imagined worlds: all deals of what is unseen are equally likely."""

from __future__ import annotations

from collections import Counter
from random import Random

from pips_referee.cards import parse_cards
from pips_referee.chance import Chance
from pips_referee.games.wichita.values import WichitaView
from pips_referee.games.wichita.worlds import imagine
from tests.pips_referee.games.even import assert_even

LUCK = Chance(bytes(32))


def view() -> WichitaView:
    """One pack with two twos, a three and a king unseen.

    Two of them are in the other hand, two in the stock.
    """
    laid = (4, 2, 3, 4, 4, 4, 4, 4, 4, 3, 4, 4, 3)
    return WichitaView(0, "lay", 0, (5, 5), parse_cards("10S"), (1, 2), (20, 22), 2, laid, 1)


def test_all_deals_are_equally_likely() -> None:
    """There are six ways to deal two of the four cards.

    One brings both twos. Two ways each bring a two with another card.
    """
    rng = Random(1)
    counts: Counter[object] = Counter()
    for _ in range(2400):
        world = imagine(view(), LUCK, rng)
        ranks = [card.rank for card in world.hands[1]]
        counts[(*ranks, rng.randrange(2) if ranks in ([2, 3], [2, 13]) else 0)] += 1
        assert sorted([*ranks, *(card.rank for card in world.stock)]) == [2, 2, 3, 13]
    assert_even(counts, [(2, 2, 0), (2, 3, 0), (2, 3, 1), (2, 13, 0), (2, 13, 1), (3, 13, 0)])


def test_no_card_is_imagined_more_often_than_there_is() -> None:
    rng = Random(2)
    for _ in range(20):
        world = imagine(view(), LUCK, rng)
        cards = [*world.hands[0], *world.hands[1], *world.stock]
        assert len(set(cards)) == len(cards)
