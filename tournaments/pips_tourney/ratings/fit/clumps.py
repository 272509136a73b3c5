"""A prior that learns the shape of a field: clumps of unknown number and size.

In a class many bots are nearly the same, or one author enters five versions. A single
normal distribution learns its spread from the bots that are far apart, and then takes
luck between near copies for strength. So bots may stand in clumps:

    strength of a bot ~ N(middle of its clump, s^2)        middles ~ N(mean, tau^2)

The mean is free; tau is half-Cauchy with a scale of 20 Elo (A. Gelman 2006, Bayesian
Analysis 1). With a prior chance of 1/2 every bot is alone. Otherwise the numbers of
clumps of size k are Poisson with means in proportion to p_1 = 1 - c, p_k = c (1 - g)
g^(k - 2), given the number of bots (B. Betancourt, G. Zanella & R. Steorts 2022, JASA
117). Clumps are runs in the order of the estimates (D. Barry & J. Hartigan 1992, Annals
of Statistics 20). They are sampled by a recursion over runs, as if errors were
independent, and then weighted by the likelihood with all covariances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import lgamma, log, pi
from typing import Final

import numpy as np
from scipy.special import ndtri

from pips_tourney.ratings.fit.tally import Floats, Ints

SCALE: Final = 20.0
"""The scale of the half-Cauchy prior of tau, in Elo."""
SPREADS: Final = np.geomspace(4.0, 1000.0, 14)
"""The grid of tau, in Elo."""
WITHIN: Final = np.array([3.0, 10.0])
"""The grid of s, in Elo, each equally likely."""
SHAPES: Final = tuple((c, g) for c in (0.3, 0.95) for g in (0.05, 0.5, 0.9))
"""The grid of c and g, each equally likely."""
ALONE: Final = 0.5
"""The prior chance that every bot is alone."""
DRAWS: Final = 200
FAR: Final = 12.0
"""A sample is left out if its log weight is this far below the highest."""
MOST_BOTS: Final = 150
"""With more bots, no clumps are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Estimated strengths of a connected group of n bots, in Elo."""

    value: Floats
    """(n,)"""
    covariance: Floats
    """(n, n) of the estimates less their mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The posterior: I weighted samples of F fields, each a normal model."""

    weight: Floats
    """(I,) log posterior weights, up to a constant."""
    spread: Ints
    """(I,) the index of each sample's tau in `SPREADS`."""
    field: Ints
    """(I,) the number of each sample's field."""
    mean: list[Floats]
    """For each group, (F, n) the strengths less their mean."""
    covariance: list[Floats]
    """For each group, (F, n, n) the covariance of `mean`."""


def uniform(*shape: int, seed: int) -> Floats:
    """Numbers between 0 and 1, the same on every machine and with every library."""
    bits = np.random.PCG64(seed).random_raw(int(np.prod(shape)))  # raw streams never change
    return ((np.asarray(bits >> np.uint64(11), float) + 0.5) / 2.0**53).reshape(shape)


def normal(*shape: int, seed: int) -> Floats:
    """Standard normal numbers, made from `uniform`."""
    return np.asarray(ndtri(uniform(*shape, seed=seed)))


def posterior(groups: list[Estimates], known: Floats, draws: int = DRAWS) -> Posterior:
    """Sample fields, given the estimates of one or more groups.

    All groups have one tau, s, c and g. `known` (spreads,) is the log likelihood of
    each of `SPREADS` by other evidence. If `draws` is 0 there are no clumps.
    """
    prior = np.log(SPREADS) - np.log1p((SPREADS / SCALE) ** 2) + known
    tau = np.arange(len(SPREADS))
    alone = [_alone(group) for group in groups]
    weight = prior + sum(known for known, _, _ in alone)
    sizes = [len(group.value) for group in groups]
    if not draws or not 2 < max(sizes, default=0) <= MOST_BOTS:
        return Posterior(weight, tau, tau, [mean for _, mean, _ in alone], [covariance for *_, covariance in alone])
    runs = [_Runs(group) for group in groups]
    each = prior[:, None, None] + sum(run.known for run in runs) - log(len(WITHIN) * len(SHAPES))
    draws = draws * 60 // max(60, *sizes)
    share = np.exp(each - each.max()).ravel()
    where = (np.arange(draws) + 0.5) / draws * share.sum()
    at = np.unravel_index(np.searchsorted(np.cumsum(share), where), each.shape)
    drawn = np.full(draws, each.max() + log(share.sum() / draws) + log((1 - ALONE) / ALONE))
    clumps = []
    for number, run in enumerate(runs):
        clump, proposed = run.draw(at, uniform(draws, len(run.order), seed=20 + number))
        clumps.append(clump)
        drawn = drawn - proposed
    fields, which = np.unique(np.column_stack([*at[:2], *clumps]), axis=0, return_inverse=True)
    which, ends = which.reshape(-1), np.cumsum([2, *sizes])
    clumped = [_solved(group, _prior(fields[:, :2], fields[:, start:end]))
               for group, (start, end) in zip(groups, pairwise(ends), strict=True)]  # fmt: skip
    weight = np.append(weight, drawn + sum(known[which] for known, _, _ in clumped))
    likely = weight > weight.max() - FAR
    return Posterior(
        weight[likely],
        np.append(tau, at[0])[likely],
        np.append(tau, len(tau) + which)[likely],
        [np.concatenate([a, b]) for (_, a, _), (_, b, _) in zip(alone, clumped, strict=True)],
        [np.concatenate([a, b]) for (*_, a), (*_, b) in zip(alone, clumped, strict=True)],
    )


