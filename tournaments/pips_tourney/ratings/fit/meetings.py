"""Each pair's own results, compared with what the fitted strengths predict.

The fit has one strength a bot. A pair may do better or worse than two strengths can
predict. For every pair that met, this module computes its own score, with the level of
its own deals, and its linearised distance from the fit. All sums go over deals, because
the matches of one deal are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from pips_tourney.ratings.fit.davidson import Fit, Pairs, moments
from pips_tourney.ratings.fit.errors import chunks, distinct
from pips_tourney.ratings.fit.tally import Deals, Floats, Ints, Tally


@dataclass(frozen=True, slots=True, eq=False)
class PairResults:
    """P pairs of bots that sat at a table together, the lower number first."""

    pair: Ints
    """(P, 2)"""
    matches: Floats
    """(P,)"""
    deals: Ints
    """(P,)"""
    score: Floats
    """(P,) the first bot's mean score a match, from scores of 1, 1/2 or 0."""
    doubt: Floats
    """(P,) the one-sided level at which the leading bot is better.

    It comes from the pair's own deals alone.
    """
    connected: Floats
    """(P,) 1 if both bots belong to one connected group.

    If it is 0, the pair has no `expected`, `weight` or `away`.
    """
    expected: Floats
    """(P,) the mean score that strengths, seats and ties predict."""
    weight: Floats
    """(P,) the pair's information: the variance of its scores by the fit."""
    away: Floats
    """(P,) the pair's difference by its own results less that by strengths.

    In natural units.
    """
    noise: float
    """`noise / weight` is the variance of `away` around the pair's own value.

    Noise that pairs share comes on top.
    """

    def matrix(self, bots: int, values: Floats) -> Floats:
        """(n, n) a value of each pair, negated when seen from the second bot.

        NaN if the two never met.
        """
        square = np.full((bots, bots), np.nan)
        first, second = self.pair.T
        square[first, second], square[second, first] = values, -values
        return square


@dataclass(frozen=True, slots=True, eq=False)
class DealScores:
    """Scores of pairs in deals of one length: D patterns with up to q pairs each."""

    count: Ints
    """(D,) how many deals had this pattern."""
    pair: Ints
    """(D, q) numbers of pairs; P means none."""
    points: Floats
    """(D, q) the first bot's score less 1/2, summed over the deal's matches."""
    residual: Floats
    """(D, q) the first bot's score less what the fit expects, summed likewise."""


def numbered(tally: Tally) -> tuple[Ints, Ints]:
    """(P, 2) the pairs that met, and (n, n) their numbers.

    The number of a pair that never met is P.
    """
    n, (_, i, j, _) = len(tally.names), tally.meetings()
    met = np.zeros((n, n), bool)
    met[i, j] = met[j, i] = True
    pair = np.argwhere(np.triu(met, 1))
    number = np.full((n, n), len(pair), np.int64)
    number[pair[:, 0], pair[:, 1]] = number[pair[:, 1], pair[:, 0]] = np.arange(len(pair))
    return pair, number


def deal_scores(tally: Tally, pairs: Pairs, fit: Fit) -> list[DealScores]:
    """Every deal's sums by pair, one entry for each length of deals."""
    _, number = numbered(tally)
    return [_scores_of(tally, pairs, fit, deals, number) for deals in tally.deals]


def _scores_of(tally: Tally, pairs: Pairs, fit: Fit, deals: Deals, number: Ints) -> DealScores:
    a, b = np.array(tally.pairs, np.int64).T
    designs = len(deals.designs)
    i, j = (tally.seatings[deals.designs][..., seats].reshape(designs, -1) for seats in (a, b))
    none, pair = int(number[0, 0]), number[i, j]
    local = distinct(pair, none)
    sign = np.where(i < j, 1.0, -1.0)
    belongs = (pair[:, :, None] == local[:, None, :]) & (pair < none)[:, :, None]
    signed = belongs * sign[:, :, None]
    chance = moments(fit.difference(pairs.entry[deals.designs]), fit.theta[fit.layout.tie]).score - 0.5
    expected = (signed * chance.reshape(designs, -1)[:, :, None]).sum(axis=1)
    points = np.empty((len(deals.count), local.shape[1]))
    for part in chunks(len(points)):
        outcome = tally.outcome[deals.kinds[part]].reshape(len(points[part]), 1, -1)
        points[part] = (outcome @ signed[deals.design[part]])[:, 0] / 2
    return DealScores(deals.count, local[deals.design], points, points - expected[deals.design])


