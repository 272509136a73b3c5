"""Standard errors that allow for the dependence of the matches of one deal.

The covariance is the sandwich of the linearised fit, clustered by deal, with the
correction CR2 of Bell & McCaffrey (2002, Survey Methodology 28). The degrees of freedom
are Satterthwaite's for the same working model (Pustejovsky & Tipton 2018, JBES 36),
less one for the part that all residuals share. If nearly all deals agree, they show
little of the luck. So no error is smaller than a share of what one more result might
move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from pips_tourney.ratings.fit.davidson import Fit, Pairs, moments
from pips_tourney.ratings.fit.tally import Deals, Floats, Ints, Tally

CHUNK: Final = 512
MOST_LEVERAGE: Final = 0.9999
HINT: Final = 1e-12
MOST_NUMBERS: Final = 1 << 22
"""The most numbers in memory at once while variances are summed."""
LONG_VECTOR: Final = 10
ROUNDED: Final = 1e-13
"""Smaller shares of the largest variance are rounding errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """Errors of all differences between m combinations of parameters.

    They are meaningful only within a connected group.
    """

    variance: Floats
    """(m, m)"""
    freedom: Floats
    """(m, m) degrees of freedom, at least 1."""

    def at_least(self, error: Floats) -> Errors:
        """The same errors, with no standard error smaller than `error` (m, m)."""
        return Errors(np.maximum(self.variance, error**2), self.freedom)


def moved(influence: Floats, worth: Floats) -> Floats:
    """(m, m) how far one more result may move each difference.

    `influence` (m, p) is the influence of the parameters on the m entities; the first n
    of both are the bots. `worth` (n, n) is the weight of one result of two bots, 0 if
    they did not meet. Only results of the two bots that differ are considered.
    """
    n, m = len(worth), len(influence)
    found = np.zeros((m, m))
    for bot in range(n):
        turned = (influence[:, [bot]] - influence[:, :n]) * worth[bot]
        found[:, bot] = np.abs(turned - turned[bot]).max(axis=1)
    return np.maximum(found, found.T)


@dataclass(frozen=True, slots=True, eq=False)
class _Local:
    """The designs of `Deals`, each with only the parameters that it uses.

    D designs with q parameters each, R pairs a deal.
    """

    at: Ints
    """(D, q) indexes of parameters; the number of all parameters means none."""
    x: Floats
    """(D, R, q) the gradient of every pair's difference."""
    entry: Ints
    """(D, R, 4)"""
    used: Floats
    """(D, R)"""
    tie: int
    """The index of the tie parameter among the q."""


def _local(tally: Tally, pairs: Pairs, deals: Deals) -> _Local:
    layout = pairs.layout
    number = len(deals.designs)
    entry = pairs.entry[deals.designs].reshape(number, -1, 4)
    used = pairs.used[deals.designs].reshape(number, -1)
    at_table = tally.seatings[deals.designs].reshape(number, -1)
    present = distinct(at_table, layout.parameters)
    bots = present.shape[1]
    shared = np.arange(layout.tie, layout.parameters)
    at = np.concatenate([present, np.broadcast_to(shared, (number, len(shared)))], axis=1)
    x = np.zeros((number, entry.shape[1], at.shape[1]))
    for sign, column in ((1.0, 0), (-1.0, 1)):
        x[:, :, :bots] += sign * (entry[:, :, column, None] == present[:, None, :])
    for sign, column in ((1.0, 2), (-1.0, 3)):
        x[:, :, bots:] += sign * (entry[:, :, column, None] == at[:, None, bots:])
    return _Local(at, x * used[:, :, None], entry, used, bots)


def _hessians(local: _Local, fit: Fit) -> Floats:
    """(D, q, q) the information in one deal of each design."""
    m = moments(fit.difference(local.entry), fit.theta[fit.layout.tie])
    transposed = np.swapaxes(local.x, 1, 2)
    hessian = transposed @ (local.x * m.var_score[:, :, None])
    cross = (transposed @ m.cov[:, :, None])[:, :, 0]
    hessian[:, local.tie, :] += cross
    hessian[:, :, local.tie] += cross
    hessian[:, local.tie, local.tie] += (m.var_tie * local.used).sum(axis=1)
    return np.asarray(hessian)


