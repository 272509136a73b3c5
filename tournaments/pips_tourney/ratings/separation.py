"""Bounds for bots that have won or lost everything, never numbers that a prior made up.

Bots fall into groups. Within a group a chain of matches not lost leads from every bot
to every other, and the maximum likelihood is finite (L. R. Ford 1957). Between groups
all results point one way and only a one-sided bound exists.

The bound is the profile likelihood's, over deals: a deal is one observation, however
many matches and pairs it has. The likelihood may fall by log(1/alpha), not only by half
the chi-square quantile. For one opponent that is exactly the binomial bound, p**deals =
alpha. Opponents that are uncertain themselves make it wider. Where opponents differ,
winning against the best of them says more than winning against their mean. But no bot
gets a bound narrower than the binomial one against the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pips_tourney.ratings.davidson import SIGNS, Fit, Pairs, moments
from pips_tourney.ratings.tally import EMPTY, Floats, Ints, Tally

RIDGE: Final = 1e-6
"""Keeps the strength finite of an unbeaten bot that is not asked about.

It is far below the weight of a deal.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The connected groups of n bots."""

    of: Ints
    """(n,) the lowest bot of each bot's group."""
    reaches: Ints
    """(n, n) 1 where a chain of matches not lost leads from row to column."""


def groups(tally: Tally) -> Groups:
    """The groups of bots that results connect."""
    n = len(tally.names)
    reaches = np.eye(n, dtype=np.int64)
    at_seat = tally.seatings[tally.kind_seating]
    for r, (a, b) in enumerate(tally.pairs):
        i, j = at_seat[:, a], at_seat[:, b]
        for upper, lower, sign in ((i, j, 1), (j, i, -1)):
            scored = (j != EMPTY) & (tally.outcome[:, r] * sign >= 0)
            reaches[upper[scored], lower[scored]] = 1
    reaches = chained(reaches)
    return Groups(np.argmax(reaches & reaches.T, axis=1), reaches)


def chained(reaches: Ints) -> Ints:
    """(n, n) 1 where a chain of steps leads from row to column.

    `reaches` holds the single steps, with ones on the diagonal.
    """
    steps = reaches.astype(float)  # whole numbers as floats: their products are far quicker
    for _ in range(max(len(reaches) - 1, 1).bit_length()):
        steps = np.minimum(steps @ steps, 1)
    return steps.astype(np.int64)


