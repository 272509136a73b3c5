"""One rating over several games."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from random import Random

import pytest

from pips_tourney.ratings.overall import overall
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.table import Ratings


def game(strengths: dict[str, float], deals: int, seed: int) -> Ratings:
    return rate(game_results(strengths, deals, seed))


def game_results(strengths: dict[str, float], deals: int, seed: int) -> list[Result]:
    rng = Random(seed)
    results = []
    for a, b in combinations(strengths, 2):
        for deal in range(deals):
            for seating in ((a, b), (b, a)):
                lead = strengths[seating[0]] - strengths[seating[1]] + rng.gauss(0, 1)
                results.append(Result(f"{a}{b}{deal}", seating, (1, 2) if lead > 0 else (2, 1)))
    return results


THREE = {"a": 0.6, "b": 0.0, "c": -0.6}


def test_elos_are_averaged_and_errors_add_as_squares() -> None:
    games = {"dice": game(THREE, 40, 1), "cards": game(THREE, 40, 2)}
    of = overall(games)
    assert [row.bot for row in of.rows] == ["a", "b", "c"]
    for row in of.rows:
        parts = [games[name][row.bot] for name in games]
        assert row.elo == pytest.approx(sum(part.elo or 0 for part in parts) / 2, abs=0.01)
        halves = [((part.high or 0) - (part.low or 0)) / 2 for part in parts]
        assert ((row.high or 0) - (row.low or 0)) / 2 == pytest.approx(sqrt(sum(h**2 for h in halves)) / 2, rel=0.02)
        for mark in ("points", "matches", "deals"):
            assert getattr(row, mark) == pytest.approx(sum(getattr(part, mark) for part in parts))
    assert (of.games, of.missing) == (("cards", "dice"), {})
    assert (of.matches, of.deals) == tuple(
        sum(getattr(game, of_) for game in games.values()) for of_ in ("matches", "deals")
    )


def test_every_pair_has_a_difference_with_its_interval() -> None:
    games = {"dice": game(THREE, 40, 1), "cards": game(THREE, 40, 2)}
    of = overall(games)
    assert [(d.a, d.b) for d in of.differences] == [("a", "b"), ("a", "c"), ("b", "c")]
    for d in of.differences:
        parts = [part.difference(d.a, d.b) for part in games.values()]
        assert d.elo == pytest.approx(sum(part.elo or 0 for part in parts) / 2, abs=0.01)
        halves = [((part.high or 0) - (part.low or 0)) / 2 for part in parts]
        assert ((d.high or 0) - (d.low or 0)) / 2 == pytest.approx(sqrt(sum(h**2 for h in halves)) / 2, rel=0.02)
        assert d.deals == sum(part.deals for part in parts)
        assert (d.better or 0) > max(part.better or 0 for part in parts) - 0.01


def test_a_bound_in_one_game_is_a_bound_over_all() -> None:
    games = {"dice": game(THREE, 20, 1), "cards": game(THREE | {"a": 20.0}, 20, 2)}
    of = overall(games)
    best, above = of.rows[0], of.difference("a", "b")
    assert (best.bot, best.bound, best.elo, best.high) == ("a", ">", None, None)
    assert (above.bound, above.elo, above.high, above.better) == (">", None, None, None)
    lows = [part.difference("a", "b").low or 0 for part in games.values()]
    assert above.low == pytest.approx(sum(lows) / 2, abs=0.01)
    assert best.low == pytest.approx(((games["dice"]["a"].low or 0) + (games["cards"]["a"].low or 0)) / 2, abs=0.01)
    worst = overall({"dice": games["dice"], "cards": game(THREE | {"c": -20.0}, 20, 2)}).rows[-1]
    assert (worst.bot, worst.bound, worst.low) == ("c", "<", None)


def test_a_bound_stands_at_its_end_among_the_rated() -> None:
    """The bound is not at the top or the bottom of the table, as in one game.

    More is known of the bot.
    """
    wide = {"a": 1.5, "b": 0.5, "c": -0.5, "d": -1.5}
    alike = dict.fromkeys("bcd", 0.0)
    games = {str(seed): game(wide, 50, seed) for seed in range(3)}
    lost = overall(games | {"last": game({"a": -20.0} | alike, 10, 4)})
    assert [row.bound for row in lost.rows].count("<") == 1
    assert (lost["a"].high or 0) > (lost["c"].elo or 0)
    won = overall(games | {"last": game({"d": 20.0} | dict.fromkeys("abc", 0.0), 10, 5)})
    assert [row.bound for row in won.rows].count(">") == 1
    assert (won["d"].low or 0) < (won["b"].elo or 0)
    for of in (lost, won):
        ends = [row.elo or row.low or row.high or 0 for row in of.rows]
        assert ends == sorted(ends, reverse=True)
        assert [(d.a, d.b) for d in of.differences] == list(combinations([row.bot for row in of.rows], 2))


def test_a_bound_in_every_game_is_above_or_below_all_who_are_rated() -> None:
    """This holds with few deals too, and however little the bound says."""
    games = {str(seed): game(THREE | {"a": 20.0, "z": -20.0}, 2, seed) for seed in range(2)}
    of = overall(games)
    assert (of.rows[0].bot, of.rows[0].bound, of.rows[-1].bot, of.rows[-1].bound) == ("a", ">", "z", "<")
    assert [row.bot for row in of.rows] == [row.bot for row in overall({"0": games["0"]}).rows]
    rated = [row.elo for row in of.rows if row.elo is not None]
    assert (of["a"].low or 0) < max(rated)
    assert (of["z"].high or 0) > min(rated)


def test_bounds_that_point_both_ways_say_nothing() -> None:
    games = {"dice": game(THREE | {"a": 20.0}, 20, 1), "cards": game(THREE | {"a": -20.0}, 20, 2)}
    last = overall(games).rows[-1]
    assert (last.bot, last.elo, last.low, last.high, last.bound) == ("a", None, None, None, "")
    assert (last.note, last.text) == ("bounds both ways", "?")


def test_who_misses_a_game_is_listed_without_a_rating_and_the_game_is_named() -> None:
    games = {"dice": game(THREE, 20, 1), "cards": game({"a": 0.0, "b": 0.0}, 20, 2)}
    of = overall(games)
    last = of.rows[-1]
    assert (last.bot, last.elo, last.low, last.note) == ("c", None, None, "not in every game")
    assert last.matches == games["dice"]["c"].matches
    assert of.missing == {"c": ("cards",)}
    for bot in "ab":
        assert of[bot].elo == pytest.approx(sum(part[bot].elo or 0 for part in games.values()) / 2, abs=0.01)
        difference = of.difference(bot, "c")
        assert (difference.elo, difference.better, difference.note) == (None, None, "not in every game")


def test_who_cannot_be_placed_in_one_game_is_not_placed_over_all() -> None:
    apart = [Result(f"{n}", bots, (1, 2)) for n in range(20) for bots in (("a", "b"), ("b", "a"))]
    apart += [Result(f"{n}, c", bots, (1, 2)) for n in range(12) for bots in (("c", "d"), ("d", "c"))]
    games = {"dice": game(dict.fromkeys("abcd", 0.0), 20, 1), "cards": rate(apart)}
    of = overall(games)
    assert {row.bot: row.note for row in of.rows if row.note} == dict.fromkeys("cd", "not connected")
    assert of.missing == dict.fromkeys("cd", ("cards",))
    assert of.difference("a", "c").note == "not connected"
    assert of.difference("c", "d").elo is not None


def test_few_deals_give_a_mean_without_an_interval() -> None:
    games = {"dice": game(THREE, 20, 1), "cards": game(dict.fromkeys("abc", 0.0), 4, 2)}
    of = overall(games)
    assert all(row.elo is not None and row.low is None and row.note == "too few deals" for row in of.rows)
    assert all(difference.better is None for difference in of.differences)
    best = game(THREE | {"a": 20.0}, 20, 3)
    assert overall({"dice": best, "cards": games["cards"]})["a"].note == "too few deals"


def test_an_anchor_stands_over_all_where_it_stands_in_every_game() -> None:
    games = {
        name: rate(
            [Result(f"{n}", ("a", "b"), (1 + (n % 3 == 0), 1 + (n % 3 != 0))) for n in range(30)], anchor=("b", 1200.0)
        )
        for name in ("dice", "cards")
    }
    row = overall(games)["b"]
    assert (row.elo, row.low, row.high, row.note) == (1200.0, 1200.0, 1200.0, "anchor")


def test_equal_bots_are_ordered_by_their_direct_encounters() -> None:
    def won(winner: str, loser: str, deals: int) -> list[Result]:
        return [Result(f"{winner}{loser}{n}", bots, (1 + (bots[0] == loser), 1 + (bots[1] == loser)))
                for n in range(deals) for bots in ((winner, loser), (loser, winner))]  # fmt: skip

    circle = [*won("a", "b", 12), *won("b", "c", 12), *won("c", "a", 12)]
    of = overall({"dice": rate(circle), "cards": rate(circle)})
    assert {row.elo for row in of.rows} == {1500.0}
    assert [(row.bot, row.direct) for row in of.rows] == [("a", 48.0), ("b", 48.0), ("c", 48.0)]
    turned = overall(
        {"dice": rate(circle), "cards": rate([*won("a", "b", 12), *won("b", "c", 12), *won("a", "c", 12)])}
    )
    assert turned.rows[0].bot == "a"


def test_nothing_depends_on_the_order_of_results_or_games() -> None:
    rng = Random(9)
    results = {name: game_results(THREE, 12, seed) for seed, name in enumerate(("dice", "cards", "tricks"))}
    once = overall({name: rate(each) for name, each in results.items()})
    for each in results.values():
        rng.shuffle(each)
    assert overall({name: rate(results[name]) for name in sorted(results)}) == once


@pytest.mark.long
def test_the_interval_holds_the_value_in_95_of_100_leagues() -> None:
    """Two games in which a leads by different distances.

    The value is the mean of what each game reaches.
    """
    leads = (0.5, -0.2)
    reached = [rate(game_results({"a": lead, "b": 0.0}, 20_000, 1)).difference("a", "b").elo or 0 for lead in leads]
    held = 0
    for seed in range(300):
        games = {
            str(n): rate(game_results({"a": lead, "b": 0.0}, 15, 1000 * n + seed + 7)) for n, lead in enumerate(leads)
        }
        difference = overall(games).difference("a", "b")
        held += (difference.low or 0) <= sum(reached) / 2 <= (difference.high or 0)
    assert 0.92 <= held / 300 <= 0.98


def test_no_games_have_no_mean() -> None:
    with pytest.raises(ValueError, match="no games"):
        overall({})


def test_a_game_of_few_deals_is_named_with_what_it_lacks() -> None:
    games = {"dice": game(THREE, 40, 1), "cards": game(THREE, 3, 2)}
    of = overall(games)
    short = {row.bot: 10 - row.deals for row in games["cards"].rows if row.low is None and not row.bound}
    assert short
    assert dict(of.short) == {"cards": short}
    assert all(row.note == "too few deals" for row in of.rows if row.bot in short)
    assert not overall({"dice": games["dice"]}).short
