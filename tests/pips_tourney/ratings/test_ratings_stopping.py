"""When a night, or a comparison, has played enough.

`make lab WHAT=simulate` measures how often these rules err.
"""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.special import ndtri

from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.sprt import Sprt, elo_of, expected_score, log_likelihood_ratio
from pips_tourney.ratings.stopping import Settled, critical_levels


def test_looks_double_up_to_the_limit() -> None:
    assert Settled(max_deals=100).looks == (10, 20, 40, 80, 100)
    assert Settled(max_deals=80).looks == (10, 20, 40, 80)
    assert Settled(max_deals=5).looks == (5,)


def test_one_look_spends_everything() -> None:
    assert list(critical_levels((10,), 0.05)) == [pytest.approx(0.05, abs=1e-9)]


def test_five_equal_looks_agree_with_a_simulated_walk() -> None:
    looks = (10, 20, 40, 80, 160)
    levels = critical_levels(looks, 0.05)
    rng = np.random.default_rng(1)
    walks = np.cumsum(rng.standard_normal((200_000, 5)) * np.sqrt(np.diff((0, *looks))), axis=1)
    crossed = np.abs(walks) / np.sqrt(looks) >= -ndtri(np.array(levels) / 2)
    first = np.argmax(crossed, axis=1)[crossed.any(axis=1)]
    shares = np.bincount(first, minlength=5) / len(walks)
    assert shares == pytest.approx([0.01] * 5, abs=0.001)


@pytest.mark.parametrize("power", [0.3, 1.0])
def test_late_looks_may_spend_more_of_the_error(power: float) -> None:
    looks = (10, 40, 160)
    levels = critical_levels(looks, 0.05, power)
    rng = np.random.default_rng(2)
    walks = np.cumsum(rng.standard_normal((200_000, 3)) * np.sqrt(np.diff((0, *looks))), axis=1)
    crossed = np.abs(walks) / np.sqrt(looks) >= -ndtri(np.array(levels) / 2)
    spent = np.mean(np.maximum.accumulate(crossed, axis=1), axis=0)
    assert spent == pytest.approx([0.05 * (look / 160) ** power for look in looks], abs=0.0015)


def duel(wins: int, losses: int, level: int = 0) -> list[Result]:
    """Deals won in both seats, lost in both, and shared."""
    places = [((1, 2), (2, 1))] * wins + [((2, 1), (1, 2))] * losses + [((1, 2), (1, 2))] * level
    return [
        Result(str(deal), seating, place)
        for deal, pair in enumerate(places)
        for seating, place in zip((("a", "b"), ("b", "a")), pair, strict=True)
    ]


def test_a_clear_lead_settles_at_the_first_look() -> None:
    verdict = Settled().look(rate(duel(10, 0)), 10)
    assert verdict.settled
    assert not verdict.last
    assert verdict.deals_needed == 10
    assert (verdict.pairs[0].better, verdict.pairs[0].worse) == ("a", "b")
    assert verdict.pairs[0].doubt == pytest.approx(2 * 0.5**10, rel=1e-3)


def test_a_lead_that_is_not_clear_says_how_long_it_may_take() -> None:
    rule = Settled()
    verdict = rule.look(rate(duel(8, 4, 8)), 20)
    assert not verdict.settled
    assert verdict.deals_needed in rule.looks[2:]
    level = rule.look(rate(duel(6, 6, 8)), 20)
    assert level.deals_needed is None
    assert not level.settled


def test_the_last_look_says_so() -> None:
    verdict = Settled(max_deals=20).look(rate(duel(6, 6, 8)), 20)
    assert verdict.last
    assert not verdict.settled


def test_more_neighbours_share_the_error() -> None:
    results = duel(14, 4, 2)
    third = [Result(f"c{r.block}", tuple({"a": "b", "b": "c"}[bot] for bot in r.bots), r.places) for r in results]
    two = Settled().look(rate(results), 20)
    three = Settled().look(rate(results + third), 20)
    assert len(three.pairs) == 2
    assert two.pairs[0].doubt < 0.05
    level = critical_levels(Settled().looks, 0.025)[1]
    assert [pair.decided for pair in three.pairs] == [pair.doubt <= level for pair in three.pairs]