class DealLikelihood:
    """The likelihood of strengths in which every deal weighs as one comparison.

    Ties and seats are as fitted.
    """

    def __init__(self, tally: Tally, groups: Groups, everyone: Pairs, fit: Fit) -> None:
        n = fit.layout.bots
        self._tally, self._group, self._fitted = tally, groups.of, fit.theta[:n]
        weight = np.zeros(len(tally.kind_count))
        for deals in tally.deals:
            matches = deals.kinds.shape[1]
            weight += np.bincount(np.repeat(deals.kinds, 1), np.repeat(deals.count, matches), len(weight)) / matches
        weight /= tally.size[tally.kind_seating] - 1
        theta = np.where(np.arange(fit.layout.parameters) > fit.layout.tie, fit.theta, 0.0)
        entry = everyone.entry[tally.kind_seating]
        used = (everyone.used[tally.kind_seating] > 0) & (entry[..., 0] != entry[..., 1])
        self._i, self._j = entry[used][:, 0], entry[used][:, 1]
        self._seats = theta[entry[used]] @ SIGNS
        self._outcome = tally.outcome[used]
        self._weight = np.broadcast_to(weight[:, None], used.shape)[used]
        self._tie = float(fit.theta[fit.layout.tie])
        self._bots = n
        self.best, self.strengths = self._maximum(np.zeros(n), None)

    def _value(self, strengths: Floats) -> float:
        d = strengths[self._i] - strengths[self._j] + self._seats
        log_total = np.logaddexp(np.logaddexp(d / 2, -d / 2), self._tie)
        level = 0.0 if self._tie == -np.inf else self._tie
        log_chance = self._outcome * d / 2 + (self._outcome == 0) * level - log_total
        return float((self._weight * log_chance).sum() - RIDGE / 2 * (strengths**2).sum())

    def _derivatives(self, strengths: Floats) -> tuple[Floats, Floats]:
        n = self._bots
        m = moments(strengths[self._i] - strengths[self._j] + self._seats, self._tie)
        residual = self._weight * ((self._outcome + 1) / 2 - m.score)
        gradient = np.bincount(self._i, residual, n) - np.bincount(self._j, residual, n) - RIDGE * strengths
        variance = self._weight * m.var_score
        cross = np.bincount(self._i * n + self._j, variance, n * n).reshape(n, n)
        both = cross + cross.T
        return gradient, np.diag(both.sum(axis=1) + RIDGE) - both

    def _maximum(self, strengths: Floats, fixed: tuple[Floats, float] | None) -> tuple[float, Floats]:
        """The highest value and where, with fixed = (contrast, its value)."""
        n = self._bots
        if fixed is not None:
            contrast, wanted = fixed
            strengths = strengths + contrast * (wanted - contrast @ strengths) / (contrast @ contrast)
        value = self._value(strengths)
        for _ in range(200):
            gradient, information = self._derivatives(strengths)
            if fixed is None:
                step = np.linalg.solve(information, gradient)
            else:
                border = np.block([[information, fixed[0][:, None]], [fixed[0][None, :], np.zeros((1, 1))]])
                step = np.linalg.solve(border, np.append(gradient, 0.0))[:n]
            step *= min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
            while (new := self._value(strengths + step)) < value - 1e-12 and np.abs(step).max() > 1e-9:
                step /= 2
            strengths, value = strengths + step, new
            if np.abs(step).max() < 1e-9:
                break
        return value, strengths

    def doubt(self, contrast: Floats) -> float:
        """The level at which an unbounded contrast is positive; at most 1/2."""
        level = np.exp(self._maximum(self.strengths, (contrast, 0.0))[0] - self.best)
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
        """Deals between the groups at either end, and how far their pairs were apart.

        The distance is that at which the contrast was zero. None where the groups never
        met, or where an end has more than one group and so no place.
        """
        above, below = (np.isin(self._group, self._group[end]) for end in (contrast > 0, contrast < 0))
        if any(len(set(self._group[end])) > 1 for end in (above, below)):
            return None
        sign = above[self._i] * below[self._j] - 1.0 * below[self._i] * above[self._j]
        weight = np.abs(sign) * self._weight
        if weight.sum() == 0:
            return None
        ahead = float((weight * sign * (self._fitted[self._i] - self._fitted[self._j])).sum() / weight.sum())
        lead = ahead - float(contrast @ self._fitted) / float(contrast[contrast > 0].sum())
        return deals_between(self._tally, above, below), lead

    def _lowest_profile(self, contrast: Floats, alpha: float) -> float:
        # The drop is convex and falls with the contrast, so Newton's method comes in
        # from the left.
        at, allowed = 0.0, -float(np.log(alpha))
        strengths = self.strengths
        for _ in range(100):
            value, strengths = self._maximum(strengths, (contrast, at))
            gradient, _ = self._derivatives(strengths)
            slope = float(gradient @ contrast / (contrast @ contrast))
            excess = (self.best - value) - allowed
            if abs(excess) < 1e-9 or slope == 0.0:
                break
            at += float(np.clip(excess / slope, -4.0, 4.0)) if slope > 0 else -1.0
        return at


def deals_between(tally: Tally, one: NDArray[np.bool_], other: NDArray[np.bool_]) -> int:
    """Deals in which bots of both sides sat at the table."""
    total = 0
    for deals in tally.deals:
        table = tally.seatings[deals.designs].reshape(len(deals.designs), -1)
        sat = [(side[table] & (table != EMPTY)).any(axis=1) for side in (one, other)]
        total += int(deals.count[(sat[0] & sat[1])[deals.design]].sum())
    return total
