"""The probability that one bot is better than another, and of each bot's place.

The table prints these for neighbours. An interval shows how far an Elo may be off, not
how likely an order is. In a close field, luck has driven apart the bots that look
furthest apart. So strengths have a prior that learns the shape of the field (`clumps`).
A pair may also do better or worse than its two strengths predict:

    result of a pair = strength - strength + the pair's own part + noise

With a prior chance of 0.9, all own parts are zero. Otherwise they are normal with a
standard deviation from 25 to 400 Elo, averaged over a grid weighted by likelihood. The
noise of strengths is the sandwich covariance of `errors.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from pips_tourney.ratings.fit.clumps import (
    DRAWS,
    MOST_BOTS,
    SPREADS,
    Estimates,
    Posterior,
    evened,
    normal,
    order,
    posterior,
)
from pips_tourney.ratings.fit.meetings import PairResults, inverse_of_contrasts, laplacian
from pips_tourney.ratings.fit.tally import Floats, Ints
from pips_tourney.ratings.result import ALPHA

OWN: Final = np.array([0.0, 25.0, 50.0, 100.0, 200.0, 400.0])
"""The grid of the standard deviation of pairs' own parts, in Elo."""
NO_OWN: Final = 0.9
"""The prior chance that there are no own parts."""
SIGNIFICANT: Final = 0.025
"""The one-sided level at which a pair's own deals overrule an order."""
LOPSIDED: Final = 0.35
"""A pair's own deals are used too if its score is at least this far from 1/2."""
VAGUE: Final = 1.0
"""The standard deviation, in natural units, of the place of a group.

It is used when results only bound the distances between groups.
"""
SURE: Final = 1e-3
"""The least standard deviation of any strength, in Elo."""
PLACINGS: Final = 4096
"""How many samples of the places are drawn."""
QUANTILES: Final = (np.arange(16) + 0.5) / 16
"""Quantiles of the chances between groups, used in turn, one per sample."""
FAR: Final = 7.0
"""A size of own parts is left out if its log likelihood is this far below the best."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A connected group of n bots."""

    bots: Ints
    """(n,) the bots' numbers."""
    value: Floats
    """(n,) strengths, in natural units."""
    variance: Floats
    """(n, n) variances of differences of strengths, clustered by deal."""
    freedom: Floats
    """(n, n) degrees of freedom of these variances."""


@dataclass(frozen=True, slots=True, eq=False)
class _PairModel:
    """The P pairs of a group that met, if own parts have one given size."""

    ends: tuple[Ints, Ints]
    """(P,) and (P,) the indexes of the two bots in the group."""
    apart: Floats
    """(P,) the difference of the two bots by the pair's own results, in Elo."""
    noise: Floats
    """(P,) the variance of `apart`, with own parts, without noise that pairs share."""
    part: Floats
    """(P,) the own parts' share of `noise`."""
    inverse: Floats
    """(n, n) the covariance of strengths by `noise` alone."""
    group: Estimates
    """Strengths fitted to these pairs; the covariance includes what deals share."""
    known: float
    """The log likelihood of the pairs' residuals from the fitted strengths."""


class Draws(NamedTuple):
    """D samples from the posterior of n bots, in Elo."""

    strength: Floats
    """(D, n)"""
    own: Floats
    """(D, n, n) the pairs' own parts."""
    spread: Floats
    """(D,) tau."""


Part = tuple[list[_PairModel], list[Estimates], Posterior, Floats]
"""For one size of own parts: pairs and estimates by group, posterior, log weights."""


def _shares(parts: list[Part]) -> list[Floats]:
    """The posterior probability of each sample, part by part."""
    most = max(float(weight.max()) for *_, weight in parts)
    whole = sum(float(np.exp(weight - most).sum()) for *_, weight in parts)
    return [np.exp(weight - most) / whole for *_, weight in parts]


