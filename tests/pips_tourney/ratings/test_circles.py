"""Circles: found where there are some, seldom where there are none; and the lottery."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from pips_tourney.ratings.circles import lottery_shares
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.sums import Model
from pips_tourney.ratings.tally import Columns
from tests.lab.simulate.better import ADA_AND_BO, circle, edges
from tests.lab.simulate.leagues import World, league, schedule

THREE = edges(3, {(0, 1): 0.65, (1, 2): 0.65, (2, 0): 0.65})


def test_rock_paper_and_scissors_are_told() -> None:
    ratings = rate(circle(THREE, 100, np.random.default_rng(1)))
    found = ratings.circles
    assert found is not None and found.found
    assert found.circle == ("bot0", "bot1", "bot2")
    assert found.fits < 0.006
    assert found.low <= found.share <= found.high and found.share > 0.8
    assert {(each.bot, each.opponent) for each in found.problems} == {
        ("bot1", "bot0"), ("bot2", "bot1"), ("bot0", "bot2")
    }  # fmt: skip
    assert sum(each.share for each in found.lottery) == pytest.approx(1, abs=0.02)


def test_where_an_order_is_the_whole_story_nothing_is_said() -> None:
    rng, world = np.random.default_rng(2), World(6, 2, 0.5)
    for _ in range(10):
        found = rate(league(world, *schedule(world, 20), rng)).circles
        assert found is not None and not found.found
        assert (found.circle, found.lottery, found.problems) == ((), (), ())
        assert found.low <= found.share <= found.high
    tables = World(5, 4, 0.5)
    found = rate(league(tables, *schedule(tables, 20), rng)).circles
    assert found is not None and not found.found


def test_who_crushes_the_weak_has_problem_opponents_and_no_circle() -> None:
    found = rate(circle(ADA_AND_BO, 100, np.random.default_rng(3))).circles
    assert found is not None and found.found and not found.circle
    worst = found.problems[0]
    assert (worst.bot, worst.opponent) == ("bot1", "bot0")
    assert worst.score < 0.5 < worst.expected
    assert found.lottery[0].bot == "bot0"


def test_nothing_is_said_of_too_little() -> None:
    rng = np.random.default_rng(4)
    assert rate(circle(THREE, 4, rng)).circles is None
    assert rate(circle(edges(2, {(0, 1): 0.6}), 50, rng)).circles is None
    assert rate(circle(THREE, 100, rng), model=Model(method=1)).circles is None


def antisymmetric(bots: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).uniform(-0.5, 0.5, (bots, bots))
    return (drawn - drawn.T) / 2


@pytest.mark.parametrize(("bots", "seed"), [(3, 1), (4, 2), (5, 3), (7, 4), (9, 5)])
def test_the_lottery_is_that_of_a_linear_program(bots: int, seed: int) -> None:
    payoff = antisymmetric(bots, seed)
    exact = linprog(
        np.zeros(bots), A_ub=-payoff.T, b_ub=np.zeros(bots), A_eq=np.ones((1, bots)), b_eq=[1.0]
    ).x  # a game of two equals has the value 0
    found = lottery_shares(payoff)
    assert found == pytest.approx(exact, abs=1e-6)


def test_a_copy_of_a_bot_moves_nobody() -> None:
    payoff = edges(4, {(0, 1): 0.7, (1, 2): 0.6, (2, 0): 0.65, (0, 3): 0.9, (1, 3): 0.9, (2, 3): 0.9}) - 0.5
    twice = np.pad(payoff, (0, 1))
    twice[4, :4], twice[:4, 4] = payoff[1], -payoff[1]
    alone, with_copy = lottery_shares(payoff), lottery_shares(twice)
    assert with_copy[[0, 2, 3]] == pytest.approx(alone[[0, 2, 3]], abs=1e-9)
    assert with_copy[[1, 4]] == pytest.approx(np.full(2, alone[1] / 2), abs=1e-9)


def test_a_copy_of_a_bot_moves_nobody_in_a_league() -> None:
    """The copy has the results of bot 1, and is level with it."""
    alone = circle(THREE, 100, np.random.default_rng(1))
    own = (alone.seating == 1).any(axis=1)
    pair = np.tile([[1, 3], [3, 1]], (100, 1))
    twice = Columns(
        [*alone.names, "copy"],
        np.concatenate([alone.block, 1000 + alone.block[own], 2000 + np.repeat(np.arange(100), 2)]),
        np.concatenate([alone.seating, np.where(alone.seating[own] == 1, 3, alone.seating[own]), pair]),
        np.concatenate([alone.places, alone.places[own], np.ones_like(pair)]),
    )
    before, after = rate(alone).circles, rate(twice).circles
    assert before is not None and after is not None and before.found and after.found
    shares = [{each.bot: each.share for each in found.lottery} for found in (before, after)]
    assert shares[1]["bot1"] + shares[1]["copy"] == pytest.approx(shares[0]["bot1"], abs=0.011)
    for bot in ("bot0", "bot2"):
        assert shares[1][bot] == pytest.approx(shares[0][bot], abs=0.001)


def test_the_draws_are_the_same_everywhere() -> None:
    """The digest of a night's standings depends on them.

    Raw streams of PCG64 are promised never to change.
    """
    assert [int(bits) for bits in np.random.PCG64(20).random_raw(2)] == [5166489603836389754, 8506655336168082078]
    columns = circle(THREE, 40, np.random.default_rng(6))
    assert rate(columns).circles == rate(columns).circles
