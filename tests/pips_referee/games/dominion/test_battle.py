"""Dominion's playfield and battles against plain twins.

They are a drawn grid, and all 1,296 rolls of four dice.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips_referee.cards import CARDS, KING, QUEEN, Card, parse_card
from pips_referee.games.dominion.battle import (
    FULL,
    SIZES,
    deployment_limits,
    is_vertical,
    losses,
    modifier,
    neighbours,
    odds,
    reach,
    room,
    strength,
)

PLAYFIELD_CARDS = [card for card in CARDS if card.rank < QUEEN]
ARMIES = st.integers(1, 13)


@pytest.mark.parametrize("size", SIZES)
def test_neighbours_and_reach_are_those_of_a_drawn_grid(size: int) -> None:
    for kept in (neighbours, reach):
        kept.cache_clear()  # tables made at import are made anew, so mutants are tested
    grid = {(row, column): size * row + column for row in range(size) for column in range(size)}
    for (row, column), cell in grid.items():
        beside = {grid[at] for at in ((row, column - 1), (row, column + 1)) if at in grid}
        over_and_under = {grid[at] for at in ((row - 1, column), (row + 1, column)) if at in grid}
        upright = (row % 2 == 0) == (column % 2 == 0)
        assert is_vertical(cell, size) is upright
        assert sorted(neighbours(cell, size)) == sorted(beside | over_and_under)
        assert sorted(reach(cell, size)) == sorted(over_and_under if upright else beside)


@pytest.mark.parametrize("size", SIZES)
def test_no_two_cells_attack_each_other(size: int) -> None:
    """All neighbours lie crosswise, so each border is open to one side only."""
    for cell in range(size**2):
        for other in neighbours(cell, size):
            assert (other in reach(cell, size)) is (cell not in reach(other, size))


def test_moves_go_by_the_clock_of_the_rows() -> None:
    assert neighbours(4, 3) == (1, 3, 5, 7)
    assert neighbours(0, 3) == (1, 3)
    assert (reach(4, 3), reach(1, 3), reach(3, 3)) == ((1, 7), (0, 2), (4,))


@pytest.mark.parametrize("card", PLAYFIELD_CARDS)
def test_rank_armies_and_room_make_13(card: Card) -> None:
    for armies in range(FULL - card.rank + 1):
        assert strength(card, armies, None) + room(card, armies) == 13
    assert room(card, FULL - card.rank + 1) == 0


@pytest.mark.parametrize("turned", CARDS)
def test_the_turned_card_against_a_table(turned: Card) -> None:
    for card in PLAYFIELD_CARDS:
        alike = (card.code[-1] in "DH") == (turned.code[-1] in "DH")
        expected = {(QUEEN, True): 1, (card.rank, True): 2, (card.rank, False): -2}.get((turned.rank, alike), 0)
        assert modifier(turned, card) == expected
        assert strength(card, 3, turned) == card.rank + 3 + expected
        assert turned.rank != KING or expected == 0


def test_examples_of_the_turned_card() -> None:
    assert strength(parse_card("JD"), 2, parse_card("JH")) == 15
    assert strength(parse_card("7S"), 4, parse_card("JH")) == 11
    assert modifier(parse_card("AH"), parse_card("AS")) == -2


@given(st.integers(-30, 30), ARMIES, ARMIES)
def test_one_side_at_most_loses_and_never_more_than_it_has(lead: int, attackers: int, defenders: int) -> None:
    own, enemy = losses(lead, attackers, defenders)
    if lead > 0:
        assert (own, enemy) == (0, min(lead, defenders))
    elif lead < 0:
        assert (own, enemy) == (min(-lead, attackers), 0)
    else:
        assert (own, enemy) == (0, 0)


@given(st.integers(-15, 15), ARMIES, ARMIES)
def test_odds_count_every_roll(advantage: int, attackers: int, defenders: int) -> None:
    counts = dict.fromkeys(("win", "tie", "loss", "conquest", "defeat", "own_losses", "enemy_losses"), 0)
    for a, b, c, d in product(range(1, 7), repeat=4):
        total, other = a + b + advantage, c + d
        counts["win"] += total > other
        counts["tie"] += total == other
        counts["loss"] += total < other
        counts["enemy_losses"] += min(max(total - other, 0), defenders)
        counts["own_losses"] += min(max(other - total, 0), attackers)
        counts["conquest"] += total - other >= defenders
        counts["defeat"] += other - total >= attackers
    found = odds(advantage, attackers, defenders)
    for name, count in counts.items():
        assert getattr(found, name) == float(Fraction(count, 1296)), name


def test_even_odds() -> None:
    even = odds(0, 12, 12)
    assert (even.win, even.loss) == (575 / 1296, 575 / 1296)
    assert even.tie == 146 / 1296
    assert (even.conquest, even.defeat) == (0, 0)
    assert even.own_losses == even.enemy_losses


@pytest.mark.parametrize(
    ("dice", "limits"), [((6, 3), (9, 4)), ((3, 6), (9, 4)), ((1, 1), (2, 6)), ((6, 6), (12, 1)), ((2, 5), (7, 5))]
)
def test_deployment_limits(dice: tuple[int, int], limits: tuple[int, int]) -> None:
    assert deployment_limits(dice) == limits
