"""Two bots by their own deals: what `rate` says of a table of two, without numpy."""

from __future__ import annotations

import numpy as np
import pytest

from pips_tourney.ratings.duel import rate_duel
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result

Deals = list[tuple[float, float]]
WON, LOST, LEVEL = (1.0, 1.0), (0.0, 0.0), (0.5, 0.5)
FIRST, SECOND = (1.0, 0.0), (0.0, 1.0)
"""Shared: the bot at seat 0 won both matches, or the one at seat 1."""


def rated(deals: Deals) -> tuple[float | None, float | None, float | None]:
    """The difference that a league's ratings see in the same results."""
    places = {1.0: (1, 2), 0.5: (1, 1), 0.0: (2, 1)}
    results = [
        Result(str(deal), ("a", "b") if seat == 0 else ("b", "a"), places[score if seat == 0 else 1 - score])
        for deal, scores in enumerate(deals)
        for seat, score in enumerate(scores)
    ]
    found = rate(results).difference("a", "b")
    return found.elo, found.low, found.high


@pytest.mark.parametrize(
    "deals",
    [
        [WON] * 12 + [FIRST, SECOND] * 10 + [LOST] * 8,
        [WON] * 60 + [FIRST, SECOND] * 15 + [LOST] * 10,
        [FIRST, SECOND] * 5 + [WON],
        [WON] * 7 + [LEVEL] * 6 + [LOST] * 7,
    ],
)
def test_it_is_near_to_what_a_league_says(deals: Deals) -> None:
    found = rate_duel("a", "b", deals)
    for ours, theirs in zip((found.elo, found.low, found.high), rated(deals), strict=True):
        assert ours is not None
        assert theirs is not None
        assert ours == pytest.approx(theirs, rel=0.06, abs=4)


def test_everything_won_or_lost() -> None:
    won, lost = rate_duel("a", "b", [WON] * 20), rate_duel("a", "b", [LOST] * 20)
    assert (won.bound, won.elo, won.high, won.deals) == (">", None, None, 20)
    assert won.low == pytest.approx(rated([WON] * 20)[1], abs=20)
    assert (lost.bound, lost.low, lost.high) == ("<", None, -won.low if won.low is not None else None)
    assert (won.better, lost.better) == (1.0, 0.0)


def test_too_few_deals_give_no_interval() -> None:
    found = rate_duel("a", "b", [WON] * 5 + [LOST] * 4)
    assert (found.low, found.high, found.better, found.note) == (None, None, None, "too few deals")
    with pytest.raises(ValueError, match="no deals"):
        rate_duel("a", "b", [])


def test_deals_that_all_came_out_alike_leave_doubt() -> None:
    """No error is less than a share of what one more result might move."""
    found = rate_duel("a", "b", [LEVEL] * 100)
    assert (found.elo, found.better) == (0.0, 0.5)
    assert found.low == pytest.approx(-5.03, abs=0.1)
    assert found.high == pytest.approx(5.03, abs=0.1)


@pytest.mark.unmeasured
def test_intervals_hold_the_true_difference_as_often_as_they_say() -> None:
    rng, truth, held = np.random.default_rng(1), 400 * np.log10(0.6 / 0.4), 0
    for _ in range(400):
        luck = rng.uniform(-0.3, 0.3, (40, 1))  # of the deal
        scores = (rng.random((40, 2)) < 0.6 + luck).astype(float)
        found = rate_duel("a", "b", scores.tolist())
        held += found.low is not None and found.high is not None and found.low <= truth <= found.high
    assert 0.92 < held / 400 < 0.98
