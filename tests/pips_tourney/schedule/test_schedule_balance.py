"""A choice of tables is as even as any choice can be."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from pips_tourney.schedule.balance import balance, balanced_tables
from pips_tourney.schedule.league import round_robin

SMALL = [(bots, seats) for bots in range(3, 9) for seats in range(2, bots)]


def incidence(bots: int, seats: int) -> tuple[np.ndarray, np.ndarray]:
    """(tables, bots) and (tables, pairs): who sits, and who meets, at every table."""
    tables = list(combinations(range(bots), seats))
    sits = np.array([[bot in table for bot in range(bots)] for table in tables], np.int8)
    meets = np.array(
        [[a in table and b in table for a, b in combinations(range(bots), 2)] for table in tables], np.int8
    )
    return sits, meets


def found_spread(bots: int, seats: int, tables: int) -> int:
    low, high = balance(bots, balanced_tables(bots, seats, tables)).meetings
    return high - low


@pytest.mark.unmeasured
@pytest.mark.parametrize(("bots", "seats"), SMALL)
def test_every_bot_gets_as_many_tables_as_every_other_to_within_one(bots: int, seats: int) -> None:
    every = comb(bots, seats)
    for tables in sorted({1, every // 5 + 1, every // 3, every // 2, every - 1, every} - {0}):
        chosen = balanced_tables(bots, seats, tables)
        assert len(set(chosen)) == len(chosen) == tables
        least, most = balance(bots, chosen).tables
        assert most - least <= 1


@pytest.mark.unmeasured
@pytest.mark.parametrize(("bots", "seats"), [(bots, seats) for bots, seats in SMALL if comb(bots, seats) <= 15])
def test_no_choice_at_all_is_more_even_among_pairs(bots: int, seats: int) -> None:
    """Exhaustive: every set of tables."""
    sits, meets = incidence(bots, seats)
    every = np.arange(1 << len(sits), dtype=np.int32)
    played, met = np.zeros((2, 1, 1), np.int8)
    for table, (bots_row, pairs_row) in enumerate(zip(sits, meets, strict=True)):
        chosen = (every >> table & 1).astype(np.int8)[:, None]
        played, met = played + chosen * bots_row, met + chosen * pairs_row
    fair = played.max(axis=1) - played.min(axis=1) <= 1
    spread = met.max(axis=1) - met.min(axis=1)
    size = np.bitwise_count(every)
    for tables in range(1, len(sits)):
        assert found_spread(bots, seats, tables) <= max(1, int(spread[fair & (size == tables)].min()))


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("bots", "seats", "tables"),
    [(7, 4, 3), (7, 4, 17), (7, 5, 12), (8, 3, 9), (8, 4, 5), (8, 4, 33), (8, 5, 22), (8, 6, 11)],
)
def test_where_pairs_differ_by_two_nothing_better_exists(bots: int, seats: int, tables: int) -> None:
    """Exhaustive, by branch and bound over all sets of tables of 7 and 8 bots."""
    found = found_spread(bots, seats, tables)
    assert found == 2
    sits, meets = incidence(bots, seats)
    each, over = divmod(tables * seats, bots)
    low = tables * comb(seats, 2) // comb(bots, 2)
    limits = [
        LinearConstraint(np.ones((1, len(sits))), tables, tables),
        LinearConstraint(sits.T, each, each + (over > 0)),
        LinearConstraint(meets.T, low, low + 1),
    ]
    answer = milp(np.zeros(len(sits)), constraints=limits, integrality=np.ones(len(sits), np.int8), bounds=Bounds(0, 1))
    assert answer.status == 2  # infeasible


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("bots", "seats", "tables", "meetings"),
    [(7, 3, 7, 1), (9, 3, 12, 1), (13, 4, 13, 1), (16, 4, 20, 1), (8, 4, 14, 3), (25, 3, 300, 3)],
)
def test_famous_designs_are_found(bots: int, seats: int, tables: int, meetings: int) -> None:
    assert balance(bots, balanced_tables(bots, seats, tables)).meetings == (meetings, meetings)


@pytest.mark.unmeasured
@pytest.mark.parametrize(("bots", "seats"), [(24, 3), (17, 4), (30, 4), (100, 4), (40, 5), (20, 6), (100, 2)])
def test_large_fields_are_even_to_within_one(bots: int, seats: int) -> None:
    chosen = balanced_tables(bots, seats, 2000)
    (least, most), (fewest, often) = (even := balance(bots, chosen)).tables, even.meetings
    assert (len(set(chosen)), most - least, often - fewest) in {(2000, 0, 0), (2000, 1, 0), (2000, 0, 1), (2000, 1, 1)}


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
