"""Standings: against oracles, against order, against unfounded certainty."""

from __future__ import annotations

from itertools import combinations
from math import log10
from random import Random

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

from pips_tourney.ratings.fit import davidson, sums
from pips_tourney.ratings.fit.tally import Columns
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.table import Ratings


def league(
    strengths: dict[str, float], deals: int, rng: Random, *, ties: float = 0.2, cards: float = 1.0
) -> list[Result]:
    """Every pair plays every deal both ways round.

    A deal's cards help the seat at which they are, whoever sits there.
    """
    results = []
    for a, b in combinations(sorted(strengths), 2):
        for deal in range(deals):
            luck = rng.gauss(0, cards)
            for first, second in ((a, b), (b, a)):
                lead = strengths[first] - strengths[second] + luck + rng.gauss(0, 1)
                places = (1, 1) if abs(lead) < ties else (1, 2) if lead > 0 else (2, 1)
                results.append(Result(f"{a} {b}/{deal}", (first, second), places))
    return results


def duel(outcomes: list[tuple[int, int]]) -> list[Result]:
    """Deals of `a` against `b`, both ways round.

    Each deal's two outcomes are a's points in halves (2, 1 or 0).
    """
    places = {2: (1, 2), 1: (1, 1), 0: (2, 1)}
    return [
        Result(str(deal), seating, places[points] if seating == ("a", "b") else places[2 - points])
        for deal, pair in enumerate(outcomes)
        for seating, points in zip((("a", "b"), ("b", "a")), pair, strict=True)
    ]


FOUR = {"ann": 0.8, "bob": 0.3, "cat": 0.0, "dan": -0.6}


def unit(ratings: Ratings) -> float:
    """Elo of a natural unit: 400 / log(10) without ties.

    So equals expect the same of 100 Elo in every game.
    """
    return float(400 / np.log(10) * 2 / (2 + ratings.draw))


def elos(ratings: Ratings) -> dict[str, float]:
    return {row.bot: row.elo for row in ratings.rows if row.elo is not None}


def test_without_ties_the_ratings_are_those_of_choix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "PRIOR", 1e-6)
    monkeypatch.setattr(davidson, "_seats_estimable", lambda *_: False)
    results = league(FOUR, 30, Random(1), ties=0.0)
    found = elos(rate(results))
    names = sorted(FOUR)
    wins = [(names.index(r.bots[r.places.index(1)]), names.index(r.bots[r.places.index(2)])) for r in results]
    oracle = choix.ilsr_pairwise(len(names), wins, alpha=0.0, max_iter=10_000, tol=1e-10)
    for name, strength in zip(names, oracle - oracle.mean(), strict=True):
        assert found[name] == pytest.approx(1500 + 400 * strength / np.log(10), abs=0.1)


def test_with_ties_and_seats_the_ratings_are_those_of_a_plain_optimiser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "PRIOR", 1e-6)
    results = league(FOUR, 30, Random(2), ties=0.4)
    names = sorted(FOUR)

    def loss(theta: np.ndarray) -> float:
        total = 0.0
        for r in results:
            i, j = (names.index(bot) for bot in r.bots)
            d = theta[i] - theta[j] + theta[5]
            weights = np.array([d / 2, theta[4], -d / 2])
            total -= weights[1 + r.places[0] - r.places[1]] - np.log(np.exp(weights).sum())
        # The library gives each seat one imagined drawn match; nothing else is
        # imagined.
        return float(total + 2 * np.log(2 * np.cosh(theta[5] / 4)) + theta[:4].sum() ** 2)

    oracle = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-6}).x
    ratings = rate(results)
    for name, strength in zip(names, oracle[:4], strict=True):
        assert elos(ratings)[name] == pytest.approx(1500 + unit(ratings) * strength, abs=0.1)
    assert ratings.draw == pytest.approx(np.exp(oracle[4]), abs=1e-3)
    assert ratings.seats[0].elo == pytest.approx(unit(ratings) * oracle[5] / 2, abs=0.1)


