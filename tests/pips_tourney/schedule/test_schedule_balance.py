"""A choice of tables is even among bots and among pairs of bots."""

from __future__ import annotations

from math import comb

import pytest

from pips_tourney.schedule.balance import balance, balanced_tables
from pips_tourney.schedule.league import round_robin

SMALL = [(bots, seats) for bots in range(3, 9) for seats in range(2, bots)]


@pytest.mark.unmeasured
@pytest.mark.parametrize(("bots", "seats"), SMALL)
def test_every_bot_gets_as_many_tables_as_every_other_to_within_two(bots: int, seats: int) -> None:
    every = comb(bots, seats)
    for tables in sorted({1, every // 5 + 1, every // 3, every // 2, every - 1, every} - {0}):
        chosen = balanced_tables(bots, seats, tables)
        assert len(set(chosen)) == len(chosen) == tables
        least, most = balance(bots, chosen).tables
        assert most - least <= 2


@pytest.mark.unmeasured
@pytest.mark.parametrize(("bots", "seats"), [(24, 3), (17, 4), (30, 4), (100, 4), (40, 5), (14, 6), (100, 2)])
def test_large_fields_are_even(bots: int, seats: int) -> None:
    chosen = balanced_tables(bots, seats, 2000)
    (least, most), (fewest, often) = (even := balance(bots, chosen)).tables, even.meetings
    assert len(set(chosen)) == 2000
    assert most - least <= 1 and often - fewest <= 3


@pytest.mark.unmeasured
@pytest.mark.parametrize(("bots", "seats"), [(4, 2), (9, 2), (30, 2), (8, 3), (8, 4), (16, 4), (30, 4)])
def test_the_order_is_fair_wherever_it_stops(bots: int, seats: int) -> None:
    order = balanced_tables(bots, seats, 500)
    for stop in range(1, len(order), 7):
        least, most = balance(bots, order[:stop]).tables
        assert most - least <= 2


def test_a_long_round_robin_plays_the_chosen_tables() -> None:
    names = [f"bot{n:02}" for n in range(20)]
    played = list(round_robin(names, 4, 2, max_tables=50))
    assert len(played) == 50 * 4 * 2
    numbers = {name: number for number, name in enumerate(names)}
    tables = {tuple(numbers[bot] for bot in p.combination) for p in played}
    assert tables == set(balanced_tables(20, 4, 50))