def _prior(grid: Ints, clump: Ints) -> Floats:
    """(F, n, n) the prior covariance of each `clump`, with tau and s from the grid."""
    spread, within = SPREADS[grid[:, 0], None, None], WITHIN[grid[:, 1], None, None]
    together = clump[:, :, None] == clump[:, None, :]
    return np.asarray(together * spread**2 + np.eye(clump.shape[1]) * within**2)


def _alone(group: Estimates) -> tuple[Floats, Floats, Floats]:
    """The results of `_solved` for each of `SPREADS` if every bot is alone."""
    n, value = len(group.value), group.value - group.value.mean()
    scale = n * np.trace(group.covariance) + 1.0  # the mean gets the largest eigenvalue, and is left out
    axes, vectors = np.linalg.eigh(group.covariance + scale / n)
    axes, vectors = np.maximum(axes[:-1], 0.0), vectors[:, :-1]
    whole, along = axes + SPREADS[:, None] ** 2, value @ vectors
    known = -((n - 1) * log(2 * pi) + np.log(whole).sum(axis=1) + log(n) + (along**2 / whole).sum(axis=1)) / 2
    kept = SPREADS[:, None] ** 2 / whole
    return known, (kept * along) @ vectors.T, (vectors * (kept * axes)[:, None, :]) @ vectors.T


def _solved(group: Estimates, prior: Floats) -> tuple[Floats, Floats, Floats]:
    """For prior covariances (I, n, n): log likelihood, mean and covariance.

    The mean of all strengths is free. Everything is computed from Cholesky roots,
    because a batch of small inverses takes three times as long.
    """
    n, value, noise = len(group.value), group.value, group.covariance
    root = np.linalg.cholesky(noise + prior)
    sides = np.column_stack([noise, np.ones(n), value])
    solved = np.empty((len(root), *sides.shape))
    for row in range(n):
        solved[:, row] = (sides[row] - (root[:, None, row, :row] @ solved[:, :row])[:, 0]) / root[:, row, row, None]
    shift, one, own = solved[..., :n], solved[..., n, None], solved[..., n + 1, None]
    total = (one * one).sum(axis=1)
    left = own - one * ((one * own).sum(axis=1) / total)[:, None]
    turned = np.swapaxes(shift, 1, 2)
    along = turned @ one
    size = 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1) + np.log(total[:, 0])
    known = -((n - 1) * log(2 * pi) + size + (left * own).sum(axis=(1, 2))) / 2
    covariance = along * (np.swapaxes(along, 1, 2) / total[:, None])
    covariance -= turned @ shift
    covariance += noise
    return known, value - value.mean() - (turned @ left)[..., 0], covariance