def meetings(tally: Tally, pairs: Pairs, fit: Fit, group: Ints, scores: list[DealScores]) -> PairResults:
    """Every pair that met.

    `pairs` and `fit` come from the fit of the strengths. `group` numbers the connected
    groups.
    """
    pair, number = numbered(tally)
    p = len(pair)
    weight, expected, matches = _fitted(pairs, fit, number, p)
    sums = np.zeros((4, p + 1))
    for part in scores:
        often = np.where(part.pair < p, part.count[:, None], 0)
        for row, values in enumerate((np.ones_like(part.points), part.points, part.points**2, part.residual)):
            sums[row] += np.bincount(part.pair.ravel(), (often * values).ravel(), p + 1)
    deals, points, squares, residual = sums[:, :p]
    kind, i, j, _ = tally.meetings()
    played = np.bincount(number[i, j], tally.kind_count[kind], p).astype(float)
    same = (group[pair[:, 0]] == group[pair[:, 1]]).astype(float)
    away = np.where(same > 0, residual / np.where(same > 0, weight, 1.0), 0.0)
    noise = _noise(scores, pair, weight, residual, deals, group)
    mean = np.where(same > 0, expected / np.where(matches > 0, matches, 1.0), np.nan)
    doubt = own_doubt(deals, points, squares)
    return PairResults(
        pair, played, deals.astype(np.int64), points / played + 0.5, doubt, same, mean, weight, away, noise
    )


def own_doubt(deals: Floats, total: Floats, squares: Floats) -> Floats:
    """The one-sided level of each pair's mean over deals, by a t test.

    If all deals agree, it is the level of the sign test. `total` and `squares` are the
    sums of the deals' scores (0 for level) and of their squares.
    """
    mean = total / deals
    variance = np.maximum(squares - deals * mean**2, 0.0) / np.maximum(deals - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.abs(mean) / np.sqrt(variance / deals)
        tail = np.where((variance > 1e-12) & (deals > 1), stdtr(np.maximum(deals - 1, 1), -distance), 0.0)
    return np.where(np.abs(total) < 1e-12, 0.5, np.maximum(tail, 0.5**deals))


def _fitted(pairs: Pairs, fit: Fit, number: Ints, p: int) -> tuple[Floats, Floats, Floats]:
    """(P,) each connected pair's information, sum of expected scores, and matches."""
    m = moments(fit.difference(pairs.cells), fit.theta[fit.layout.tie])
    matches = pairs.wins + pairs.ties + pairs.losses
    i, j = pairs.cells[:, 0], pairs.cells[:, 1]
    which = number[i, j]
    score = np.where(i < j, m.score, 1 - m.score)
    weight, expected, played = (
        np.asarray(np.bincount(which, matches * part, p + 1)[:p], float)
        for part in (m.var_score, score, np.ones(len(which)))
    )
    return weight, expected, played


def _noise(scores: list[DealScores], pair: Ints, weight: Floats, residual: Floats, deals: Floats, group: Ints) -> float:
    """The mean ratio of the residuals' variance to the variance by the fit (`weight`).

    Only the part of the residuals that strengths do not explain counts, and it is
    centred by pair. So a pair that is away from the fit adds nothing. If strengths
    explain everything (two bots, a gauntlet), the ratio is taken of the complete
    residuals. A pair with a single deal cannot be centred: its distance from the fit
    counts as luck.
    """
    used = group[pair[:, 0]] == group[pair[:, 1]]
    if not used.any():
        return 1.0
    n = len(group)
    inverse = inverse_of_contrasts(laplacian(n, pair[used], weight[used]), group)
    free = int(used.sum()) - (n - len(np.unique(group)))
    centre = np.append(np.where(deals > 1, residual / np.maximum(deals, 1), 0.0), 0.0)
    alone = int(used.sum()) / max(free, 1)
    stretch = np.append(np.sqrt(np.where(deals > 1, deals / np.maximum(deals - 1, 1), alone)) * used, 0.0)
    shares = np.append(1 / np.where(used, weight, np.inf), 0.0)
    ends = np.vstack([pair, [[0, 0]]])
    total = explained = 0.0
    for part in scores:
        z = (part.residual - centre[part.pair]) * stretch[part.pair]
        total += float((part.count * (z**2 * shares[part.pair]).sum(axis=1)).sum())
        moved = np.zeros((len(z), n))
        rows = np.arange(len(z))[:, None]
        np.add.at(moved, (rows, ends[part.pair, 0]), z)
        np.add.at(moved, (rows, ends[part.pair, 1]), -z)
        explained += float((part.count * ((moved @ inverse) * moved).sum(axis=1)).sum())
    if free <= 0:
        return max(total / int(used.sum()), 1e-6)
    return max((total - explained) / free, 1e-6)


def laplacian(n: int, pair: Ints, weight: Floats) -> Floats:
    """(n, n) the information about strengths in pairs with these weights."""
    square = np.zeros((n, n))
    square[pair[:, 0], pair[:, 1]] = square[pair[:, 1], pair[:, 0]] = weight
    return np.asarray(np.diag(square.sum(axis=1)) - square)


def inverse_of_contrasts(information: Floats, group: Ints) -> Floats:
    """(n, n) the pseudo-inverse of the information about strengths in connected groups.

    The information lacks only the mean of each group. So the means are filled in and
    removed again: no rounding decides which eigenvalue is zero.
    """
    mean = (group[:, None] == group[None, :]) / np.bincount(group, minlength=int(group.max()) + 1)[group]
    scale = max(float(np.trace(information)) / len(group), np.finfo(float).tiny)
    return np.asarray(np.linalg.inv(information + scale * mean) - mean / scale)
