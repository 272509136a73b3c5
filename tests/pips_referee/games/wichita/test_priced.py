"""Layouts of cards that have a price, against all layouts there are."""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.cards import CARDS, Card, parse_cards
from pips_referee.games.wichita.best import best_layout
from pips_referee.games.wichita.priced import SMALL, priced_layout
from pips_referee.games.wichita.stacks import layouts, stack_worth

Dice = tuple[int, int]
Stacks = tuple[tuple[Card, ...], ...]


def gain(stacks: Stacks, hand: list[Card], dice: Dice, prices: list[float], empty: float) -> float:
    laid = [card for stack in stacks for card in stack]
    points = sum([stack_worth(stack, dice) for stack in stacks])
    return points - sum([prices[card.rank - 1] for card in laid]) + (empty if len(laid) == len(hand) else 0.0)


def drawn(rng: Random, size: int) -> tuple[list[Card], Dice]:
    return rng.sample([*CARDS], size), (rng.randint(1, 6), rng.randint(1, 6))


def test_no_layout_gains_more() -> None:
    """Hands of up to seven cards, prices from -1 to 1; an empty hand may pay."""
    rng = Random("priced")
    laid = emptied = 0
    for number in range(600):
        hand, dice = drawn(rng, rng.randint(1, 7))
        prices = [rng.uniform(-1, 1) for _ in range(13)]
        empty = 2.6 * (number % 2)
        found = priced_layout(hand, dice, prices, empty)
        assert found.points == sum([stack_worth(stack, dice) for stack in found.stacks])
        most = max([gain(stacks, hand, dice, prices, empty) for stacks in layouts(hand, sum(dice))])
        assert gain(found.stacks, hand, dice, prices, empty) == pytest.approx(most)
        laid += bool(found.stacks)
        emptied += sum(map(len, found.stacks)) == len(hand)
    assert laid > 200
    assert emptied > 20


def test_without_a_price_it_makes_the_most_points() -> None:
    rng = Random("free")
    for _ in range(200):
        hand, dice = drawn(rng, rng.randint(1, 10))
        assert priced_layout(hand, dice, [0.001] * 13).points == best_layout(hand, dice, bonus=False).points


@pytest.mark.parametrize(
    ("cards", "price", "stacks"),
    [
        ("8C 6D 2H", 0.9, ["8C"]),
        ("8C 5D 3H", 0.9, ["8C", "5D 3H"]),  # the pair of the dice makes two points
        ("6C 2D AC", 0.6, []),
        ("6C 2D 9C AC", -1, ["6C 2D", "9C AC"]),
    ],
)
def test_prices_say_what_is_kept(cards: str, price: float, stacks: list[str]) -> None:
    found = priced_layout(parse_cards(cards), (5, 3), [price] * 13)
    assert sorted(map(sorted, found.stacks)) == sorted(sorted(parse_cards(stack)) for stack in stacks)


def test_a_large_hand_is_not_looked_at_for_long() -> None:
    """Few tries find a legal layout, many one that gains more."""
    rng = Random("large")
    short = long = 0.0
    for _ in range(10):
        hand, dice = drawn(rng, 22)
        prices = [-1.0] * 13
        for tries in (20, 2000):
            found = priced_layout(hand, dice, prices, 1.0, tries)
            assert all(stack_worth(stack, dice) for stack in found.stacks)
            assert len({card for stack in found.stacks for card in stack}) == sum(map(len, found.stacks))
            if tries == 20:
                short += gain(found.stacks, hand, dice, prices, 0)
            else:
                long += gain(found.stacks, hand, dice, prices, 0)
    assert 0 < short < long
    assert SMALL < 22