class _Runs:
    """All runs of a group's bots in the order of their estimates, and their weights."""

    def __init__(self, group: Estimates) -> None:
        n = len(group.value)
        self.order = order(group)
        value, noise = group.value[self.order], quasi_variances(group.covariance)[self.order]
        self._run = _run_likelihood(value, noise)
        self._size, whole = _sizes(n)
        # A run from i to j does not include j; its likelihood is at [i, j - 1].
        self._sums = np.zeros((n + 1, len(SPREADS), len(WITHIN), len(SHAPES)))
        for end in range(1, n + 1):
            self._sums[end] = _log_sum(self._sums[:end] + self._parts(end)[:end])
        self.known = self._sums[n] - whole

    def _parts(self, end: int) -> Floats:
        """(n, spreads, within, shapes) log weights of runs up to `end`, by start."""
        return np.asarray(
            self._run[:, end - 1, :, :, None] + self._size[end - np.arange(len(self._run))][:, None, None]
        )

    def draw(self, at: tuple[Ints, ...], luck: Floats) -> tuple[Ints, Floats]:
        """(D, n) the clump of each bot, and the log likelihood of these runs.

        `at` gives the grid point of each draw; `luck` (D, n) has numbers between 0 and
        1.
        """
        draws, n = luck.shape
        end, label, known = np.full(draws, n), np.zeros((draws, n), np.int64), np.zeros(draws)
        start, rows = np.arange(n), np.arange(draws)
        sums = self._sums[:, at[0], at[1], at[2]].T
        for step in range(n):
            size = np.maximum(end[:, None] - start, 0)
            run = self._run[:, np.maximum(end - 1, 0), at[0], at[1]].T
            chance = sums[:, :n] + run + self._size[size, at[2][:, None]] - sums[rows, end][:, None]
            below = np.cumsum(np.where(size > 0, np.exp(np.minimum(chance, 1.0)), 0.0), axis=1)
            first = np.minimum((below < luck[:, step, None] * below[:, -1:]).sum(axis=1), np.maximum(end - 1, 0))
            known += np.where(end > 0, run[rows, first], 0.0)
            label[(start >= first[:, None]) & (start < end[:, None])] = step
            end = np.where(end > 0, first, 0)
            if not end.any():
                break
        of = np.empty_like(label)
        of[:, self.order] = label
        return of, known


def _marks(group: Estimates) -> Floats:
    """(4, n) figures that tell bots apart, whatever their names are."""
    noise = group.covariance
    marks = np.stack([group.value, np.diag(noise), noise @ group.value, (noise**2).sum(axis=1)])
    return np.asarray((marks / np.maximum(np.abs(marks).max(axis=1, keepdims=True), 1e-9)).round(6))


def order(group: Estimates) -> Ints:
    """(n,) the bots in an order that does not depend on their names."""
    return np.lexsort(_marks(group)[::-1])


def evened(group: Estimates) -> Floats:
    """(n, n) a matrix that averages over bots with identical figures."""
    _, which = np.unique(_marks(group), axis=1, return_inverse=True)
    alike = which.reshape(-1)[:, None] == which.reshape(-1)
    return np.asarray(alike / alike.sum(axis=1, keepdims=True))


def quasi_variances(covariance: Floats) -> Floats:
    """(n,) variances whose sums are nearest to the variances of differences.

    Source: D. Firth & R. de Menezes 2004, Biometrika 91.
    """
    n, own = len(covariance), np.diag(covariance)
    rows = n * own + own.sum() - 2 * covariance.sum(axis=1)
    mean = rows.sum() / (2 * (n - 1))
    found = (rows - mean) / (n - 2) if n > 2 else np.full(n, mean / 2)
    return np.asarray(np.maximum(found, 0.05 * mean / n))


def _run_likelihood(value: Floats, noise: Floats) -> Floats:
    """(n, n, spreads, within) the log likelihood of each run, by its two ends."""
    spread, within = SPREADS[:, None] ** 2, WITHIN**2
    weight = 1 / (noise[:, None, None] + within + spread)
    mean = (weight * value[:, None, None]).sum(axis=0) / weight.sum(axis=0)
    apart = value[:, None, None] - mean
    own = np.broadcast_to((1 / (noise[:, None] + within))[:, None, :], apart.shape)

    def runs(each: Floats) -> Floats:
        ends = np.cumsum(np.concatenate([np.zeros_like(each[:1]), each]), axis=0)
        return np.asarray(ends[None, 1:] - ends[:-1, None])

    weights, first, second, size = (runs(each) for each in (own, own * apart, own * apart**2, np.log(own)))
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = second - first**2 * spread / (1 + spread * weights)
        return np.asarray((size - np.log1p(spread * weights) - squares) / 2)


@lru_cache
def _sizes(n: int) -> tuple[Floats, Floats]:
    """(n + 1, shapes) log prior weights of clumps by size; (shapes,) the total."""
    size = np.arange(1, n + 1)
    logs, whole = [], []
    for c, g in SHAPES:
        share = np.where(size == 1, 1 - c, c * (1 - g) * g ** np.maximum(size - 2.0, 0))
        mean = n * share / (size * share).sum()
        sums = np.ones(n + 1)
        for number in range(1, n + 1):
            sums[number] = (size[:number] * mean[:number] * sums[number - 1 :: -1][:number]).sum() / number
        logs.append([-np.inf, *(np.log(mean) + [lgamma(k + 1) for k in size])])
        whole.append(lgamma(n + 1) + log(sums[n]))
    return np.array(logs).T, np.array(whole)


def _log_sum(values: Floats) -> Floats:
    """The logarithm of the sum over the first axis."""
    top = values.max(axis=0)
    return np.asarray(top + np.log(np.exp(values - top).sum(axis=0)))
