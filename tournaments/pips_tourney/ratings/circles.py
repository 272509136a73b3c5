"""Whether results fit any order; if not, three bots that beat each other in a circle.

One strength a bot explains the part of the results that is a gradient. The rest is
cyclic (the Hodge decomposition of pairwise results; X. Jiang and others 2011,
Mathematical Programming 127). Two tests ask whether the cyclic part is more than luck.
One takes the sum of all squares, the other the largest circle of three bots. Luck is
normal with the covariance of the deals, so the sum is a weighted sum of chi-squares.
Its tail is that of a chi-square with the same three moments (M. Buckley & G. Eagleson
1988, Australian Journal of Statistics 30). The level of the largest circle is divided
by the number of circles (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.special import chdtrc, ndtr

from pips_tourney.ratings.fit.meetings import DealScores, PairResults, inverse_of_contrasts, laplacian
from pips_tourney.ratings.fit.tally import Floats, Ints
from pips_tourney.ratings.table import Circles

LEVEL: Final = 0.006
"""The level of a finding, shared by the two tests."""
MOST_PAIRS: Final = 2000
"""With more pairs than 64 bots have, nothing is tested."""
SIDES: Final = np.array([1, 1, -1])
"""The signs with which the sides a to b, b to c and a to c make a circle."""


def circles(names: Sequence[str], group: Ints, met: PairResults, scores: list[DealScores]) -> Circles | None:
    """Test the largest group for cyclic results.

    None if the group has fewer than three bots or too many pairs, or if its pairs form
    no cycle.
    """
    if len(met.pair) > MOST_PAIRS:
        return None
    bots = np.flatnonzero(group == np.bincount(group).argmax())
    number = np.flatnonzero(np.isin(met.pair, bots).all(axis=1))
    n, p = len(bots), len(number)
    if n < 3 or p <= n - 1:
        return None
    pair, weight, away = np.searchsorted(bots, met.pair[number]), met.weight[number], met.away[number]
    luck = _left(n, pair, weight, _covariance(met, scores)[np.ix_(number, number)])
    fits = _above(luck * np.outer(np.sqrt(weight), np.sqrt(weight)), float((weight * away**2).sum()))
    triple, alone = _largest(n, pair, away, luck)
    chance = fits if n == 3 else min(1.0, 2 * min(fits, alone))
    found = chance < LEVEL
    return Circles(max(round(chance, 4), 0.0001), found, _circle(names, bots[triple].tolist(), met) if found else ())


def _covariance(met: PairResults, scores: list[DealScores]) -> Floats:
    """(P, P) covariance of the sums of pairs' residuals, over deals.

    With few deals, some pairs look surer than they are, and the deals of a swept pair
    show no variance at all. So each pair has at least the variance that all pairs
    together suggest.
    """
    p = len(met.pair)
    deals = np.append(met.deals, 1)
    total = np.zeros(p + 1)
    for part in scores:
        total += np.bincount(part.pair.ravel(), (part.count[:, None] * part.residual).ravel(), p + 1)
    centre, stretch = total / deals, np.sqrt(deals / np.maximum(deals - 1, 1))
    stretch[p] = 0.0
    flat = np.zeros((p + 1) ** 2)
    for part in scores:
        z = (part.residual - centre[part.pair]) * stretch[part.pair]
        product = part.count[:, None, None] * z[:, :, None] * z[:, None, :]
        code = part.pair[:, :, None] * (p + 1) + part.pair[:, None, :]
        flat += np.bincount(code.ravel(), product.ravel(), (p + 1) ** 2)
    covariance = flat.reshape(p + 1, p + 1)[:p, :p]
    least = np.where(met.connected > 0, met.noise * met.weight, 0.0)
    covariance[np.diag_indices(p)] += np.maximum(least - np.diag(covariance), 0.0)
    return np.asarray(covariance)


def _left(n: int, pair: Ints, weight: Floats, covariance: Floats) -> Floats:
    """(P, P) the covariance, by luck alone, of the pairs' residuals from strengths."""
    (i, j), apart = pair.T, np.eye(n)[pair[:, 0]] - np.eye(n)[pair[:, 1]]
    inverse = inverse_of_contrasts(laplacian(n, pair, weight), np.zeros(n, np.int64))
    said = inverse[:, i] - inverse[:, j]
    half = covariance / weight
    half -= covariance @ apart @ said
    left = half / weight[:, None]
    left -= said.T @ (apart.T @ half)
    return np.asarray(left)


def _above(covariance: Floats, squares: float) -> float:
    """The chance that the sum of squares of normal values exceeds `squares`."""
    rough = covariance.astype(np.float32)  # exact enough for a sum of cubes, in half the time
    one, two = float(np.trace(covariance)), float(np.vdot(covariance, covariance))
    three = float(((rough @ rough.T) * rough).sum(dtype=float))  # symmetric: half the time again
    freedom = two**3 / three**2
    return float(chdtrc(freedom, max(0.0, freedom + (squares - one) * (freedom / two) ** 0.5)))


def _largest(n: int, pair: Ints, away: Floats, luck: Floats) -> tuple[list[int], float]:
    """The most significant circle of three, or [], and its chance under luck alone."""
    number = np.full((n, n), -1)
    number[pair[:, 0], pair[:, 1]] = number[pair[:, 1], pair[:, 0]] = np.arange(len(pair))
    first, second = pair.T
    at, third = np.nonzero((number[first] >= 0) & (number[second] >= 0) & (np.arange(n) > second[:, None]))
    triples = np.stack([first[at], second[at], third], axis=1)
    sides = np.stack([at, number[second[at], third], number[first[at], third]], axis=1)
    if not len(sides):
        return [], 1.0
    variance = luck[sides[:, :, None], sides[:, None, :]] @ SIDES @ SIDES
    distance = np.abs(away[sides] @ SIDES) / np.sqrt(np.maximum(variance, 1e-12))
    return triples[distance.argmax()].tolist(), min(1.0, 2 * len(sides) * float(ndtr(-distance.max())))


def _circle(names: Sequence[str], bots: Sequence[int], met: PairResults) -> tuple[str, ...]:
    """The three bots, ordered so that each scored more than half against the next."""
    lead = met.matrix(len(names), met.score - 0.5)
    for order in (bots, bots[::-1]):
        if order and min(lead[order[at - 1], order[at]] for at in range(3)) > 0:
            start = min(range(3), key=lambda at: names[order[at]])
            return tuple(names[order[(start + step) % 3]] for step in range(3))
    return ()
