"""Is the new bot better? A sequential test on deals.

Wald's test (1945), deal by deal, in the generalised form that chess testers use (M. Van
den Bergh, The generalized sequential probability ratio test). The likelihood is that of
the deals' scores, whatever their distribution. It is maximised under the one mean and
under the other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log, log10, sqrt
from typing import Final, Literal

import numpy as np
from scipy.special import stdtrit

from pips_tourney.ratings.tally import Floats

TRACE: Final = 1e-3
"""The weight of each deal result not seen yet: won, lost or level.

It makes every mean possible.
"""

SprtVerdict = Literal["accepted", "rejected", "not decided"]


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a comparison."""

    deals: int
    score: float
    """The mean of the deals, 1 for everything won."""
    elo: float | None
    """The Elo of that score; None when it is 0 or 1."""
    low: float | None
    high: float | None
    """The end of a 95 % interval; None where there is no such end.

    The interval takes no account of stopping.
    """
    llr: float
    lower: float
    upper: float
    verdict: SprtVerdict


@dataclass(slots=True)
class Sprt:
    """Is the new bot better by `elo1` rather than by `elo0`?

    It takes one score a deal, from 0 to 1. With a true difference of elo0 or less it
    accepts with a chance of at most `alpha`. With one of elo1 or more it rejects with a
    chance of at most `beta`.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    _scores: Counter[float] = field(init=False, default_factory=Counter)
    _verdict: SprtVerdict = field(init=False, default="not decided")

    def __post_init__(self) -> None:
        if not (self.elo0 < self.elo1 and 0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("a comparison needs elo0 < elo1, and alpha and beta between 0 and 0.5")

    @property
    def lower(self) -> float:
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return log((1 - self.beta) / self.alpha)

    def add(self, score: float) -> SprtState:
        """Add one more deal. A decision is final.

        ValueError for a score outside 0 to 1.
        """
        if not 0 <= score <= 1:
            raise ValueError(f"a deal's score is from 0 to 1, not {score}")
        self._scores[score] += 1
        state = self.state()
        self._verdict = state.verdict
        return state

    def state(self) -> SprtState:
        """The state of the comparison."""
        values = np.array(sorted({0.0, 0.5, 1.0, *self._scores}))
        counts = np.array([self._scores[value] for value in values], float)
        llr = float(log_likelihood_ratio(values, counts, expected_score(self.elo0), expected_score(self.elo1)))
        verdict = self._verdict
        if verdict == "not decided" and counts.any():
            verdict = "accepted" if llr >= self.upper else "rejected" if llr <= self.lower else verdict
        deals = int(counts.sum())
        mean = float(values @ counts) / deals if deals else 0.5
        half = 1.0
        if deals > 1:
            variance = float(((values - mean) ** 2) @ counts) / (deals - 1)
            half = sqrt(variance / deals) * float(stdtrit(deals - 1, 0.975))
        elo, low, high = (elo_of(score) for score in (mean, mean - half, mean + half))
        return SprtState(deals, mean, elo, low, high, llr, self.lower, self.upper, verdict)


def log_likelihood_ratio(values: Floats, counts: Floats, mean0: float, mean1: float) -> Floats:
    """The log likelihood of the mean `mean1` over that of `mean0`.

    Each is that of the most likely distribution with this mean. `counts` is (...,
    values).
    """
    weights = counts + TRACE * np.isin(values, (0.0, 0.5, 1.0))
    share = weights / weights.sum(axis=-1, keepdims=True)

    def tilted(mean: float) -> Floats:
        """log(share / share under that mean)."""
        away = values - mean
        low = np.full(share.shape[:-1], -1 / away.max() + 1e-9)
        high = np.full(share.shape[:-1], -1 / away.min() - 1e-9)
        for _ in range(60):
            middle = (low + high) / 2
            rising = (share * away / (1 + middle[..., None] * away)).sum(axis=-1) > 0
            low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        return np.asarray(np.log1p(((low + high) / 2)[..., None] * away))

    return np.asarray((weights * (tilted(mean0) - tilted(mean1))).sum(axis=-1))


def expected_score(elo: float) -> float:
    """The expected score of a difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float | None:
    """The difference with that expected score; None if there is none."""
    return -400 * log10(1 / score - 1) if 0 < score < 1 else None
