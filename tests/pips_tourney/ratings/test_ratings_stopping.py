"""When a night, or a comparison, has played enough.

`make lab WHAT=simulate` and `WHAT=compare` measure how often these rules err.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.special import ndtri

from pips_tourney.ratings.critical import critical_levels
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.sprt import PairedTest, elo_of, expected_score, gain_of, log_likelihood, mean_and_ends
from pips_tourney.ratings.stopping import Settled


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


def score_of(elo: float) -> float:
    return expected_score(elo) - 0.5


def compared(test: PairedTest, differences: Iterable[float]) -> str:
    """The verdict once it is decided, or after all of them."""
    for difference in differences:
        test.add(difference)
        if test.decide(score_of) != "not decided":
            break
    return test.verdict


@pytest.mark.parametrize("mean", [-0.2, 0.0, 0.05])
def test_the_likelihood_of_a_mean_is_that_of_a_plain_optimiser(mean: float) -> None:
    values = np.array([-0.5, -0.25, 0.0, 0.25, 0.5])
    counts = np.array([3.0, 10.0, 40.0, 20.0, 7.0])

    def loss(p: np.ndarray) -> float:
        return -float(counts @ np.log(p))

    limits = LinearConstraint(np.stack([np.ones(5), values]), [1, mean], [1, mean])
    best = minimize(loss, np.full(5, 0.2), method="SLSQP", bounds=Bounds(1e-9, 1), constraints=limits)
    found = log_likelihood(dict(zip(values.tolist(), counts.tolist(), strict=True)), mean)
    assert found == pytest.approx(loss(counts / counts.sum()) - float(best.fun), abs=1e-2)


def test_the_better_one_is_told_and_the_equal_one() -> None:
    better, equal = PairedTest(0, 40), PairedTest(0, 40)
    assert compared(better, (0.5, 0.25, 0.0) * 10) == "better"
    assert compared(equal, (-0.25, 0.25, 0.0) * 100) == "not better"
    state = equal.state(score_of, 1000)
    assert (state.low or 0) < (state.gain or 0) < (state.high or 0)


def test_a_large_difference_is_told_by_few_deals() -> None:
    test = PairedTest(0, 10)
    assert compared(test, (0.5, 0.5, 0.0) * 20) == "better"
    assert test.counts.total() <= 13


def test_what_was_decided_stays_decided() -> None:
    test = PairedTest(0, 100)
    assert compared(test, [0.5] * 30) == "better"
    for _ in range(50):
        test.add(-0.5)
    assert test.decide(score_of) == "better"


@pytest.mark.unmeasured
@given(st.lists(st.sampled_from([-0.5, -0.25, 0.0, 1 / 3, 0.5, 1.0]), min_size=1, max_size=10), st.randoms())
def test_the_state_does_not_depend_on_the_order_of_the_deals(differences: list[float], rng: object) -> None:
    forwards, backwards = PairedTest(0, 10), PairedTest(0, 10)
    for difference in differences:
        forwards.add(difference)
    for difference in reversed(differences):
        backwards.add(difference)
    assert forwards.state(score_of, 1000) == backwards.state(score_of, 1000)


def test_before_the_tenth_deal_there_is_no_interval() -> None:
    test = PairedTest(0, 10)
    state = test.state(score_of, 1000)
    assert (state.deals, state.verdict, state.gain, state.low, state.high) == (0, "not decided", 0.0, None, None)
    assert compared(test, [0.5] * 9) == "not decided"
    assert test.state(score_of, 1000).low is None


@pytest.mark.parametrize("deals", [20, 200])
@pytest.mark.parametrize("differing", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("won", [1.0, 0.75, 0.5])
def test_intervals_hold_where_few_deals_differ_and_where_all_of_them_go_one_way(
    deals: int, differing: float, won: float
) -> None:
    rates, luck = [differing * won, differing * (1 - won), 1 - differing], np.random.default_rng(1)
    drawn, often = np.unique(luck.multinomial(deals, rates, 4000), axis=0, return_counts=True)
    held = 0
    for counts, times in zip(drawn.tolist(), often.tolist(), strict=True):
        _, low, high = mean_and_ends(dict(zip((0.5, -0.5, 0.0), counts, strict=True)))
        assert low is not None and high is not None
        held += times * (low <= (rates[0] - rates[1]) / 2 <= high)
    assert held / often.sum() > 0.94


def test_the_interval_of_small_differences_is_no_wider_than_their_luck() -> None:
    mean, low, high = mean_and_ends({0.04: 100, 0.06: 100})
    assert mean == pytest.approx(0.05)
    assert low is not None and high is not None
    assert 0.03 < low < 0.05 < high < 0.075


def test_levels_of_elo() -> None:
    assert expected_score(0) == 0.5
    assert elo_of(expected_score(123)) == pytest.approx(123)
    assert elo_of(1.0) is None
    assert gain_of(score_of, score_of(77.0), 1000) == 77.0
    assert gain_of(score_of, 0.5, 1000) is None


def test_deals_that_all_go_one_way_give_no_end_there() -> None:
    assert mean_and_ends({0.3: 10})[2] is None and mean_and_ends({-0.3: 10})[1] is None
    assert mean_and_ends({0.25: 10})[2] is None
    for counts in ({0.3: 9, 0.0: 1}, {0.1: 5, 0.2: 5}, {0.24: 10}):
        mean, low, high = mean_and_ends(counts)
        assert low is not None and high is not None and low < mean < high


def test_tests_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="--elo1 must be above --elo0"):
        PairedTest(10, 10)
    with pytest.raises(ValueError, match="from -1 to 1"):
        PairedTest(0, 10).add(1.5)
