"""Is the new bot better? A sequential test on deals.

Wald's test (1945), deal by deal, in the generalised form that chess testers use (M. Van
den Bergh, The generalized sequential probability ratio test). The likelihood is that of
the deals' scores, or of their leads in points, whatever their distribution. It is
maximised under the one mean and under the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import log, log1p, log10, sqrt
from typing import Final, Literal

from pips_tourney.ratings.student import t_quantile

TRACE: Final = 1e-3
"""The weight of each deal result not seen yet: won, lost or level.

It makes every mean possible.
"""

LEAST_RISK: Final = 1e-9
"""Smaller ones have no finite bounds."""

SprtVerdict = Literal["accepted", "rejected", "not decided"]


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a comparison: leads are in Elo, or in points of the game."""

    deals: int
    score: float
    """The mean of the deals, from 0 to 1: for everything won, or won by the cap."""
    lead: float | None
    """The lead of that score; None in Elo where it is 0 or 1."""
    low: float | None
    high: float | None
    """The end of a 95 % interval; None where there is no such end.

    The interval takes no account of stopping.
    """
    llr: float
    lower: float
    upper: float
    verdict: SprtVerdict


class Sprt:
    """Which fits the deals better: a lead of `lead1` or of `lead0`?

    Leads are in Elo, and a deal is a score from 0 to 1. With a `cap` they are in points
    of the game, and a deal is the mean lead of its matches, each cut at the cap. With a
    true lead of lead0 or less it accepts with a chance of at most `alpha`. With one of
    lead1 or more it rejects with a chance of at most `beta`.
    """

    def __init__(
        self,
        lead0: float = 0.0,
        lead1: float = 10.0,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        cap: float | None = None,
    ) -> None:
        self.lead0, self.lead1, self.alpha, self.beta, self.cap = lead0, lead1, alpha, beta, cap
        within = cap is None or -cap < lead0 < lead1 < cap
        if not (within and lead0 < lead1 and all(LEAST_RISK <= risk < 0.5 for risk in (alpha, beta))):
            limits = "elo0 < elo1" if cap is None else f"two limits in order, within the {cap:g} points that count,"
            raise ValueError(f"a comparison needs {limits} and alpha and beta from 1e-9 to below 0.5")
        self.means, self.counts, self.llr = (self._share(lead0), self._share(lead1)), Counter[float](), 0.0
        self.lower, self.upper = log(beta / (1 - alpha)), log((1 - beta) / alpha)
        self.verdict: SprtVerdict = "not decided"

    def _share(self, lead: float) -> float:
        """The score that a lead is worth."""
        return expected_score(lead) if self.cap is None else round((lead / self.cap + 1) / 2, 12)

    def _lead(self, share: float) -> float | None:
        return elo_of(share) if self.cap is None else (2 * share - 1) * self.cap

    def add(self, value: float) -> SprtState:
        """Add one more deal. A decision is final.

        ValueError for a score outside 0 to 1, or a lead beyond the cap.
        """
        share = value if self.cap is None else self._share(value)
        if not 0 <= share <= 1:
            most = "a score from 0 to 1" if self.cap is None else f"a lead of at most {self.cap:g} points"
            raise ValueError(f"a deal has {most}, not {value:g}")
        self.counts[share] += 1
        self.llr = log_likelihood_ratio(self.counts, *self.means)
        if self.verdict == "not decided" and not self.lower < self.llr < self.upper:
            self.verdict = "accepted" if self.llr >= self.upper else "rejected"
        return self.state()

    def state(self) -> SprtState:
        """The state of the comparison."""
        deals, low, high = self.counts.total(), None, None
        mean = sum(value * count for value, count in sorted(self.counts.items())) / deals if deals else 0.5
        if deals > 1:
            variance = sum((value - mean) ** 2 * count for value, count in sorted(self.counts.items())) / (deals - 1)
            half = sqrt(variance / deals) * t_quantile(deals - 1, 0.975)
            low, high = self._lead(mean - half), self._lead(mean + half)
        known = (self.llr, self.lower, self.upper, self.verdict)
        return SprtState(deals, mean, self._lead(mean), low, high, *known)


def log_likelihood_ratio(counts: Mapping[float, float], mean0: float, mean1: float) -> float:
    """The log likelihood of the mean `mean1` over that of `mean0`.

    Each is that of the most likely distribution with this mean. `counts` says how often
    each value came.
    """
    trace = dict.fromkeys((0.0, 0.5, 1.0), TRACE)
    weights = {value: counts.get(value, 0) + trace.get(value, 0.0) for value in sorted({*counts, *trace})}
    whole = sum(weights.values())

    def likelihood(mean: float) -> float:
        """How much the mean costs, against the distribution that was seen."""
        shares = [(value - mean, weight / whole) for value, weight in weights.items()]
        low, high = -1 / (max(weights) - mean) + 1e-9, -1 / (min(weights) - mean) - 1e-9
        for _ in range(60):
            middle = (low + high) / 2
            if sum(share * away / (1 + middle * away) for away, share in shares) > 0:
                low = middle
            else:
                high = middle
        return whole * sum(share * log1p((low + high) / 2 * away) for away, share in shares)

    return likelihood(mean0) - likelihood(mean1)


def expected_score(elo: float) -> float:
    """The expected score of a difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float | None:
    """The difference with that expected score; None if there is none."""
    return -400 * log10(1 / score - 1) if 0 < score < 1 else None
