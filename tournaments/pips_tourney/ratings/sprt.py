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


def _are_risks(*chances: float) -> bool:
    return all(LEAST_RISK <= chance < 0.5 for chance in chances)


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


@dataclass(frozen=True, slots=True)
class MarginSprtState:
    """The state of a comparison by points."""

    deals: int
    lead: float
    """The mean lead of the deals, in points of the game; 0 before the first."""
    low: float | None
    high: float | None
    """The end of a 95 % interval, as in `SprtState`; None with fewer than two deals."""
    llr: float
    lower: float
    upper: float
    verdict: SprtVerdict


class _MeanTest:
    """Is the mean of numbers from 0 to 1 `mean1` rather than `mean0`?"""

    def __init__(self, mean0: float, mean1: float, alpha: float, beta: float) -> None:
        self.means, self.counts, self.llr = (mean0, mean1), Counter[float](), 0.0
        self.lower, self.upper = log(beta / (1 - alpha)), log((1 - beta) / alpha)
        self.verdict: SprtVerdict = "not decided"

    def count(self, value: float) -> None:
        """Add one more deal. A decision is final."""
        self.counts[value] += 1
        self.llr = log_likelihood_ratio(self.counts, *self.means)
        if self.verdict == "not decided" and not self.lower < self.llr < self.upper:
            self.verdict = "accepted" if self.llr >= self.upper else "rejected"

    def mean(self) -> tuple[int, float, float | None]:
        """Deals, their mean, half of its 95 % interval; None with fewer than two."""
        deals = self.counts.total()
        mean = sum(value * count for value, count in sorted(self.counts.items())) / deals if deals else 0.5
        if deals < 2:
            return deals, mean, None
        variance = sum((value - mean) ** 2 * count for value, count in sorted(self.counts.items())) / (deals - 1)
        return deals, mean, sqrt(variance / deals) * t_quantile(deals - 1, 0.975)


class Sprt(_MeanTest):
    """Which fits the results better: a lead of `elo1` or of `elo0`?

    It takes one score a deal, from 0 to 1. With a true difference of elo0 or less it
    accepts with a chance of at most `alpha`. With one of elo1 or more it rejects with a
    chance of at most `beta`.
    """

    def __init__(self, elo0: float = 0.0, elo1: float = 10.0, alpha: float = 0.05, beta: float = 0.05) -> None:
        self.elo0, self.elo1, self.alpha, self.beta = elo0, elo1, alpha, beta
        if not (elo0 < elo1 and _are_risks(alpha, beta)):
            raise ValueError("a comparison needs elo0 < elo1, and alpha and beta from 1e-9 to below 0.5")
        super().__init__(expected_score(elo0), expected_score(elo1), alpha, beta)

    def add(self, score: float) -> SprtState:
        """Add one more deal. A decision is final.

        ValueError for a score outside 0 to 1.
        """
        if not 0 <= score <= 1:
            raise ValueError(f"a deal's score is from 0 to 1, not {score}")
        self.count(score)
        return self.state()

    def state(self) -> SprtState:
        """The state of the comparison."""
        deals, mean, known = self.mean()
        half = 1.0 if known is None else known
        elo, low, high = (elo_of(score) for score in (mean, mean - half, mean + half))
        return SprtState(deals, mean, elo, low, high, self.llr, self.lower, self.upper, self.verdict)


class MarginSprt(_MeanTest):
    """Which fits better: a lead of `margin1` points a match or of `margin0`?

    It takes one lead a deal: the mean of its matches, each cut at the cap `most`, in
    points of the game. It is the same test as `Sprt` and makes the same promises.
    """

    def __init__(self, margin0: float, margin1: float, most: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        self.margin0, self.margin1, self.most, self.alpha, self.beta = margin0, margin1, most, alpha, beta
        if not (-most < margin0 < margin1 < most and _are_risks(alpha, beta)):
            raise ValueError(
                f"a comparison by points needs margin0 < margin1, both within the {most:g} points that a match "
                "counts at most, and alpha and beta from 1e-9 to below 0.5"
            )
        super().__init__(self._share(margin0), self._share(margin1), alpha, beta)

    def _share(self, lead: float) -> float:
        return round((lead / self.most + 1) / 2, 12)

    def add(self, lead: float) -> MarginSprtState:
        """Add one more deal. A decision is final.

        ValueError for a lead beyond the cap.
        """
        if not -self.most <= lead <= self.most:
            raise ValueError(f"a deal's lead is at most {self.most:g} points, not {lead:g}")
        self.count(self._share(lead))
        return self.state()

    def state(self) -> MarginSprtState:
        """The state of the comparison."""
        deals, mean, half = self.mean()
        lead, low, high = (2 * mean - 1) * self.most, None, None
        if half is not None:
            low, high = lead - 2 * half * self.most, lead + 2 * half * self.most
        return MarginSprtState(deals, lead, low, high, self.llr, self.lower, self.upper, self.verdict)


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
