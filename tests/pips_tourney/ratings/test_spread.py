"""Do intervals over deals hold what they say?"""

from __future__ import annotations

import numpy as np
import pytest

from pips_tourney.ratings.fit.tally import Floats
from pips_tourney.ratings.spread import FEWEST, Estimate, deal_share, mean_of, share_of

DEALS, TRIALS, TRUE_DEALS = 100, 100, 30_000


def field(rng: np.random.Generator, deals: int, seats: int, luck: float, skew: float) -> Floats:
    """Results of alike bots: the deal has that share of what decides, seats differ."""
    deal = rng.normal(size=(deals, 1, seats)) * np.sqrt(luck)
    strength = deal + rng.normal(size=(deals, seats, seats)) * np.sqrt(1 - luck) + np.arange(seats) * skew
    above = strength[..., :, None] > strength[..., None, :]
    return np.asarray(above.sum(axis=-1) / (seats - 1))


@pytest.mark.unmeasured
@pytest.mark.parametrize(("seats", "luck", "skew"), [(2, 0.1, 1.5), (3, 0.5, 0.3)])
def test_intervals_hold_what_they_say(seats: int, luck: float, skew: float) -> None:
    rng = np.random.default_rng(seats)
    true = field(rng, TRUE_DEALS, seats, luck, skew)
    share, means = deal_share(true), true.mean(axis=(0, 1))
    assert share is not None
    held = all_held = 0
    for _ in range(TRIALS):
        results = field(rng, DEALS, seats, luck, skew)
        told = deal_share(results)
        assert told is not None
        held += inside(told, share.value)
        columns = [share_of(column, 0.05 / seats) for column in results.mean(axis=1).T.tolist()]
        all_held += all(map(inside, columns, means.tolist()))
    assert held >= 0.9 * TRIALS and all_held >= 0.9 * TRIALS


def inside(told: Estimate, true: float) -> bool:
    assert told.low is not None and told.high is not None
    assert told.low <= told.value <= told.high
    return told.low <= true <= told.high


def test_only_luck_and_no_luck_at_all() -> None:
    rng = np.random.default_rng(1)
    one = rng.integers(0, 2, (DEALS, 1, 1))
    only = deal_share(np.broadcast_to(np.concatenate([one, 1 - one], axis=2), (DEALS, 2, 2)).astype(float))
    assert only is not None and only.value == 1.0 and only.high == 1.0 and only.low is not None and only.low < 1.0
    assert deal_share(np.broadcast_to(np.array([1.0, 0.0]), (DEALS, 2, 2)).copy()) is None


def test_what_was_never_seen_may_happen() -> None:
    told = share_of([1.0] * DEALS)
    assert told.value == told.high == 1.0
    assert told.low is not None and 0.9 < told.low <= 0.05 ** (1 / DEALS)


def test_a_mean_is_as_student_says() -> None:
    told = mean_of([float(number) for number in range(DEALS)])
    assert told.value == 49.5 and told.low == pytest.approx(43.743, abs=0.001)
    assert mean_of([1.0] * DEALS) == Estimate(1.0)
    few = share_of([0.5, 0.75] * (FEWEST // 2 - 1))
    assert few == Estimate(0.625)