@given(st.randoms(use_true_random=False), st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_the_order_of_arrival_changes_nothing(rng: Random, deals: int) -> None:
    results = league(FOUR, deals, Random(deals))
    shuffled = results.copy()
    rng.shuffle(shuffled)
    renamed = [Result(f"other {r.block}", r.bots, r.places) for r in shuffled]
    assert repr(rate(results)) == repr(rate(shuffled)) == repr(rate(renamed))


def test_columns_say_the_same_as_results() -> None:
    results = league(FOUR, 12, Random(3))
    names = ["dan", "nobody", "cat", "ann", "bob"]
    blocks = {block: at for at, block in enumerate(r.block for r in results)}
    columns = Columns(
        names,
        np.array([blocks[r.block] for r in results]),
        np.array([[names.index(bot) for bot in r.bots] for r in results]),
        np.array([r.places for r in results]),
    )
    assert rate(columns) == rate(results)


@pytest.mark.parametrize("deals", [3, 10, 100])
def test_an_unbeaten_bot_gets_the_binomial_bound_over_deals(deals: int) -> None:
    ratings = rate(duel([(2, 2)] * deals))
    chance = 0.05 ** (1 / deals)
    found = ratings.difference("a", "b")
    assert (found.elo, found.bound, found.high) == (None, ">", None)
    assert found.low == pytest.approx(400 * log10(chance / (1 - chance)), abs=0.01)
    assert found.better == pytest.approx(1 - 0.5**deals, abs=1e-4)
    assert ratings["a"].text == f"> {1500 + (found.low or 0) / 2:.0f}"
    assert ratings["b"].text == f"< {1500 - (found.low or 0) / 2:.0f}"
    assert ratings.difference("b", "a").bound == "<"


def test_an_unbeaten_bot_among_others_leaves_their_ratings_alone() -> None:
    field = league(FOUR, 20, Random(4))
    hero = [Result(f"{bot}!{deal}", ("zed", bot), (1, 2)) for bot in FOUR for deal in range(5)]
    alone, together = rate(field), rate(field + hero)
    assert together.rows[0].bot == "zed"
    for bot in FOUR:
        assert together[bot].elo == alone[bot].elo

    def log_chance_of_winning_all(elo: float) -> float:
        d = [(elo - (row.elo or 0)) / unit(alone) for row in alone.rows]
        return float(sum(5 * (x / 2 - np.log(np.exp(x / 2) + alone.draw + np.exp(-x / 2))) for x in d))

    # Wider than what twenty deals won would allow against these opponents if they were
    # known exactly, and not narrower than the binomial bound against their mean.
    exact = brentq(lambda elo: log_chance_of_winning_all(elo) - np.log(0.05), 1000, 3000)
    chance = 0.05 ** (1 / 20)
    assert together["zed"].low == pytest.approx(1500 + unit(alone) * np.log(chance / (1 - chance)), abs=0.02)
    assert (together["zed"].low or 0) < exact


def test_opponents_that_are_uncertain_themselves_make_a_bound_wider() -> None:
    """Zed has beaten only bob, of whom little is known.

    The profile likelihood is wider than the binomial.
    """
    field = duel([(2, 0), (0, 2), (0, 0), (2, 2)] * 3)
    hero = [Result(f"!{deal}", ("z", "b"), (1, 2)) for deal in range(40)]
    ratings = rate(field + hero)
    chance = 0.05 ** (1 / 40)
    binomial = (ratings["b"].elo or 0) + 400 * log10(chance / (1 - chance))
    assert binomial - 100 < (ratings["z"].low or 0) < binomial - 5
    assert ratings.difference("z", "b").low == pytest.approx(400 * log10(chance / (1 - chance)), abs=0.01)


def test_a_group_that_beat_another_group_is_bounded_as_a_group() -> None:
    low = duel([(2, 0), (1, 2), (0, 1), (2, 2)] * 3)
    high = [Result(f"high {r.block}", tuple({"a": "y", "b": "z"}[bot] for bot in r.bots), r.places) for r in low]
    between = [Result(f"{up}{down}{n}", (up, down), (1, 2)) for up in "yz" for down in "ab" for n in range(5)]
    ratings = rate([*low, *high, *between])
    assert [row.bound for row in ratings.rows] == [">", ">", "", ""]
    assert ratings.difference("y", "z").elo is not None
    # Twenty deals between the groups say how far their means are apart.
    middle = sum(row.low or 0 for row in ratings.rows[:2]) / 2
    chance = 0.05 ** (1 / 20)
    assert middle == pytest.approx(1500 + unit(ratings) * np.log(chance / (1 - chance)), abs=30)
    assert (ratings.difference("y", "a").better or 0) > 0.999


def test_fewer_than_ten_deals_give_no_interval() -> None:
    few = rate(duel([(2, 1), (0, 0), (2, 2)] * 3))
    assert few["a"].note == "too few deals"
    assert few["a"].low is few["a"].high is few.difference("a", "b").better is None
    enough = rate(duel([(2, 1), (0, 0), (2, 2)] * 4))
    assert enough["a"].note == ""
    assert enough["a"].low is not None


def test_level_deals_are_not_certainty() -> None:
    ratings = rate(duel([(2, 0)] * 10 + [(0, 2)] * 10))
    found = ratings.difference("a", "b")
    assert found.elo == 0.0
    # Three of twenty deals might have swung unseen.
    assert (found.high or 0) > 20


def test_the_anchor_stands_where_it_was_put() -> None:
    results = league(FOUR, 12, Random(5))
    free, anchored = rate(results), rate(results, anchor=("cat", 2000.0))
    assert (anchored["cat"].elo, anchored["cat"].low, anchored["cat"].high) == (2000.0, 2000.0, 2000.0)
    assert anchored["cat"].note == "anchor"
    for a, b in combinations(sorted(FOUR), 2):
        assert anchored.difference(a, b).elo == free.difference(a, b).elo
        assert anchored.difference(a, b).low == free.difference(a, b).low
    with pytest.raises(ValueError, match="eve"):
        rate(results, anchor=("eve", 1500.0))


def test_bots_that_never_met_cannot_be_compared() -> None:
    two = [Result(f"x{r.block}", tuple(f"x{bot}" for bot in r.bots), r.places) for r in duel([(2, 0), (1, 2)] * 6)]
    ratings = rate(duel([(2, 0), (1, 0), (1, 1)] * 6) + two)
    assert ratings.difference("a", "b").elo is not None
    assert ratings.difference("a", "xa").note == "not connected"
    assert ratings["xa"].text == "?"


def test_a_chain_of_unbeaten_bots_is_bounded_from_its_middle() -> None:
    chain = [Result(f"{a}{b}{n}", (a, b), (1, 2)) for a, b in combinations("abc", 2) for n in range(10)]
    ratings = rate(chain)
    assert [(row.bot, row.text[0]) for row in ratings.rows] == [("a", ">"), ("b", "1"), ("c", "<")]
    assert ratings["b"].note == "reference"


def test_only_ties_leave_everybody_level() -> None:
    ratings = rate(duel([(1, 1)] * 12))
    assert elos(ratings) == {"a": 1500.0, "b": 1500.0}
    assert (ratings["a"].high or 0) > 1501


def test_a_seat_that_nobody_leaves_has_no_advantage_of_its_own() -> None:
    results = [Result(str(n), ("a", "b"), (1, 2) if n % 3 else (2, 1)) for n in range(30)]
    ratings = rate(results)
    assert [seat.elo for seat in ratings.seats] == [None, None]
    assert [seat.points for seat in ratings.seats] == [pytest.approx(2 / 3, abs=1e-4), pytest.approx(1 / 3, abs=1e-4)]


def test_the_deals_share_is_found() -> None:
    equal = dict.fromkeys("abcd", 0.0)
    none = rate(league(equal, 300, Random(6), cards=0.0))
    much = rate(league(equal, 300, Random(6), cards=3.0))
    assert none.deal_share == pytest.approx(0.0, abs=0.05)
    # Of the latent lead 9/10; of its sign 2/pi asin(9/10) = 0.71.
    assert much.deal_share == pytest.approx(0.71, abs=0.05)


def test_equal_bots_are_ranked_by_their_direct_encounter_then_by_name() -> None:
    ratings = rate(duel([(2, 0)] * 10))
    assert [row.bot for row in ratings.rows] == ["a", "b"]
    assert [row.direct for row in ratings.rows] == [10.0, 10.0]


@pytest.mark.parametrize("bad", [Result("1", ("a", "b"), (1,)), Result("1", ("a",), (1,))])
def test_results_that_are_none(bad: Result) -> None:
    with pytest.raises(ValueError, match="as many places"):
        rate([bad])
    with pytest.raises(ValueError, match="no results"):
        rate([])


def test_an_unbeaten_anchor_bounds_all_the_others_from_above() -> None:
    field = league(FOUR, 12, Random(7))
    hero = [Result(f"{bot}!{deal}", ("zed", bot), (1, 2)) for bot in FOUR for deal in range(10)]
    ratings = rate(field + hero, anchor=("zed", 2000.0))
    assert (ratings["zed"].text, ratings["zed"].note) == ("2000", "anchor")
    assert all(ratings[bot].bound == "<" and (ratings[bot].high or 0) < 2000 for bot in FOUR)
    assert ratings.difference("ann", "dan").elo == rate(field).difference("ann", "dan").elo


def test_one_bot_against_itself_is_the_reference() -> None:
    ratings = rate([Result(str(n), ("a", "a"), (1, 2)) for n in range(12)])
    assert (ratings["a"].elo, ratings["a"].note, ratings["a"].matches) == (1500.0, "reference", 24)
    assert ratings.differences == ()


def test_a_prior_pulls_towards_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    results, spans = duel([(2, 1), (0, 0), (2, 2), (2, 2)] * 3), []
    for prior in (1e-6, 0.5, 5.0, 50.0):
        monkeypatch.setattr(sums, "PRIOR", prior)
        spans.append(rate(results).difference("a", "b").elo or 0)
    assert spans == sorted(spans, reverse=True)
    assert spans[0] - spans[1] < 10
    assert 0 < spans[3] < spans[0] / 2


def test_house_bots_have_no_part_in_the_mean() -> None:
    results = league(FOUR, 20, Random(10))
    house = rate(results, unrated={"dan"})
    assert sum(house[bot].elo or 0 for bot in ("ann", "bob", "cat")) / 3 == pytest.approx(1500, abs=0.01)
    for a, b in combinations(sorted(FOUR), 2):
        assert house.difference(a, b) == rate(results).difference(a, b) or a == "dan" or b == "dan"
    one = rate(results, unrated={"bob", "cat", "dan"})
    assert (one["ann"].elo, one["ann"].note) == (1500.0, "reference")
    assert rate(results, unrated=FOUR) == rate(results)


@pytest.mark.unmeasured
def test_unbeaten_bots_are_bounded_from_the_middle_of_those_that_are_rated() -> None:
    chain = [Result(f"{a}{b}{n}", (a, b), (1, 2)) for a, b in combinations("abcd", 2) for n in range(10)]
    ratings = rate(chain, unrated={"a"})
    assert [(row.bot, row.text[0]) for row in ratings.rows] == [("a", ">"), ("b", ">"), ("c", "1"), ("d", "<")]


def test_columns_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="as many places"):
        rate(Columns(["a", "b"], np.array([0]), np.array([[0, 1]]), np.array([[1]])))


def test_names_that_did_not_play() -> None:
    ratings = rate(duel([(2, 1)] * 3))
    with pytest.raises(KeyError, match="zed"):
        ratings.difference("a", "zed")
    with pytest.raises(KeyError, match="zed"):
        ratings["zed"]