class Belief:
    """The posterior of the strengths of all bots, in one or more connected groups.

    `centres` (fields,) gives rough places of the groups, in natural units; `elo` is the
    number of Elo in one such unit. Without `meetings`, or with many bots, pairs have no
    own part.
    """

    def __init__(self, fields: list[Field], meetings: PairResults | None, centres: Floats, elo: float) -> None:
        self._fields = sorted((field for field in fields if len(field.bots) > 1), key=_shape)
        self._bots = sum(len(field.bots) for field in fields)
        self._vague = VAGUE * elo if len(fields) > 1 else 0.0
        self._centre = np.zeros(self._bots)
        for field, centre in zip(fields, centres.tolist(), strict=True):
            self._centre[field.bots] = centre * elo
        known = _of_centres(fields, centres, SPREADS / elo) if len(fields) > 1 else np.zeros(len(SPREADS))
        own = OWN if meetings is not None and self._bots <= MOST_BOTS else OWN[:1]
        noisy = [(field, _covariance(field, elo)) for field in self._fields]
        self._parts: list[Part] = []
        most = -np.inf
        for sd in own.tolist():
            pairs = [_pairs(field, noise, meetings, sd, elo) for field, noise in noisy] if meetings is not None else []
            groups = [each.group for each in pairs] or [Estimates(field.value * elo, noise) for field, noise in noisy]
            chance = np.log(NO_OWN if sd == 0 else (1 - NO_OWN) / (len(OWN) - 1)) + sum(each.known for each in pairs)
            if sd > 0 and np.logaddexp.reduce(posterior(groups, known, 0).weight) + chance < most - FAR:
                continue
            drawn = posterior(groups, known, DRAWS if sd == 0 else DRAWS // 2)
            most = max(most, float(np.logaddexp.reduce(drawn.weight) + chance))
            self._parts.append((pairs, groups, drawn, drawn.weight + chance))

    @property
    def spread(self) -> Floats:
        """(spreads,) the likelihood of each of `SPREADS`."""
        parts = zip(self._parts, _shares(self._parts), strict=True)
        return np.asarray(sum(np.bincount(drawn.spread, share, len(SPREADS)) for (*_, drawn, _), share in parts))

    @cached_property
    def better(self) -> Floats:
        """(n, n) the probability that the row's bot is better; 1/2 between groups."""
        shares = np.array([share.sum() for share in _shares(self._parts)])
        return np.tensordot(shares, np.array(self._chances), 1)

    @property
    def stronger(self) -> Floats:
        """(n, n) as `better`, by strengths alone, without the pairs' own parts."""
        return self._chances[0]

    @cached_property
    def _chances(self) -> list[Floats]:
        """For each part, (n, n) the probability that the row's bot is better."""
        return [self._better(part, share) for part in self._parts for share in _shares([part])]

    def _better(self, part: Part, share: Floats) -> Floats:
        better, (pairs, groups, drawn, _) = np.full((self._bots, self._bots), 0.5), part
        for number, field in enumerate(self._fields):
            mean, covariance = drawn.mean[number], drawn.covariance[number]
            chance = np.bincount(drawn.field, share, len(mean))
            i, j = np.triu_indices(len(field.bots), 1)
            apart, variance = mean[:, i] - mean[:, j], _of_pairs(covariance, i, j)
            own = bool(pairs and pairs[number].part.any())
            if own:
                _add_own(apart, variance, pairs[number], mean, covariance)
            here = np.full(field.variance.shape, 0.5)
            here[i, j] = chance @ t_chance(field.freedom[i, j], apart / np.sqrt(np.maximum(variance, SURE**2)))
            here[j, i] = 1 - here[i, j]
            even = np.eye(len(here)) if own else evened(groups[number])
            better[np.ix_(field.bots, field.bots)] = even @ here @ even.T
        return better

    def places(self, rated: Ints, level: Floats) -> Floats:
        """(r, r) the probability of each place among the r rated bots, by strength.

        For bots of different groups, `level` (n, n) is the probability that the row's
        bot is better.
        """
        chances = np.zeros((len(rated), len(rated)))
        (_, groups, *_), (share,) = self._parts[0], _shares(self._parts[:1])
        often = np.diff(np.rint(np.cumsum(share) * PLACINGS / 2).astype(int), prepend=0)
        which = np.repeat(np.arange(len(share)), often)
        turn = np.arange(2 * len(which)) % len(QUANTILES)
        for number, (field, group) in enumerate(zip(self._fields, groups, strict=True)):
            at = order(group)
            here = np.isin(field.bots[at], rated)
            strength = self._strengths(self._parts[0], number, which)[:, at][:, here]
            place = np.empty(strength.shape, np.int64)
            np.put_along_axis(place, np.argsort(-strength, axis=1), np.arange(strength.shape[1])[None], axis=1)
            bots = np.searchsorted(rated, field.bots[at][here])
            others = np.setdiff1d(rated, field.bots)
            above = (level[np.ix_(others, rated[bots])][:, :, None] > QUANTILES).sum(axis=0)
            code = bots * len(rated) + place + above[:, turn].T
            counted = np.bincount(code.ravel(), minlength=len(rated) ** 2).reshape(chances.shape)[bots] / len(code)
            alike = evened(group)[np.ix_(at, at)][np.ix_(here, here)]
            chances[bots] = alike @ counted / alike.sum(axis=1, keepdims=True)
        for bot in set(rated.tolist()) - {bot for field in self._fields for bot in field.bots.tolist()}:
            others = rated[rated != bot]
            above = (level[others, bot][:, None] > QUANTILES).sum(axis=0)
            chances[np.searchsorted(rated, bot)] = np.bincount(above, minlength=len(rated)) / len(QUANTILES)
        return chances

    def _strengths(self, part: Part, number: int, which: Ints) -> Floats:
        """(2 d, n) strengths of a group in d samples: each sample and its mirror image.

        `which` are the numbers of the samples, ascending.
        """
        _, groups, drawn, _ = part
        at, mean = order(groups[number]), drawn.mean[number][drawn.field[which]]
        each, first = np.unique(which, return_index=True)
        covariance = drawn.covariance[number][:, at[:, None], at]
        roots = np.linalg.cholesky(covariance + SURE**2 * np.eye(len(at)))
        moved = normal(len(which), len(at), seed=30 + number)
        for rows, field in zip(np.split(np.arange(len(which)), first)[1:], drawn.field[each].tolist(), strict=True):
            moved[rows] = moved[rows] @ roots[field].T
        moved = moved[:, np.argsort(at)]
        return np.concatenate([mean + moved, mean - moved])

    def draws(self, many: int) -> Draws:
        """About `many` samples from the posterior."""
        shares = _shares(self._parts)
        often = np.diff(np.rint(np.cumsum(np.concatenate(shares)) * many / 2).astype(int), prepend=0)
        each: list[Draws] = []
        for part, times in zip(self._parts, np.split(often, np.cumsum([len(share) for share in shares])), strict=False):
            which = np.repeat(np.arange(len(times)), times)
            place = normal(2 * len(which), self._bots, seed=50 + len(each)) * self._vague + self._centre
            own = np.zeros((2 * len(which), self._bots, self._bots))
            for number, field in enumerate(self._fields):
                strength = self._strengths(part, number, which)
                if part[0] and part[0][number].part.any():
                    own[:, field.bots[:, None], field.bots] = _draw_own(part[0][number], strength, 60 + number)
                place[:, field.bots] = place[:, field.bots[:1]] + strength
            each.append(Draws(place, own, np.tile(SPREADS[part[2].spread[which]], 2)))
        return Draws(*(np.concatenate(parts) for parts in zip(*each, strict=True)))


def intervals(places: Floats) -> Ints:
    """(r, 2) the first and the last place that each bot may truly have, from 1."""
    upto, tail = np.cumsum(places, axis=1), ALPHA / 2
    first, last = (upto <= tail).sum(axis=1) + 1, (upto < 1 - tail - 1e-9).sum(axis=1) + 1
    return np.asarray(np.minimum(np.stack([first, last], axis=1), len(places)))


def firsts(places: Floats, better: Floats) -> Floats:
    """(r,) the probability that each bot is first.

    It never exceeds the probability that the bot is stronger than any single other bot.
    `better` (r, r) is the probability that the row's bot is the stronger one.
    """
    n = len(places)
    most = np.where(np.eye(n, dtype=bool), 1.0, better).min(axis=1)
    found = np.minimum(places[:, 0], most)
    found = found / max(float(found.sum()), 1.0)
    room = most - found
    return np.asarray(found + room * min(1.0, (1 - found.sum()) / max(float(room.sum()), 1e-12)))


def t_chance(freedom: Floats, distance: Floats) -> Floats:
    """Student's distribution function (D. Wallace 1959, Annals of Statistics 30)."""
    normal = np.sqrt(freedom * np.log1p(distance**2 / freedom)) * ((8 * freedom + 1) / (8 * freedom + 3))
    return np.asarray(ndtr(np.copysign(normal, distance)))


def _shape(field: Field) -> tuple[int, list[float], list[float]]:
    """A sort key for groups that does not depend on the bots' names."""
    apart = sorted((field.value - field.value.mean()).round(6).tolist())
    return len(field.bots), apart, sorted(field.variance.round(6).ravel().tolist())


def _of_centres(fields: list[Field], centres: Floats, spread: Floats) -> Floats:
    """(spreads,) the log likelihood of the distances between groups.

    Of two groups, one lost everything to the other, which suggests a wide field.
    """
    size = np.array([len(field.bots) for field in fields])
    variance = spread[:, None] ** 2 / size + VAGUE**2
    precision = 1 / variance
    mean = (precision * centres).sum(axis=1) / precision.sum(axis=1)
    squares = ((centres[None, :] - mean[:, None]) ** 2 * precision).sum(axis=1)
    return np.asarray(-(np.log(variance).sum(axis=1) + np.log(precision.sum(axis=1)) + squares) / 2)


def _covariance(field: Field, elo: float) -> Floats:
    """(n, n) the covariance of strengths less their mean, in Elo."""
    n = len(field.bots)
    centred = np.eye(n) - 1 / n
    axes, vectors = np.linalg.eigh(-centred @ field.variance @ centred * elo**2 / 2)
    return np.asarray(centred @ (vectors @ (np.maximum(axes, SURE**2)[:, None] * vectors.T)) @ centred)


def _pairs(field: Field, covariance: Floats, meetings: PairResults, own: float, elo: float) -> _PairModel:
    """Fit strengths to pairs whose own parts have the standard deviation `own`.

    The fit is by least squares. The covariance adds, to the sandwich covariance, the
    variance that own parts bring.
    """
    n = len(field.bots)
    place = np.full(max(int(field.bots.max()), int(meetings.pair.max(initial=0))) + 1, -1)
    place[field.bots] = np.arange(n)
    pair = place[meetings.pair]
    here = (pair >= 0).all(axis=1)
    pair = pair[here]
    first, second = pair.T
    apart = (field.value[first] - field.value[second] + meetings.away[here]) * elo
    luck = meetings.noise / meetings.weight[here] * elo**2
    noise, everyone = luck + own**2, np.zeros(n, np.int64)
    information = laplacian(n, pair, 1 / noise)
    inverse = inverse_of_contrasts(information, everyone)
    more = inverse - inverse_of_contrasts(laplacian(n, pair, 1 / luck), everyone) if own else 0.0
    value = inverse @ (np.bincount(first, apart / noise, n) - np.bincount(second, apart / noise, n))
    left = apart - value[first] + value[second]
    scale = float(np.trace(information)) / n
    _, size = np.linalg.slogdet(information + scale / n)
    known = -float(np.log(noise).sum() + size - np.log(scale) + (left**2 / noise).sum()) / 2
    group = Estimates(np.asarray(value, float), covariance + more)
    return _PairModel((first, second), apart, noise, own**2 / noise, inverse, group, known)


def _add_own(apart: Floats, variance: Floats, pairs: _PairModel, mean: Floats, covariance: Floats) -> None:
    """Add the pairs' own parts to differences (D, n (n - 1) / 2) and their variances.

    Given the strengths, the own part of a pair has the mean k (r + x' B (estimates -
    strengths)). Here k is the own part's share of the noise, and r the pair's residual
    from the estimates. For a pair that never met, only the usual size of own parts is
    known.
    """
    more, b, less = _own_parts(pairs, mean)
    (i, j), k, n = pairs.ends, pairs.part, mean.shape[1]
    once, at = b @ covariance, i * (2 * n - i - 1) // 2 + j - i - 1
    apart[:, at] += more
    variance += (pairs.noise * k).max(initial=0.0)
    variance[:, at] -= 2 * k * _of_pairs(once, i, j) - k**2 * _of_pairs(once @ b.T, i, j) + less


def _own_parts(pairs: _PairModel, strength: Floats) -> tuple[Floats, Floats, Floats]:
    """Given strengths (D, n), the means (D, P) of own parts, and B.

    The third result (P,) is how much smaller their variances are than for a pair that
    never met.
    """
    (i, j), k, value = pairs.ends, pairs.part, pairs.group.value
    b = pairs.inverse @ inverse_of_contrasts(pairs.group.covariance, np.zeros(len(value), np.int64))
    pulled = (value - strength) @ b.T
    more = k * (pairs.apart - value[i] + value[j] + pulled[:, i] - pulled[:, j])
    return more, b, pairs.noise * k**2 - k**2 * _of_pairs(pairs.inverse - b @ pairs.inverse, i, j)


def _draw_own(pairs: _PairModel, strength: Floats, seed: int) -> Floats:
    """(D, n, n) own parts, given strengths (D, n)."""
    (i, j), n = pairs.ends, strength.shape[1]
    more, _, known = _own_parts(pairs, strength)
    usual = float((pairs.noise * pairs.part).max())
    mean, spread = np.zeros((len(strength), n, n)), np.full((n, n), usual)
    mean[:, i, j] = more
    spread[i, j] = np.maximum(usual - known, 0.0)
    own = np.triu(mean + normal(len(strength), n, n, seed=seed) * np.sqrt(spread), 1)
    return np.asarray(own - np.swapaxes(own, 1, 2))


def _of_pairs(matrix: Floats, i: Ints, j: Ints) -> Floats:
    return np.asarray(matrix[..., i, i] - matrix[..., i, j] - matrix[..., j, i] + matrix[..., j, j])


def by_own_deals(better: Floats, meetings: PairResults, likely: Floats, elo: float) -> Floats:
    """(n, n) the probabilities `better`, corrected by the pairs' own deals.

    Strengths say little about large differences except that they are large. So a pair
    with a lopsided score is judged by its own deals too, but only if strengths give the
    same order: a few deals do not reverse it. If a pair's own deals contradict an order
    significantly, its probability is at most 1/2. `likely` (spreads,) is the likelihood
    of each of `SPREADS`.
    """
    better = better.copy()
    ahead = meetings.score > 0.5
    first, second = (np.where(ahead, meetings.pair[:, x], meetings.pair[:, 1 - x]) for x in (0, 1))
    speaks = (meetings.doubt < SIGNIFICANT) & (better[first, second] < 0.5)
    better[first[speaks], second[speaks]] = better[second[speaks], first[speaks]] = 0.5
    lopsided = (np.abs(meetings.score - 0.5) >= LOPSIDED) & (better[first, second] >= 0.5) & ~speaks
    drawn = 2 * (SPREADS / elo) ** 2
    noise = 4 * max(meetings.noise, 1.0) / meetings.matches[lopsided]
    distance = -ndtri(meetings.doubt[lopsided])
    doubt = likely @ ndtr(-distance * np.sqrt(drawn[:, None] / (drawn[:, None] + noise)))
    first, second = first[lopsided], second[lopsided]
    better[first, second] = np.maximum(better[first, second], 1 - doubt)
    better[second, first] = 1 - better[first, second]
    return better
