"""Bounds for bots that have won or lost everything, instead of numbers from a prior.

Bots fall into groups. Within a group a chain of matches not lost leads from every bot
to every other, and the maximum likelihood is finite (L. R. Ford 1957). Between groups
all results point one way, and only a one-sided bound exists.

The bound is that of the profile likelihood over deals: a deal is one observation,
however many matches and pairs it has. The likelihood may fall by log(1/alpha), not only
by half the chi-square quantile. For one opponent that is exactly the binomial bound,
p**deals = alpha. The uncertainty of the opponents makes the bound wider. If opponents
differ, winning against the best of them proves more than winning against their mean.
But no bound is narrower than the binomial one against the mean opponent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pips_tourney.ratings.fit.davidson import Fit, climbed, derivatives, likelihood, pairs
from pips_tourney.ratings.fit.tally import Floats, Ints, Tally

RIDGE: Final = 4e-6
"""Imagined drawn matches that keep the strengths of other unbeaten bots finite.

They weigh far less than a deal.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The connected groups of n bots."""

    of: Ints
    """(n,) the lowest bot of each bot's group."""
    reaches: Ints
    """(n, n) 1 if a chain of matches not lost leads from row to column."""


def groups(tally: Tally) -> Groups:
    """The groups of bots that the results connect."""
    reaches, (_, i, j, outcome) = np.eye(len(tally.names), dtype=np.int64), tally.meetings()
    for upper, lower, scored in ((i, j, outcome >= 0), (j, i, outcome <= 0)):
        reaches[upper[scored], lower[scored]] = 1
    reaches = chained(reaches)
    return Groups(np.argmax(reaches & reaches.T, axis=1), reaches)


def chained(reaches: Ints) -> Ints:
    """(n, n) 1 if a chain of steps leads from row to column.

    `reaches` has the single steps, with ones on the diagonal.
    """
    steps = reaches.astype(float)  # whole numbers as floats: their products are far quicker
    for _ in range(max(len(reaches) - 1, 1).bit_length()):
        steps = np.minimum(steps @ steps, 1)
    return steps.astype(np.int64)


class DealLikelihood:
    """The likelihood of strengths, with every deal as one comparison.

    Ties and seats are as fitted.
    """

    def __init__(self, tally: Tally, groups: Groups, fit: Fit) -> None:
        self._tally, self._group, self._bots, self._theta = tally, groups.of, fit.layout.bots, fit.theta
        weight = np.zeros(len(tally.kind_count))
        for deals in tally.deals:
            matches = deals.kinds.shape[1]
            weight += np.bincount(deals.kinds.ravel(), np.repeat(deals.count, matches), len(weight)) / matches
        weight /= tally.seats - 1
        self._pairs = pairs(tally, np.zeros(self._bots, np.int64), weight)
        self._ridge = np.where(np.arange(len(fit.theta)) < self._bots, RIDGE, 0.0)
        self.strengths, self.best = self._maximum(np.zeros(self._bots))

    def _whole(self, strengths: Floats) -> Floats:
        return np.concatenate([strengths, self._theta[self._bots :]])

    def _slopes(self, strengths: Floats) -> tuple[Floats, Floats]:
        n, (gradient, information) = self._bots, derivatives(self._pairs, self._whole(strengths), self._ridge)
        return gradient[:n], information[:n, :n]

    def _maximum(self, start: Floats, fixed: tuple[Floats, float] | None = None) -> tuple[Floats, float]:
        """The maximum's point and value; `fixed` is a contrast and its value."""
        contrast = None
        if fixed is not None:
            contrast, wanted = fixed
            start = start + contrast * (wanted - contrast @ start) / (contrast @ contrast)

        def value(strengths: Floats) -> float:
            return likelihood(self._pairs, self._whole(strengths), self._ridge)

        return climbed(value, self._slopes, start, contrast)[:2]

    def doubt(self, contrast: Floats) -> float:
        """The level at which an unbounded contrast is positive; at most 1/2."""
        level = np.exp(self._maximum(self.strengths, (contrast, 0.0))[1] - self.best)
        if (met := self._met(contrast)) is not None:
            deals, lead = met
            level = max(level, (1 + np.exp(-lead)) ** -deals)
        return min(float(level), 0.5)

    def lowest(self, contrast: Floats, alpha: float) -> float:
        """The lowest value of an unbounded contrast that a level of `alpha` allows."""
        profile = self._lowest_profile(contrast, alpha)
        if (met := self._met(contrast)) is None:
            return profile
        deals, lead = met
        chance = alpha ** (1 / deals)
        binomial = float(np.log(chance / (1 - chance)) - lead) * float(contrast[contrast > 0].sum())
        return min(profile, binomial)

    def _met(self, contrast: Floats) -> tuple[int, float] | None:
        """Between the two ends of a contrast: deals in which they met, and the lead.

        The lead is the mean distance of their pairs when the contrast is zero. None if
        the groups never met, or if an end spans several groups and so has no place.
        """
        above, below = (np.isin(self._group, self._group[end]) for end in (contrast > 0, contrast < 0))
        if any(len(set(self._group[end])) > 1 for end in (above, below)):
            return None
        i, j = self._pairs.cells[:, :2].T
        sign = above[i] * below[j] - 1.0 * below[i] * above[j]
        weight = np.abs(sign) * (self._pairs.wins + self._pairs.ties + self._pairs.losses)
        if weight.sum() == 0:
            return None
        fitted = self._theta[: self._bots]
        ahead = float((weight * sign * (fitted[i] - fitted[j])).sum() / weight.sum())
        lead = ahead - float(contrast @ fitted) / float(contrast[contrast > 0].sum())
        return deals_between(self._tally, above, below), lead

    def _lowest_profile(self, contrast: Floats, alpha: float) -> float:
        # The drop is convex and decreases with the contrast, so Newton's method
        # converges from the left.
        at, allowed = 0.0, -float(np.log(alpha))
        strengths = self.strengths
        for _ in range(100):
            strengths, value = self._maximum(strengths, (contrast, at))
            gradient, _ = self._slopes(strengths)
            slope = float(gradient @ contrast / (contrast @ contrast))
            excess = (self.best - value) - allowed
            if abs(excess) < 1e-9 or slope == 0.0:
                break
            at += float(np.clip(excess / slope, -4.0, 4.0)) if slope > 0 else -1.0
        return at


def deals_between(tally: Tally, one: NDArray[np.bool_], other: NDArray[np.bool_]) -> int:
    """How many deals had bots of `one` and of `other` at the table."""
    total = 0
    for deals in tally.deals:
        table = tally.seatings[deals.designs].reshape(len(deals.designs), -1)
        sat = [np.any(side[table], axis=1) for side in (one, other)]
        total += int(deals.count[(sat[0] & sat[1])[deals.design]].sum())
    return total
