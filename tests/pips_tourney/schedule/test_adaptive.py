"""Plans of adaptive rounds keep their promises for every field."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, NonlinearConstraint, minimize

from pips_tourney.schedule.adaptive import Table, next_depths, play_depths, whole_turn, within

NAMES = tuple("abcdefg")


def tables(bots: int, seats: int) -> list[tuple[str, ...]]:
    return list(combinations(NAMES[:bots], seats))


@given(st.integers(4, 7), st.integers(2, 4), st.sets(st.integers(0, 5), min_size=1), st.integers(10, 90))
def test_open_pairs_alone_get_deals_and_no_combination_loses_any(
    bots: int, seats: int, which: set[int], level: int
) -> None:
    neighbours = list(pairwise(NAMES[:bots]))
    pairs = [neighbours[at % len(neighbours)] for at in sorted(which)]
    turn = whole_turn(seats, duplicate=True)
    before = dict.fromkeys(tables(bots, seats), 2 * turn)
    planned = next_depths(before, pairs, level, 60 * turn, turn)
    for table, deals in planned.items():
        assert before[table] <= deals <= 60 * turn
        assert deals % turn == 0
        if not any(bot in table for pair in pairs for bot in pair):
            assert deals == before[table]
    for a, b in pairs:
        told = [(planned[table], a in table and b in table) for table in planned if a in table or b in table]
        most_apart = max((deals for deals, both in told if not both), default=0)
        assert all(deals >= most_apart or len(pairs) > 1 for deals, both in told if both)


def test_two_bots_get_what_equal_deals_would_tell_of_them() -> None:
    before = dict.fromkeys(tables(6, 2), 10)
    planned = next_depths(before, [("a", "b")], 600, 10_000, 1)
    assert planned["a", "b"] == 1000
    assert {planned["a", other] for other in "cdef"} == {planned["b", other] for other in "cdef"} == {500}
    assert {planned[pair] for pair in combinations("cdef", 2)} == {10}
    # The variance of the difference: 4 parts of their own table, 1 of each other one.
    assert 4 / 1000 + 8 / 500 == 4 / 600 + 8 / 600


def told(bots: int, seats: int, pairs: list[tuple[str, str]]) -> np.ndarray:
    """(pairs, tables) the parts of the variance of a pair that tables have."""
    both = 2 * seats / (seats - 1)
    parts = [[(0, 1, both)[(a in table) + (b in table)] for table in tables(bots, seats)] for a, b in pairs]
    return np.array(parts, float)


@pytest.mark.parametrize(("bots", "seats", "which"), [(6, 2, "ab bc de"), (6, 4, "ab bc cd"), (5, 3, "ab de")])
def test_the_deals_are_the_fewest_that_tell_as_much(bots: int, seats: int, which: str) -> None:
    pairs = [(pair[0], pair[1]) for pair in which.split()]
    parts, every = told(bots, seats, pairs), tables(bots, seats)
    planned = next_depths(dict.fromkeys(every, 100), pairs, 10_000, 100_000, 1)
    found = np.array([planned[table] for table in every])
    aims = parts.sum(axis=1) / 10_000
    assert np.all((parts / found).sum(axis=1) <= aims * 1.002)

    def left(share: np.ndarray) -> np.ndarray:
        return np.asarray(1 - (parts / (10_000 * share)).sum(axis=1) / aims)

    def total(share: np.ndarray) -> float:
        return float(share.sum())

    enough = NonlinearConstraint(left, 0.0, np.inf)
    twin = minimize(total, np.ones(len(every)), method="SLSQP", bounds=Bounds(0.01, 10), constraints=[enough])
    assert found.sum() == pytest.approx(10_000 * twin.fun, rel=0.005)


def test_what_was_played_already_is_counted() -> None:
    pairs, every = [("a", "b")], tables(5, 2)
    before = dict.fromkeys(every, 20) | {("a", "c"): 400}
    planned = next_depths(before, pairs, 60, 1000, 1)
    fresh = next_depths(dict.fromkeys(every, 20), pairs, 60, 1000, 1)
    parts, deals = told(5, 2, pairs)[0], np.array([planned[table] for table in every])
    assert (parts / deals).sum() <= parts.sum() / 60 * 1.01
    assert planned["a", "b"] < fresh["a", "b"]
    assert planned["a", "c"] == 400


@given(st.integers(4, 7), st.integers(2, 4), st.integers(1, 300))
def test_no_more_than_equal_deals_are_planned(bots: int, seats: int, level: int) -> None:
    every, pairs = tables(bots, seats), list(pairwise(NAMES[:bots]))
    planned = next_depths(dict.fromkeys(every, 1), pairs, level, 1000, 1)
    assert sum(planned.values()) <= len(every) * (level + 1)


def test_in_a_gauntlet_only_the_tables_of_the_pair_tell() -> None:
    before: dict[Table, int] = dict.fromkeys([("a", "hero"), ("b", "hero"), ("c", "hero")], 10)
    assert next_depths(before, [("a", "hero")], 40, 100, 1, "hero") == before | {("a", "hero"): 40}
    assert next_depths(before, [("a", "b")], 40, 100, 1, "hero") == before | {("a", "hero"): 40, ("b", "hero"): 40}


@given(st.lists(st.integers(0, 12), min_size=1, max_size=15), st.integers(0, 100), st.integers(1, 6))
def test_a_budget_is_never_overdrawn(lacks: list[int], deals: int, turn: int) -> None:
    every = tables(6, 2)[: len(lacks)]
    before = dict.fromkeys(every, 10)
    planned = {table: 10 + turn * lack for table, lack in zip(every, lacks, strict=True)}
    found = within(before, planned, deals, turn)
    given_out = 0 if found is None else sum(found.values()) - sum(before.values())
    assert given_out <= deals
    if sum(lacks):
        assert (found is None) == (deals < turn)
    assert found is None or all(before[table] <= found[table] <= planned[table] for table in every)
    assert deals < turn * sum(lacks) or found is None or found == planned


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=6, max_size=6))
def test_a_round_plays_exactly_the_deals_between_two_depths(ends: list[tuple[int, int]]) -> None:
    every = tables(4, 2)
    before = {table: low for table, (low, _) in zip(every, ends, strict=True)}
    planned = {table: low + more for table, (low, more) in zip(every, ends, strict=True)}
    played = [(match.combination, match.deal, match.rotation) for match in play_depths(before, planned)]
    assert len(set(played)) == len(played)
    wanted = {
        (table, deal, turn) for table in every for deal in range(before[table], planned[table]) for turn in (0, 1)
    }
    assert set(played) == wanted