def test_bots_that_are_not_asked_about_need_not_be_decided() -> None:
    results = duel(14, 4, 2)
    third = [Result(f"c{r.block}", tuple({"a": "b", "b": "c"}[bot] for bot in r.bots), r.places) for r in results]
    verdict = Settled().look(rate(results + third), 20, bots={"a", "c"})
    assert [(pair.better, pair.worse) for pair in verdict.pairs] == [("a", "c")]
    assert Settled().look(rate(results), 20, bots={"a"}).settled


def test_only_looks_are_looked_at() -> None:
    with pytest.raises(ValueError, match="not after 15"):
        Settled().look(rate(duel(10, 5)), 15)


def test_the_likelihood_ratio_is_that_of_a_plain_optimiser() -> None:
    values = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    counts = np.array([3.0, 10.0, 40.0, 20.0, 7.0])

    def best(mean: float) -> float:
        start = np.full(5, 0.2)
        limits = LinearConstraint(np.stack([np.ones(5), values]), [1, mean], [1, mean])

        def loss(p: np.ndarray) -> float:
            return -float(counts @ np.log(p))

        found = minimize(loss, start, method="SLSQP", bounds=Bounds(1e-9, 1), constraints=limits)
        return -float(found.fun)

    assert log_likelihood_ratio(dict(zip(values.tolist(), counts.tolist(), strict=True)), 0.5, 0.55) == pytest.approx(
        best(0.55) - best(0.5), abs=1e-2
    )


def test_the_better_bot_is_accepted_and_the_equal_one_rejected() -> None:
    better, equal = Sprt(lead1=40), Sprt(lead1=40)
    for score in (1.0, 0.75, 0.5) * 10:
        better.add(score)
    state = better.state()
    assert state.verdict == "accepted"
    assert state.llr > state.upper == pytest.approx(log(19))
    for score in (0.25, 0.75, 0.5) * 50:
        equal.add(score)
    state = equal.state()
    assert state.verdict == "rejected"
    assert (state.low or 0) < (state.lead or 0) < (state.high or 0)


def test_what_was_decided_stays_decided() -> None:
    test = Sprt(lead1=100)
    while test.add(1.0).verdict != "accepted":
        pass
    for _ in range(50):
        assert test.add(0.0).verdict == "accepted"


@pytest.mark.unmeasured
@given(st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.75, 1.0]), min_size=1, max_size=10), st.randoms())
def test_the_ratio_does_not_depend_on_the_order_of_the_deals(scores: list[float], rng: object) -> None:
    forwards, backwards = Sprt(), Sprt()
    for score in scores:
        forwards.add(score)
    for score in reversed(scores):
        backwards.add(score)
    assert forwards.state().llr == backwards.state().llr


def test_before_the_first_deal_nothing_is_decided() -> None:
    state = Sprt().state()
    assert (state.deals, state.verdict, state.lead, state.low, state.high) == (0, "not decided", 0.0, None, None)


def test_levels_of_elo() -> None:
    assert expected_score(0) == 0.5
    assert elo_of(expected_score(123)) == pytest.approx(123)
    assert elo_of(1.0) is None


@pytest.mark.parametrize("wrong", [{"lead0": 10.0, "lead1": 0.0}, {"alpha": 0.0}, {"beta": 0.5}])
def test_tests_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="elo0 < elo1"):
        Sprt(**wrong)
    with pytest.raises(ValueError, match="from 0 to 1"):
        Sprt().add(1.5)


def test_a_lead_is_tested_as_the_score_that_it_is_between_the_caps() -> None:
    """A lead from -60 to 60 is a score from 0 to 1: both tests say the same."""
    elo1 = elo_of((10 / 60 + 1) / 2)
    assert elo1 is not None
    by_points, by_results = Sprt(0, 10, cap=60), Sprt(0, elo1)
    rng = np.random.default_rng(7)
    for _ in range(60):
        lead = float(rng.integers(-30, 50))
        points, results = by_points.add(lead), by_results.add((lead / 60 + 1) / 2)
        assert points.llr == pytest.approx(results.llr, abs=1e-6)
        assert points.verdict == results.verdict
        assert points.lead == pytest.approx(60 * (2 * results.score - 1))


def test_leads_beyond_the_cap_and_limits_without_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 60 points, not 61"):
        Sprt(0, 10, cap=60).add(61)
    for wrong in (
        {"lead0": 10, "lead1": 10},
        {"lead0": 0, "lead1": 60},
        {"lead0": 0, "lead1": 1, "alpha": 0.6},
    ):
        with pytest.raises(ValueError, match="within the 60 points"):
            Sprt(cap=60, **wrong)
