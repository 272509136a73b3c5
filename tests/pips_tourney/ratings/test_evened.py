"""Combinations that played more deals weigh no more than others."""

from __future__ import annotations

from itertools import product

import pytest

from pips_tourney.ratings.margins import rate_margins
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.stopping import Settled


def circle(deals: dict[str, int]) -> list[Result]:
    """A beats B, B beats C and C beats A, each 3 deals of 4."""
    found = []
    for pair, count in deals.items():
        for deal, turn in product(range(count), (0, 1)):
            bots = tuple(pair if turn else pair[::-1])
            won = pair[0] if deal % 4 else pair[1]
            places, scores = tuple(1 if bot == won else 2 for bot in bots), tuple(float(bot == won) for bot in bots)
            found.append(Result(f"{pair}{deal}", bots, places, scores))
    return found


def test_a_circle_is_level_however_often_one_pair_played() -> None:
    uneven = circle({"ab": 400, "bc": 20, "ca": 20})
    elos = {row.bot: row.elo for row in rate(uneven, weigh_alike=True).rows}
    assert elos == pytest.approx(dict.fromkeys("abc", 1500.0), abs=0.02)
    without = {row.bot: row.elo or 0.0 for row in rate(uneven).rows}
    assert without["a"] - without["b"] > 100


def test_with_equal_deals_nothing_changes() -> None:
    even = circle({"ab": 40, "bc": 40, "ca": 40})
    assert rate(even, weigh_alike=True).rows == rate(even).rows


def test_margins_of_a_circle_are_level_too() -> None:
    uneven = circle({"ab": 400, "bc": 20, "ca": 20})
    found, without = rate_margins(uneven, 3.0, evened=True), rate_margins(uneven, 3.0)
    assert found is not None and without is not None
    assert {row.bot: row.margin for row in found.rows} == pytest.approx(dict.fromkeys("abc", 0.0), abs=1e-4)
    assert without.rows[0].margin - without.rows[-1].margin > 0.3
    # As uncertain as the deals of the two pairs that played few.
    [a, *_] = [row for row in found.rows if row.bot == "a"]
    even = rate_margins(circle({"ab": 20, "bc": 20, "ca": 20}), 3.0)
    assert even is not None and a.high is not None and a.low is not None
    low, high = next((row.low, row.high) for row in even.rows if row.bot == "a")
    assert low is not None and high is not None
    assert 0.7 * (high - low) < a.high - a.low < high - low


def test_with_equal_deals_no_margin_changes() -> None:
    even = circle({"ab": 40, "bc": 40, "ca": 40})
    assert rate_margins(even, 3.0, evened=True) == rate_margins(even, 3.0)


def test_rounds_give_up_a_pair_that_the_limit_would_hardly_decide() -> None:
    level = Settled.adaptive(0.95, 100, 1).judge(["a", "b", "c"], [0.5, 0.97], 55)
    assert [(pair.given_up, pair.decided) for pair in level.pairs] == [(True, False), (False, False)]
    assert [pair.is_open for pair in level.pairs] == [False, True]
    assert not any(pair.given_up for pair in Settled(max_deals=80).judge(["a", "b"], [0.5], 40).pairs)


def test_adaptive_looks_are_whole_turns() -> None:
    assert Settled.adaptive(0.95, 100, 6).looks == (12, 18, 24, 30, 42, 54, 72, 90, 100)