def adjustments(hessian: Floats, inverse: Floats) -> Floats:
    """(D, q, q) the factor of each deal's score: (I - H G)^(-1/2)."""
    # Parameters that were not free have no variance. A little is added, so that the
    # matrix has a Cholesky root.
    root = np.linalg.cholesky(inverse + HINT * np.eye(hessian.shape[1]))
    rooted = np.swapaxes(root, 1, 2)
    leverage, axes = np.linalg.eigh(rooted @ hessian @ root)
    leverage = np.clip(leverage, 1e-12, MOST_LEVERAGE)
    grown = ((1 - leverage) ** -0.5 - 1) / leverage
    return np.asarray(
        np.eye(hessian.shape[1]) + hessian @ root @ (axes * grown[:, None, :]) @ np.swapaxes(axes, 1, 2) @ rooted
    )


def clustered(tally: Tally, pairs: Pairs, fit: Fit, combinations: Floats) -> Errors:
    """The errors when every deal is one independent observation.

    `combinations` (m, p) weights the parameters: a row of the identity is a strength or
    a seat, a row of equal weights is a reference.
    """
    parts = []
    for deals in tally.deals:
        local, weight = _local(tally, pairs, deals), tally.weight[deals.designs[:, 0]]
        often = np.bincount(deals.design, deals.count, len(deals.designs))
        scores = _squares(tally, fit, deals, local) * weight[:, None, None] ** 2
        parts.append(Clusters(local.at, _hessians(local, fit), scores, often, weight))
    return sandwich(combinations @ fit.inverse, fit.inverse, parts)


class Clusters(NamedTuple):
    """Deals of D designs, each with q parameters."""

    at: Ints
    """(D, q) indexes of parameters; the number of all parameters means none."""
    information: Floats
    """(D, q, q) the information in one deal of weight 1."""
    squares: Floats
    """(D, q, q) the sum over deals of the outer square of the weighted score."""
    often: Ints | Floats
    """(D,) how many deals each design has."""
    weight: Floats
    """(D,) the weight of each of these deals."""


def sandwich(shift: Floats, inverse: Floats, parts: Iterable[Clusters]) -> Errors:
    """The errors of the differences between combinations, clustered by deal.

    `inverse` (p, p) is the inverse of the total information. `shift` (m, p) is the
    combinations times `inverse`.
    """
    sums, meat = VarianceSums(len(shift)), np.zeros_like(inverse)
    for part in parts:
        weight, inner = part.weight[:, None, None], at_places(inverse, part.at)
        own = part.information * weight
        adjustment = adjustments(own, inner)
        meat += summed_at(adjustment @ part.squares @ np.swapaxes(adjustment, 1, 2), part.at, len(inverse))
        sums.add(shift, part.at, adjustment, weight * (own - own @ inner @ own), part.often)
    return Errors(of_differences(shift @ meat @ shift.T), sums.freedom())


