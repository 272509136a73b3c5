"""Circles: found if there are some, seldom if there are none."""

from __future__ import annotations

import numpy as np

from pips_tourney.ratings.rate import rate
from tests.lab.simulate.better import ADA_AND_BO, circle, edges
from tests.lab.simulate.leagues import World, league, schedule

THREE = edges(3, {(0, 1): 0.65, (1, 2): 0.65, (2, 0): 0.65})


def test_rock_paper_and_scissors_are_told() -> None:
    ratings = rate(circle(THREE, 100, np.random.default_rng(1)))
    found = ratings.circles
    assert found is not None and found.found
    assert found.circle == ("bot0", "bot1", "bot2")
    assert found.fits < 0.006


def test_where_an_order_is_the_whole_story_nothing_is_said() -> None:
    rng, world = np.random.default_rng(2), World(6, 2, 0.5)
    for _ in range(10):
        found = rate(league(world, *schedule(world, 20), rng)).circles
        assert found is not None and not found.found
        assert found.circle == ()
    tables = World(5, 4, 0.5)
    found = rate(league(tables, *schedule(tables, 20), rng)).circles
    assert found is not None and not found.found


def test_who_crushes_the_weak_makes_no_circle() -> None:
    found = rate(circle(ADA_AND_BO, 100, np.random.default_rng(3))).circles
    assert found is not None and found.found and not found.circle


def test_nothing_is_said_of_too_little() -> None:
    rng = np.random.default_rng(4)
    assert rate(circle(THREE, 4, rng)).circles is None
    assert rate(circle(edges(2, {(0, 1): 0.6}), 50, rng)).circles is None


def test_the_draws_are_the_same_everywhere() -> None:
    """The digest of a night's standings depends on them.

    Raw streams of PCG64 are promised never to change.
    """
    assert [int(bits) for bits in np.random.PCG64(20).random_raw(2)] == [5166489603836389754, 8506655336168082078]
    columns = circle(THREE, 40, np.random.default_rng(6))
    assert rate(columns).circles == rate(columns).circles
