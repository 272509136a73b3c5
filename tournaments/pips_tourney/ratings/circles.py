"""Whether the results fit an order at all, and the circles if they do not.

One strength a bot explains the part of the results that is a gradient. The rest is
cyclic (the Hodge decomposition of pairwise results; X. Jiang and others 2011,
Mathematical Programming 127). Two tests ask whether the rest is more than luck: the sum
of all squares, and the largest circle of three. Both are compared with draws that have
the covariance of the deals (a multiplier bootstrap over deals). A chi-square table
would be wrong for swept pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from scipy.special import ndtri

from pips_tourney.ratings.meetings import DealScores, PairResults, inverse_of_contrasts
from pips_tourney.ratings.table import Circles
from pips_tourney.ratings.tally import Floats, Ints

DRAWS: Final = 2000
LEVEL: Final = 0.006
"""The level of a finding, shared by the two tests."""
MOST_PAIRS: Final = 2000
"""With more pairs, of 64 bots, nothing is tested."""
MOST_TRIPLES: Final = 5000
"""With more triples, only the sum of squares is tested."""


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """The P pairs of one connected group of n bots."""

    bots: Ints
    """(n,) their numbers."""
    first: Ints
    second: Ints
    """(P,) places in the group."""
    number: Ints
    """(P,) the pairs' numbers in the results."""
    weight: Floats
    """(P,)"""
    apart: Floats
    """(P,) how far apart a pair's own results put it."""
    away: Floats
    """(P,) `apart` less what strengths say."""
    noise: Floats
    """(B, P) draws of the luck in `apart`."""

    def rest(self, values: Floats) -> Floats:
        """(..., P) what strengths leave of these values."""
        n = len(self.bots)
        design = np.zeros((len(self.first), n))
        rows = np.arange(len(self.first))
        design[rows, self.first], design[rows, self.second] = 1.0, -1.0
        weighted = design * self.weight[:, None]
        inverse = inverse_of_contrasts(design.T @ weighted, np.zeros(n, np.int64))
        return np.asarray(values - (values @ weighted @ inverse) @ design.T)


def circles(
    names: Sequence[str], group: Ints, value: Floats, met: PairResults, scores: list[DealScores]
) -> Circles | None:
    """What is cyclic in the largest group.

    None where it has fewer than three bots or too many pairs, or no pair says more than
    others. `value` (n,) are strengths in natural units.
    """
    if len(met.pair) > MOST_PAIRS:
        return None
    edges = _edges(group, value, met, scores)
    n, pairs = len(edges.bots), len(edges.first)
    if n < 3 or pairs <= n - 1:
        return None
    rest = edges.rest(edges.noise)
    squares, drawn = (edges.weight * edges.away**2).sum(), (edges.weight * rest**2).sum(axis=1)
    fits = _share_above(drawn, float(squares))
    triple, alone = _largest(edges, rest)
    chance = fits if n == 3 else min(1.0, 2 * min(fits, alone))
    found = chance < LEVEL
    return Circles(round(chance, 4), found, _circle(names, edges, triple, met) if found else ())


def _edges(group: Ints, value: Floats, met: PairResults, scores: list[DealScores]) -> _Edges:
    largest = int(np.bincount(group).argmax())
    bots = np.flatnonzero(group == largest)
    place = np.full(len(group), -1)
    place[bots] = np.arange(len(bots))
    number = np.flatnonzero((place[met.pair] >= 0).all(axis=1))
    first, second = place[met.pair[number]].T
    weight, away = met.weight[number], met.away[number]
    apart = value[bots][first] - value[bots][second] + away
    noise = _draws(_covariance(met, scores)[np.ix_(number, number)])
    return _Edges(bots, first, second, number, weight, apart, away, noise / weight)


def _covariance(met: PairResults, scores: list[DealScores]) -> Floats:
    """(P, P) covariance of the sums of pairs' residuals, over deals.

    Each pair has at least the variance that all pairs together suggest. With few deals
    some pairs look surer than they are. The deals of a swept pair say nothing by
    themselves.
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


def _draws(covariance: Floats) -> Floats:
    """(B, P) normal draws.

    They are the same on every machine and with every version of the libraries.
    """
    p = len(covariance)
    bits = np.random.PCG64(20).random_raw(DRAWS * p)  # raw streams never change, distributions may
    normal = ndtri((np.asarray(bits >> np.uint64(11), float) + 0.5) / 2.0**53).reshape(DRAWS, p)
    if not (covariance - np.diag(np.diag(covariance))).any():
        return np.asarray(normal * np.sqrt(np.diag(covariance)))
    own, axes = np.linalg.eigh(covariance)
    return np.asarray((normal * np.sqrt(np.maximum(own, 0.0))) @ axes.T)


def _share_above(drawn: Floats, value: float) -> float:
    return float((1 + (drawn >= value - 1e-12).sum()) / (1 + len(drawn)))


def _largest(edges: _Edges, rest: Floats) -> tuple[tuple[int, int, int] | None, float]:
    """The circle of three that is most significant, and its probability by luck."""
    number = {(int(a), int(b)): at for at, (a, b) in enumerate(zip(edges.first, edges.second, strict=True))}
    triples = [
        (a, b, c)
        for a, b, c in combinations(range(len(edges.bots)), 3)
        if (a, b) in number and (b, c) in number and (a, c) in number
    ]
    if not triples or len(triples) > MOST_TRIPLES:
        return None, 1.0
    sides = np.array([[number[a, b], number[b, c], number[a, c]] for a, b, c in triples])
    curl = edges.away[sides] @ [1, 1, -1]
    squares, highest = np.zeros(len(sides)), np.zeros(len(rest))
    parts = [slice(at, at + 200) for at in range(0, len(sides), 200)]
    for part in parts:
        squares[part] = ((rest[:, sides[part]] @ [1, 1, -1]) ** 2).mean(axis=0)
    spread = np.sqrt(np.maximum(squares, 1e-12))
    for part in parts:
        highest = np.maximum(highest, np.abs((rest[:, sides[part]] @ [1, 1, -1]) / spread[part]).max(axis=1))
    at = int(np.abs(curl / spread).argmax())
    a, b, c = triples[at]
    return (a, b, c) if curl[at] > 0 else (a, c, b), _share_above(highest, float(np.abs(curl / spread)[at]))


def _circle(
    names: Sequence[str], edges: _Edges, triple: tuple[int, int, int] | None, met: PairResults
) -> tuple[str, ...]:
    """Three bots, each with more than half against the next in the circle."""
    if triple is None:
        return ()
    bots = [int(edges.bots[at]) for at in triple]
    lead = met.matrix(len(names), met.score - 0.5)
    for order in (bots, bots[::-1]):
        a, b, c = order
        if min(lead[a, b], lead[b, c], lead[c, a]) > 0:
            start = min(range(3), key=lambda at: names[order[at]])
            return tuple(names[order[(start + step) % 3]] for step in range(3))
    return ()
