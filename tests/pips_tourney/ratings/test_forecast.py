"""Forecasts of nights, and simpler ratings beside them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import tally
from pips_tourney.ratings.forecast import Forecast, forecast, standard_error
from pips_tourney.ratings.reckoning import (
    NightPoints,
    bradley_terry,
    joined,
    night_of,
    reckoned,
)
from tests.lab.simulate.glicko import GLICKO, period
from tests.lab.simulate.leagues import World, league, schedule

STRENGTHS = (-0.6, -0.2, 0.0, 0.1, 0.5)


def played(world: World, deals: int, seed: int) -> Sums:
    seating, block = schedule(world, deals)
    return Sums(tally(league(world, seating, block, np.random.default_rng(seed))))


@pytest.fixture(scope="module")
def before() -> Sums:
    return played(World(5, 2, 0.5, drawn=STRENGTHS), 40, 1)


def even(bots: int, matches: float) -> np.ndarray:
    return matches * (1 - np.eye(bots))


def ahead_of(sums: Sums, bots: tuple[str, ...], matches: float = 40) -> Forecast:
    n = len(bots)
    return forecast(sums, bots, even(n, matches), np.zeros((n, n)))


def test_a_forecast_is_one_of_both_sides_of_a_pair(before: Sums) -> None:
    found = ahead_of(before, before.tally.names)
    pairs = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose((found.score + found.score.T)[pairs], 1)
    np.testing.assert_allclose((found.ahead + found.ahead.T)[pairs], 1)
    np.testing.assert_allclose((found.low + found.high.T)[pairs], 1, atol=0.03)
    assert np.isnan(np.diag(found.score)).all()
    assert found.places.sum(axis=0) == pytest.approx(np.ones(5))
    assert found.places.sum(axis=1) == pytest.approx(np.ones(5))
    assert np.argmax(found.places[:, 0]) == 4


def test_a_new_bot_may_be_anywhere(before: Sums) -> None:
    found = ahead_of(before, (*before.tally.names, "newcomer"))
    width = found.high - found.low
    assert found.score[5, :5].mean() == pytest.approx(0.5, abs=0.05)
    assert width[5, :5].min() > np.nanmax(width[:5, :5])
    assert found.places[5].min() > 0.03


def test_what_was_played_tonight_counts_as_it_came(before: Sums) -> None:
    points = np.triu(np.full((5, 5), 30.0), 1)  # the weakest has won everything, the strongest nothing
    found = forecast(before, before.tally.names, even(5, 0), points)
    np.testing.assert_array_equal(found.places, np.eye(5))
    half = forecast(before, before.tally.names, even(5, 30), points)
    assert half.score[0, 4] == pytest.approx((1 + ahead_of(before, before.tally.names).score[0, 4]) / 2)
    assert half.low[0, 4] >= 0.5


def test_pairs_that_do_not_meet_have_no_forecast(before: Sums) -> None:
    left = np.zeros((5, 5))
    left[0, 1:] = left[1:, 0] = 20
    found = forecast(before, before.tally.names, left, np.zeros((5, 5)))
    assert np.isnan(found.score[1:, 1:]).all()
    assert not np.isnan(found.score[0, 1:]).any()


def test_bots_without_a_bound_are_forecast_too() -> None:
    """One bot has lost everything: it is a group of its own."""
    sums = played(World(4, 2, 0.5, drawn=(-9.0, 0.0, 0.1, 0.2)), 10, 2)
    found = ahead_of(sums, sums.tally.names)
    assert found.score[0, 1:].max() < 0.1
    assert found.places[0, 3] > 0.99


@pytest.mark.parametrize(("seats", "deals"), [(2, 40), (4, 10)])
def test_the_error_of_a_night_is_known_before_it(seats: int, deals: int) -> None:
    world = World(6, seats, 0.5, drawn=(0.0,) * 6)
    sums = played(world, deals, 3)
    matches = float(sums.meetings.matches.mean())
    truly = np.sqrt(sums.errors.variance[:6, :6][np.triu_indices(6, 1)].mean()) * sums.unit
    assert standard_error(sums, 6, matches) == pytest.approx(truly, rel=0.15)


def test_glicko_2_is_that_of_its_paper() -> None:
    """Its worked example."""
    rating, deviation = np.array([1500.0, 1400, 1550, 1700]), np.array([200.0, 30, 100, 300])
    points = np.zeros((4, 4))
    points[0, 1] = points[2, 0] = points[3, 0] = 1
    mu, phi, sigma = period((rating - 1500) / GLICKO, deviation / GLICKO, np.full(4, 0.06), points)
    assert mu[0] * GLICKO + 1500 == pytest.approx(1464.06, abs=0.02)
    assert phi[0] * GLICKO == pytest.approx(151.52, abs=0.01)
    assert sigma[0] == pytest.approx(0.05999, abs=1e-5)


def test_bradley_terry_is_the_maximum_of_its_likelihood() -> None:
    points = np.array([[0, 7, 9], [3, 0, 6], [1, 4, 0]], float)

    def lost(theta: np.ndarray) -> float:
        chance = 1 / (1 + np.exp(theta - theta[:, None]))
        level = 1 / (1 + np.exp(-theta))
        return float(-(points * np.log(chance)).sum() - (np.log(level) + np.log(1 - level)).sum() / 2)

    theta = minimize(lost, np.zeros(3), tol=1e-10).x
    np.testing.assert_allclose(bradley_terry([points]), 1 / (1 + np.exp(theta - theta[:, None])), atol=1e-4)


def test_a_reckoning_holds_a_forecast_to_what_came(before: Sums) -> None:
    earlier = [night_of(before)]
    tonight = night_of(played(World(5, 2, 0.5, drawn=STRENGTHS), 40, 4))
    turned = NightPoints(tonight.bots, tonight.points.T)
    good, bad = (reckoned(before, earlier, night) for night in (tonight, turned))
    assert len(good.pairs) == 10
    assert good.held > 0.6 > bad.held
    assert all(good.loss[model] < bad.loss[model] for model in set(good.loss))
    assert good.firsts[0][1] > 0.3 > bad.firsts[0][1]
    level = reckoned(before, earlier, NightPoints(tonight.bots, np.ones((5, 5)) - np.eye(5)))
    [(bots, chance)] = level.firsts
    assert bots == tonight.bots  # all share the first place
    assert chance == pytest.approx(1)
    both = joined([good, bad])
    assert both.held == (good.held + bad.held) / 2
    assert sum(each.matches for each in both.calibration("Pips")) == sum(pair.matches for pair in both.pairs)
