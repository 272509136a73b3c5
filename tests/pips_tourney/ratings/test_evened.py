"""Combinations that played more deals weigh no more than others."""

from __future__ import annotations

from itertools import product

import pytest

from pips_tourney.ratings import Model, Result, rate
from pips_tourney.ratings.stopping import Settled


def circle(deals: dict[str, int]) -> list[Result]:
    """A beats B, B beats C and C beats A, each 3 deals of 4."""
    found = []
    for pair, count in deals.items():
        for deal, turn in product(range(count), (0, 1)):
            bots = tuple(pair if turn else pair[::-1])
            won = pair[0] if deal % 4 else pair[1]
            found.append(Result(f"{pair}{deal}", bots, tuple(1 if bot == won else 2 for bot in bots)))
    return found


def test_a_circle_is_level_however_often_one_pair_played() -> None:
    uneven = circle({"ab": 400, "bc": 20, "ca": 20})
    elos = {row.bot: row.elo for row in rate(uneven, model=Model(evened=True)).rows}
    assert elos == pytest.approx(dict.fromkeys("abc", 1500.0), abs=0.02)
    without = {row.bot: row.elo or 0.0 for row in rate(uneven).rows}
    assert without["a"] - without["b"] > 100


def test_with_equal_deals_nothing_changes() -> None:
    even = circle({"ab": 40, "bc": 40, "ca": 40})
    assert rate(even, model=Model(evened=True)).rows == rate(even).rows


def test_rounds_give_up_a_pair_that_the_limit_would_hardly_decide() -> None:
    level = Settled(max_deals=100, turn=1).judge(["a", "b", "c"], [0.5, 0.97], 53)
    assert [(pair.given_up, pair.decided) for pair in level.pairs] == [(True, False), (False, False)]
    assert [pair.is_open for pair in level.pairs] == [False, True]
    assert not any(pair.given_up for pair in Settled(max_deals=80).judge(["a", "b"], [0.5], 40).pairs)


def test_adaptive_looks_are_whole_turns() -> None:
    looks = Settled(max_deals=100, turn=6).looks
    assert looks == (12, 18, 30, 48, 72, 100)
