"""Is the new version better? A sequential test on paired differences.

Wald's test (1945) is applied deal by deal, in the generalised form that chess testers
use (M. Van den Bergh, The generalized sequential probability ratio test). The
likelihood of a mean is that of the most likely distribution with this mean. The
alternative is a mixture of means (Robbins 1970), so that few deals decide a large
difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log, log1p, log10, sqrt
from typing import Final, Literal

from pips_tourney.ratings.result import FEWEST_DEALS
from pips_tourney.ratings.student import t_quantile

TRACE: Final = 1e-3
"""The weight of each unseen difference: a deal won, lost or shared.

With it every mean between these differences is possible.
"""
LEVEL: Final = 0.5
"""A deal's difference if the same version wins it in every seat."""
EDGE: Final = 0.499
"""No tested mean is further from 0, because the traces bound the mean."""
WEIGHTS: Final = (0.5, 0.1, 0.1, 0.1, 0.1, 0.1)
"""The mixture's weights for 1, 2, 4, ... times the distance of the limits."""
GROWTH: Final = 1.03
"""The next look comes when the deals have grown by this factor."""
MISTAKE: Final = 0.05
"""The chance of saying "better", and of saying "not better", by mistake."""

Verdict = Literal["better", "not better", "not decided"]


@dataclass(frozen=True, slots=True)
class PairedState:
    """The state of a comparison, in Elo or in points of the game."""

    deals: int
    gain: float | None
    """The new version less the old one; None beyond the largest measurable gain."""
    low: float | None
    high: float | None
    """The ends of a 95 % interval; None for an end that does not exist.

    The interval takes no account of stopping.
    """
    verdict: Verdict


class PairedTest:
    """A test whether the new version is better.

    It takes one difference per deal, from -1 to 1. With a true gain of `least` or less,
    it says "better" with a chance of about `MISTAKE` at most. With a true gain of
    `most` or more, it says "not better" with the same chance at most.
    """

    def __init__(self, least: float, most: float) -> None:
        self.least, self.most = least, most
        if least >= most:
            raise ValueError(f"--elo1 must be above --elo0, and {most:g} is not above {least:g}")
        self.counts, self._next = Counter[float](), FEWEST_DEALS
        self.verdict: Verdict = "not decided"

    def add(self, difference: float) -> None:
        """Add one more deal. ValueError for a difference outside -1 to 1."""
        if not -1 <= difference <= 1:
            raise ValueError(f"a deal's difference is from -1 to 1, not {difference}")
        self.counts[difference] += 1

    def decide(self, mean_of: Callable[[float], float]) -> Verdict:
        """The verdict, after a look if one is due. A verdict is final.

        `mean_of` gives the mean difference that a gain causes.
        """
        deals = self.counts.total()
        if self.verdict == "not decided" and deals >= self._next:
            self._next = max(deals + 1, int(deals * GROWTH))
            step = self.most - self.least
            if self._ratio(mean_of, self.least, step) >= log(1 / MISTAKE):
                self.verdict = "better"
            elif self._ratio(mean_of, self.most, -step) >= log(1 / MISTAKE):
                self.verdict = "not better"
        return self.verdict

    def _ratio(self, mean_of: Callable[[float], float], limit: float, step: float) -> float:
        """The log likelihood ratio: gains beyond a limit against the limit itself."""

        def likelihood(gain: float) -> float:
            return log_likelihood(self.counts, max(-EDGE, min(EDGE, mean_of(gain))))

        at_limit = likelihood(limit)
        logs = [log(weight) + likelihood(limit + step * 2**k) - at_limit for k, weight in enumerate(WEIGHTS)]
        return max(logs) + log(sum(exp(each - max(logs)) for each in logs))

    def state(self, mean_of: Callable[[float], float], end: float) -> PairedState:
        """The state of the comparison; gains beyond `end` become None."""
        deals = self.counts.total()
        gain, low, high = (
            None if value is None else gain_of(mean_of, value, end) for value in mean_and_ends(self.counts)
        )
        return PairedState(deals, gain, low, high, self.verdict)


def mean_and_ends(counts: Mapping[float, int]) -> tuple[float, float | None, float | None]:
    """The mean, and the ends of its 95 % interval; None with too few deals.

    It is the score interval of a paired difference (T. Tango 1998, Statistics in
    Medicine 17:891): if few deals differ, the deals played may lack the ones that
    matter. If every deal gains a quarter or more, or loses as much, the interval has no
    end on that side.
    """
    deals, rows = sum(counts.values()), sorted(counts.items())
    mean = sum(value * count for value, count in rows) / deals if deals else 0.0
    if deals < FEWEST_DEALS:
        return mean, None, None
    squares = sum(value**2 * count for value, count in rows)
    size = (squares + LEVEL**2) / (sum(abs(value) * count for value, count in rows) + LEVEL)
    luck, apart = t_quantile(deals - 1, 0.975) ** 2 / deals, squares / (deals - 1) / size**2
    low, high = (-size * _furthest(-mean / size, apart, luck), size * _furthest(mean / size, apart, luck))
    return mean, None if rows[-1][0] <= -LEVEL / 2 else low, None if rows[0][0] >= LEVEL / 2 else high


def _furthest(mean: float, apart: float, luck: float) -> float:
    """The highest true mean at which luck still explains the observed `mean`.

    Deals are -1, 0 or 1; `apart` is the share of deals that are not 0.
    """
    apart, low, high = max(apart, abs(mean)), mean, 1.0
    for _ in range(50):
        x = (low + high) / 2
        minus = apart - (2 - mean) * x  # if x is the mean, the likeliest share of -1 is a root
        lost = (minus + sqrt(max(0.0, minus**2 + 4 * (apart - mean) * x * (1 - x)))) / 4
        low, high = (x, high) if (x - mean) ** 2 < luck * (2 * lost + x - x**2) else (low, x)
    return low


def gain_of(mean_of: Callable[[float], float], mean: float, end: float) -> float | None:
    """The gain that causes this mean, by bisection; None if it is beyond `end`."""
    low, high = -end, end
    if not mean_of(low) < mean < mean_of(high):
        return None
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_of(middle) < mean else (low, middle)
    return round((low + high) / 2, 2) + 0.0


def log_likelihood(counts: Mapping[float, float], mean: float) -> float:
    """The log likelihood of a mean, less that of the observed distribution.

    `counts` gives how often each value came.
    """
    trace = dict.fromkeys((-LEVEL, 0.0, LEVEL), TRACE)
    weights = {value: counts.get(value, 0) + trace.get(value, 0.0) for value in sorted({*counts, *trace})}
    away = [(value - mean, weight) for value, weight in weights.items()]
    low, high = -1 / away[-1][0] + 1e-9, -1 / away[0][0] - 1e-9
    tilt = 0.0
    for _ in range(60):
        terms = [(each / (1 + tilt * each), weight) for each, weight in away]
        slope = sum(weight * term for term, weight in terms)
        low, high = (tilt, high) if slope > 0 else (low, tilt)
        newton = tilt + slope / sum(weight * term * term for term, weight in terms)
        step, tilt = tilt, newton if low < newton < high else (low + high) / 2
        if abs(tilt - step) <= 1e-10 * (1 + abs(tilt)):
            break
    return -sum(weight * log1p(tilt * each) for each, weight in away)


def expected_score(elo: float) -> float:
    """The expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float | None:
    """The Elo difference with this expected score; None if there is none."""
    return -400 * log10(1 / score - 1) if 0 < score < 1 else None
