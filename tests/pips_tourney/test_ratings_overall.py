"""One rating over several games."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from random import Random

import pytest

from pips_tourney.ratings import Ratings, Result, rate
from pips_tourney.ratings.overall import overall


def game(strengths: dict[str, float], deals: int, seed: int) -> Ratings:
    rng = Random(seed)
    results = []
    for a, b in combinations(strengths, 2):
        for deal in range(deals):
            for seating in ((a, b), (b, a)):
                lead = strengths[seating[0]] - strengths[seating[1]] + rng.gauss(0, 1)
                results.append(Result(f"{a}{b}{deal}", seating, (1, 2) if lead > 0 else (2, 1)))
    return rate(results)


THREE = {"a": 0.6, "b": 0.0, "c": -0.6}


def test_elos_are_averaged_and_errors_add_as_squares() -> None:
    games = {"dice": game(THREE, 40, 1), "cards": game(THREE, 40, 2)}
    rows = overall(games)
    assert [row.bot for row in rows] == ["a", "b", "c"]
    for row in rows:
        parts = [games[name][row.bot] for name in games]
        assert row.elo == pytest.approx(sum(part.elo or 0 for part in parts) / 2, abs=0.01)
        halves = [((part.high or 0) - (part.low or 0)) / 2 for part in parts]
        assert ((row.high or 0) - (row.low or 0)) / 2 == pytest.approx(sqrt(sum(h**2 for h in halves)) / 2, rel=0.02)
    assert rows[0].better is not None
    assert rows[0].better > max(games[name].difference("a", "b").better or 0 for name in games) - 0.01
    assert rows[-1].better is None


def test_weights_move_the_mean() -> None:
    games = {"dice": game(THREE, 20, 1), "cards": game(dict(zip("abc", (-0.6, 0.0, 0.6), strict=True)), 20, 2)}
    assert overall(games, {"dice": 9.0, "cards": 1.0})[0].bot == "a"
    assert overall(games, {"dice": 1.0, "cards": 9.0})[0].bot == "c"


def test_a_bound_in_one_game_is_a_bound_over_all() -> None:
    games = {"dice": game(THREE, 20, 1), "cards": game(THREE | {"a": 20.0}, 20, 2)}
    best = overall(games)[0]
    assert (best.bot, best.bound, best.elo, best.high, best.better) == ("a", ">", None, None, None)
    assert best.low == pytest.approx(((games["dice"]["a"].low or 0) + (games["cards"]["a"].low or 0)) / 2, abs=0.01)
    worst = overall({"dice": games["dice"], "cards": game(THREE | {"c": -20.0}, 20, 2)})[-1]
    assert (worst.bot, worst.bound, worst.low) == ("c", "<", None)


def test_bounds_that_point_both_ways_say_nothing() -> None:
    games = {"dice": game(THREE | {"a": 20.0}, 20, 1), "cards": game(THREE | {"a": -20.0}, 20, 2)}
    assert overall(games)[-1].bot == "a"
    assert (overall(games)[-1].elo, overall(games)[-1].bound) == (None, "")


def test_a_missing_game_is_named() -> None:
    games = {"dice": game(THREE, 20, 1), "cards": game({"a": 0.0, "b": 0.0}, 20, 2)}
    last = overall(games)[-1]
    assert (last.bot, last.elo, last.missing) == ("c", None, ("cards",))
    assert overall(games)[1].better is None


def test_few_deals_give_a_mean_without_an_interval() -> None:
    games = {"dice": game(THREE, 20, 1), "cards": game(dict.fromkeys("abc", 0.0), 4, 2)}
    rows = overall(games)
    assert all(row.elo is not None and row.low is None for row in rows)
    assert rows[0].better is None


@pytest.mark.parametrize("weights", [{}, {"dice": 1.0, "cards": 1.0}, {"dice": 0.0}])
def test_weights_that_do_not_fit(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="weight"):
        overall({"dice": game(THREE, 2, 1)}, weights)
    with pytest.raises(ValueError, match="no games"):
        overall({})