class VarianceSums:
    """The working variances of every difference and their squares, summed over deals.

    In one deal, the variance of the difference of i and j is the squared distance of
    two short vectors. So both sums are products of matrices, and no deal needs (m, m)
    numbers. At large tables the vectors are long, so (m, m) numbers for each deal are
    quicker.
    """

    def __init__(self, combinations: int) -> None:
        self._total, self._squares = np.zeros((2, combinations, combinations))

    def add(self, shift: Floats, at: Ints, adjustment: Floats, working: Floats, often: Floats | Ints) -> None:
        """Add D designs with the parameters `at` (D, q) and `often` (D,) deals each.

        `shift` (m, p) is the combinations times the inverse of the fit; `adjustment`
        and `working` are (D, q, q).
        """
        shift = np.pad(shift, ((0, 0), (0, 1)))
        own, axes = np.linalg.eigh((working + np.swapaxes(working, 1, 2)) / 2)
        some = (own >= ROUNDED * own.max(initial=0.0)).any(axis=0)
        root = axes[:, :, some] * np.sqrt(np.maximum(own[:, None, some], 0.0))
        m, q = len(shift), root.shape[2]
        for chunk in chunks(len(at), max(1, MOST_NUMBERS // (m * q * q))):
            vector = np.swapaxes(shift[:, at[chunk]], 0, 1) @ adjustment[chunk] @ root[chunk]
            vector -= vector.mean(axis=1, keepdims=True)  # differences stay as they are, and are exact
            if q > LONG_VECTOR:
                variance = of_differences(vector @ np.swapaxes(vector, 1, 2))
                self._total += np.einsum("d,dij->ij", often[chunk], variance)
                self._squares += np.einsum("d,dij,dij->ij", often[chunk], variance, variance)
                continue
            square, times = (vector**2).sum(axis=2), often[chunk, None]
            product = _flat(vector * np.sqrt(times)[:, :, None])
            total = (times * square).sum(axis=0)
            self._total += total[:, None] + total[None, :] - 2 * product @ product.T
            fourth = (times * square**2).sum(axis=0)
            mixed = _flat(vector * (times * square)[:, :, None]) @ _flat(vector).T
            outer = _flat((vector[:, :, :, None] * vector[:, :, None, :]).reshape(len(vector), m, q * q))
            crossed = (outer * np.repeat(often[chunk], q * q)) @ outer.T
            self._squares += fourth[:, None] + fourth[None, :] + 2 * (times * square).T @ square
            self._squares += 4 * (crossed - mixed - mixed.T)

    def freedom(self) -> Floats:
        """(m, m) Satterthwaite's degrees of freedom, less one; at least 1."""
        nothing = self._total <= ROUNDED * self._total.max(initial=0.0)
        squares = np.where(nothing | (self._squares <= 0), np.inf, self._squares)
        return np.maximum(self._total**2 / squares - 1, 1.0)


def _flat(vectors: Floats) -> Floats:
    """Reshape (D, m, q) to (m, D q)."""
    return np.swapaxes(vectors, 0, 1).reshape(vectors.shape[1], -1)


def of_differences(covariance: Floats) -> Floats:
    """(..., m, m) the variance of every difference."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.maximum(own[..., :, None] + own[..., None, :] - 2 * covariance, 0.0)


def _squares(tally: Tally, fit: Fit, deals: Deals, local: _Local) -> Floats:
    """(D, q, q) the outer squares of the scores of deals, summed by design."""
    outcome = tally.outcome
    m = moments(fit.difference(local.entry), fit.theta[fit.layout.tie])
    squared = np.zeros((len(deals.designs), *[local.at.shape[1]] * 2))
    order = np.argsort(deals.design, kind="stable")
    for chunk in chunks(len(order)):
        patterns = order[chunk]
        design = deals.design[patterns]
        result = outcome[deals.kinds[patterns]].reshape(len(design), -1)
        residual = ((result + 1) / 2 - m.score[design]) * local.used[design]
        score = np.einsum("drq,dr->dq", local.x[design], residual)
        score[:, local.tie] += (((result == 0) - m.tie[design]) * local.used[design]).sum(axis=1)
        present, first = np.unique(design, return_index=True)
        outer = score[:, :, None] * (score * deals.count[patterns, None])[:, None, :]
        squared[present] += np.add.reduceat(outer, first, axis=0)
    return squared


def distinct(rows: Ints, none: int) -> Ints:
    """(D, q) the distinct numbers of each row, ascending, padded with `none`.

    `none` is larger than all others; q is the most distinct numbers in any row.
    """
    rows = np.sort(rows, axis=1)
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = none
    rows = np.sort(rows, axis=1)
    return rows[:, : int((rows < none).sum(axis=1).max(initial=0))]


def at_places(matrix: Floats, at: Ints) -> Floats:
    """(D, q, q) the parts of a matrix (p, p) at indexes (D, q); index p gives zero."""
    return np.asarray(np.pad(matrix, (0, 1))[at[:, :, None], at[:, None, :]])


def summed_at(parts: Floats, at: Ints, p: int) -> Floats:
    """(p, p) the sum of parts (D, q, q) at their indexes (D, q); index p is dropped."""
    code = at[:, :, None] * (p + 1) + at[:, None, :]
    summed = np.bincount(code.ravel(), parts.ravel(), (p + 1) ** 2)
    return np.asarray(summed.reshape(p + 1, p + 1)[:p, :p], float)


def chunks(length: int, each: int = CHUNK) -> list[slice]:
    """Slices of at most `each` numbers that together cover `length` numbers."""
    return [slice(start, start + each) for start in range(0, length, each)]
