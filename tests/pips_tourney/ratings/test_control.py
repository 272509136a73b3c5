"""A control variate: what it takes from results, and what stays as it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import tanh

import numpy as np
import pytest

from pips_tourney.ratings.control import controlled
from pips_tourney.ratings.davidson import fit, moments, pairs
from pips_tourney.ratings.rate import only_elos, rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.tally import Columns, tally
from tests.lab.simulate.control import world_league
from tests.lab.simulate.leagues import World

WORLDS = [World(4, 2, 0.5), World(6, 4, 0.3)]


def results_of(columns: Columns) -> list[Result]:
    """The same matches one by one; an empty control is none."""
    controls = [None] * len(columns.block) if columns.control is None else map(tuple, columns.control.tolist())
    return [
        Result(str(block), tuple(columns.names[bot] for bot in bots), tuple(places), control=control)
        for block, bots, places, control in zip(
            columns.block, columns.seating.tolist(), columns.places.tolist(), controls, strict=True
        )
    ]


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_intervals_become_narrower_and_points_stay(world: World) -> None:
    with_control, plain = (rate(each) for each in world_league(world, np.random.default_rng(1)))
    assert plain.narrower is None
    assert with_control.narrower is not None and with_control.narrower < 0.98
    for row in with_control.rows:
        other = plain[row.bot]
        assert (row.points, row.matches, row.deals) == (other.points, other.matches, other.deals)
    assert with_control.matches == plain.matches
    assert with_control.draw == pytest.approx(plain.draw, rel=0.05)


def test_what_is_taken_is_fitted_on_all_other_deals() -> None:
    """A brute-force twin, match by match."""
    columns, _ = world_league(World(4, 2, 0.5), np.random.default_rng(2))
    counted = tally(columns)
    group = np.zeros(4, np.int64)
    paired = pairs(counted, group)
    fitted = fit(paired, group, 0.5)
    shifted = controlled(counted, paired, fitted)
    assert shifted.shift is not None and columns.control is not None
    leads = [a - b for a, b in columns.control.tolist()]
    usual = (sum(lead**2 for lead in leads) / len(leads)) ** 0.5
    points = [tanh(lead / usual) / 2 for lead in leads]
    mean = sum(points) / len(points)
    deals = []
    for bots, (first, second), control in zip(columns.seating.tolist(), columns.places.tolist(), points, strict=True):
        entry = np.array([*bots, 5, 6])
        m = moments(fitted.difference(entry), fitted.theta[fitted.layout.tie])
        surprise = (0.5 + (second > first) / 2 - (second < first) / 2) - float(m.score)
        deals.append((surprise, 4 * float(m.var_score) * (control - mean)))
    with_luck, of_luck = sum(y * x for y, x in deals), sum(x * x for _, x in deals)
    taken = sum(x * (with_luck - y * x) / (of_luck - x * x) for y, x in deals)
    assert (shifted.shift[:, 0] * counted.kind_count).sum() == pytest.approx(taken, abs=1e-9)


def test_the_order_of_results_makes_no_difference() -> None:
    columns, _ = world_league(World(4, 2, 0.5), np.random.default_rng(3))
    results = results_of(columns)
    assert rate(results[::-1]) == rate(results) == rate(columns)
    kinds = Counter((result.bots, result.places, result.control) for result in results)
    assert only_elos(kinds) == {row.bot: row.elo for row in rate(results).rows}


def test_a_control_that_always_ties_changes_nothing() -> None:
    columns, plain = world_league(World(4, 2, 0.5), np.random.default_rng(4))
    tied = replace(columns, control=np.ones_like(columns.places))
    found = rate(tied)
    assert found.narrower == 1.0
    assert replace(found, narrower=None) == rate(plain)


def test_matches_without_a_control_count_as_they_are() -> None:
    """A season goes on over nights of before there were controls."""
    columns, plain = world_league(World(4, 2, 0.7), np.random.default_rng(5))
    half = [each if number % 2 else replace(each, control=None) for number, each in enumerate(results_of(columns))]
    widths = [rate(each).narrower for each in (results_of(columns), half)]
    assert widths[0] is not None and widths[1] is not None
    assert widths[0] < widths[1] < 1.0
    assert rate(results_of(plain)).narrower is None


def test_strengths_keep_their_meaning() -> None:
    """With controls or without, the mean over many leagues is the same."""
    rng = np.random.default_rng(6)
    found = []
    for _ in range(60):
        with_control, plain = (rate(each) for each in world_league(World(3, 2, 0.6), rng))
        found.append([ratings.difference("bot2", "bot0").elo for ratings in (with_control, plain)])
    gap = np.diff(np.array(found, float))[:, 0]
    assert abs(gap.mean()) < 4 * gap.std() / len(gap) ** 0.5
    spread = np.array(found, float).std(axis=0)
    assert spread[0] < spread[1]
