"""How likely it is that one bot is better than another.

The table prints this for neighbours. Its intervals say how far a number may be off, but
not how likely an order is. In a close field, luck has driven apart the bots that look
furthest apart. So strengths are taken as drawn from a field of unknown spread (a
hierarchical, or empirical Bayes, model; Efron & Morris 1975, JASA 70). Each pair may
also differ from what two strengths say:

    result of a pair = strength - strength + the pair's own part + noise

Strengths are normal. The prior of their standard deviation is half-Cauchy with a scale
of 20 Elo (A. Gelman 2006, Bayesian Analysis 1). The pairs' own parts are zero with a
prior chance of 0.9; else they are normal with a standard deviation from 25 to 400 Elo.
Both deviations are summed over a grid by their likelihood. The noise of strengths is
the sandwich of `errors.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from pips_tourney.ratings.meetings import PairResults, inverse_of_contrasts
from pips_tourney.ratings.tally import Floats, Ints

SCALE: Final = 20.0
"""The scale of the half-Cauchy prior of a field's spread, in Elo."""
SPREADS: Final = np.geomspace(2.0, 2000.0, 28)
"""The grid of spreads, in Elo."""
OWN: Final = np.array([0.0, 25.0, 50.0, 100.0, 200.0, 400.0])
"""The grid of the standard deviation of pairs' own parts, in Elo."""
NO_OWN: Final = 0.9
"""The prior chance that there are no own parts."""
MOST_BOTS: Final = 150
"""With more bots, own parts are left out: a pair then has few deals."""
SIGNIFICANT: Final = 0.025
"""The one-sided level at which a pair's own deals speak against an order."""
LOPSIDED: Final = 0.35
"""A pair's own deals are consulted if its score is this far from 1/2."""
VAGUE: Final = 1.0
"""How vague the place of a group with only bounds is.

It is a standard deviation, in natural units.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A connected group of n bots."""

    bots: Ints
    """(n,) their numbers."""
    value: Floats
    """(n,) strengths, in natural units."""
    variance: Floats
    """(n, n) variances of differences of strengths, clustered by deal."""
    freedom: Floats
    """(n, n) degrees of freedom of those."""


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """A group's pairs: P of them, as differences of strengths."""

    first: Ints
    second: Ints
    """(P,) places in the group."""
    apart: Floats
    """(P,) how far apart each pair's own results put it."""
    noise: Floats
    """(P,) the variance of `apart`, besides what bots share."""
    shared: Floats
    """(n, n) the covariance of what bots share."""


def better_by_field(
    fields: list[Field], meetings: PairResults | None, centres: Floats, elo: float, bots: int
) -> tuple[Floats, Floats]:
    """(n, n) the probability that the row's bot is better; the likelihood of spreads.

    Between groups the probability is 1/2. The likelihood is that of each of `SPREADS`.
    `centres` (fields,) gives rough places of several groups, in natural units; `elo` is
    the number of Elo in such a unit. Without `meetings`, or with many bots, pairs have
    no own part.
    """
    own = OWN if meetings is not None and bots <= MOST_BOTS else OWN[:1]
    spread, sd = SPREADS / elo, own / elo
    evidence = _prior(own)
    if len(fields) > 1:
        evidence = evidence + _of_centres(fields, centres, spread)[:, None]
    several = [field for field in fields if len(field.bots) > 1]
    parts = [list(_posterior(field, meetings if len(own) > 1 else None, spread, sd)) for field in several]
    for part in parts:
        evidence = evidence + np.stack([known for known, _ in part], axis=1)
    weight = np.exp(evidence - evidence.max())
    weight /= weight.sum()
    better = np.full((bots, bots), 0.5)
    for field, part in zip(several, parts, strict=True):
        here = np.zeros(field.variance.shape)
        for column, (_, distance) in enumerate(part):
            for at, share in enumerate(weight[:, column]):
                if share > 1e-7:
                    here += share * stdtr(field.freedom, distance[at])
        better[np.ix_(field.bots, field.bots)] = here
    better = (better + 1 - better.T) / 2
    np.fill_diagonal(better, 0.5)
    return better, weight.sum(axis=1)


def _prior(own: Floats) -> Floats:
    """(spreads, own) log weights: half-Cauchy, on a grid that is even in logarithms."""
    spread = np.log(SPREADS) - np.log1p((SPREADS / SCALE) ** 2)
    if len(own) == 1:
        return spread[:, None]
    chances = np.array([NO_OWN, *np.full(len(own) - 1, (1 - NO_OWN) / (len(own) - 1))])
    return np.asarray(spread[:, None] + np.log(chances)[None, :])


def _of_centres(fields: list[Field], centres: Floats, spread: Floats) -> Floats:
    """(spreads,) how likely groups are to be this far apart.

    One of them lost everything to the other, so the field is wide.
    """
    size = np.array([len(field.bots) for field in fields])
    variance = spread[:, None] ** 2 / size + VAGUE**2
    precision = 1 / variance
    mean = (precision * centres).sum(axis=1) / precision.sum(axis=1)
    squares = ((centres[None, :] - mean[:, None]) ** 2 * precision).sum(axis=1)
    return np.asarray(-(np.log(variance).sum(axis=1) + np.log(precision.sum(axis=1)) + squares) / 2)


def _posterior(
    field: Field, meetings: PairResults | None, spread: Floats, own: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """The likelihood and the distances of pairs.

    For each own part there is the log likelihood (spreads,), and the distance of each
    pair from level (spreads, n, n).
    """
    data = _data(field, meetings)
    for sd in own:
        yield _solved(field, data, spread, float(sd))


def _data(field: Field, meetings: PairResults | None) -> _Data:
    n = len(field.bots)
    centred = np.eye(n) - 1 / n
    covariance = -centred @ field.variance @ centred / 2
    axes, vectors = np.linalg.eigh(covariance)
    covariance = vectors @ (np.maximum(axes, 1e-9)[:, None] * vectors.T)
    covariance = centred @ covariance @ centred
    if meetings is None:
        return _tree(field, covariance)
    place = np.full(max(int(field.bots.max()), int(meetings.pair.max(initial=0))) + 1, -1)
    place[field.bots] = np.arange(n)
    first, second = place[meetings.pair].T
    here = (first >= 0) & (second >= 0)
    first, second = first[here], second[here]
    noise = meetings.noise / meetings.weight[here]
    information = _information(n, first, second, noise)
    shared = covariance - inverse_of_contrasts(information, np.zeros(n, np.int64))
    apart = field.value[first] - field.value[second] + meetings.away[here]
    return _Data(first, second, apart, noise, shared)


def _tree(field: Field, covariance: Floats) -> _Data:
    """Pairs that say exactly what the strengths say: each bot beside the first."""
    n = len(field.bots)
    first, second = np.zeros(n - 1, np.int64), np.arange(1, n)
    noise = np.full(n - 1, max(float(np.diag(covariance).mean()), 1e-9))
    information = _information(n, first, second, noise)
    shared = covariance - inverse_of_contrasts(information, np.zeros(n, np.int64))
    return _Data(first, second, field.value[first] - field.value[second], noise, shared)


def _information(n: int, first: Ints, second: Ints, variance: Floats) -> Floats:
    """(n, n) X' D^-1 X of pairs with these variances."""
    code = [first * n + first, second * n + second, first * n + second, second * n + first]
    share = np.concatenate([1 / variance, 1 / variance, -1 / variance, -1 / variance])
    return np.asarray(np.bincount(np.concatenate(code), share, n * n).reshape(n, n))


def _solved(field: Field, data: _Data, spread: Floats, own: float) -> tuple[Floats, Floats]:
    """The normal model at every spread.

    With B = spread^2 + shared and D = own^2 + noise, the results have the covariance M
    = D + X B X'. Woodbury's formula inverts it through n by n matrices.
    """
    n = len(field.bots)
    between, apart = own**2 + data.noise, data.apart
    a = _information(n, data.first, data.second, between)
    pull = np.bincount(data.first, apart / between, n) - np.bincount(data.second, apart / between, n)
    pull = np.asarray(pull, float)
    b = spread[:, None, None] ** 2 * np.eye(n) + data.shared
    grown = np.eye(n) + a @ b
    c = np.swapaxes(np.linalg.solve(np.swapaxes(grown, 1, 2), np.swapaxes(b, 1, 2)), 1, 2)
    c = (c + np.swapaxes(c, 1, 2)) / 2
    _, size = np.linalg.slogdet(grown)
    fit = pull @ c @ pull
    evidence = -(np.log(between).sum() + size + (apart**2 / between).sum() - fit) / 2
    # X'M^-1 y and X'M^-1 X give the strengths; then comes what the pair itself adds.
    drawn = pull - (c @ pull) @ a
    square = spread[:, None, None] ** 2
    known = a - a @ c @ a
    mean = square[:, :, 0] * drawn
    distance = mean[:, :, None] - mean[:, None, :]
    variance = _apart(square * np.eye(n) - square**2 * known)
    if own > 0:
        _add_own(distance, variance, data, (c, a, np.asarray(pull, float)), spread, own)
    with np.errstate(divide="ignore", invalid="ignore"):
        return evidence, np.nan_to_num(distance / np.sqrt(np.maximum(variance, 1e-18)))


def _apart(covariance: Floats) -> Floats:
    """(..., n, n) the variance of each difference."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.asarray(own[..., :, None] + own[..., None, :] - 2 * covariance)


def _add_own(
    distance: Floats,
    variance: Floats,
    data: _Data,
    solved: tuple[Floats, Floats, Floats],
    spread: Floats,
    own: float,
) -> None:
    """Add the pairs' own parts.

    Of a pair that never met, only the usual size of such parts is known.
    """
    (c, a, pull), i, j = solved, data.first, data.second
    between, at = own**2 + data.noise, c @ pull
    drawn = (data.apart - (at[:, i] - at[:, j])) / between
    inverse = 1 / between - _apart(c)[:, i, j] / between**2
    # x'(I - A C) x / D: how much the pair's own result moves its strengths.
    moved = np.eye(len(pull)) - a @ c
    cross = (moved[:, i, i] - moved[:, i, j] - moved[:, j, i] + moved[:, j, j]) / between
    gained = own**4 * inverse + 2 * own**2 * spread[:, None] ** 2 * cross
    variance += own**2
    variance[:, i, j] -= gained
    variance[:, j, i] -= gained
    distance[:, i, j] += own**2 * drawn
    distance[:, j, i] -= own**2 * drawn


def by_own_deals(better: Floats, meetings: PairResults, likely: Floats, elo: float) -> Floats:
    """(n, n) the same probabilities, corrected where a pair's own deals disagree.

    A bot that won nearly everything against another is judged by that too: strengths
    say little of far differences except that they are far. No order is claimed against
    what a pair's own deals say significantly: there the probability is at most 1/2.
    `likely` (spreads,) is the likelihood of each of `SPREADS`.
    """
    better = better.copy()
    ahead = meetings.score > 0.5
    first, second = (np.where(ahead, meetings.pair[:, x], meetings.pair[:, 1 - x]) for x in (0, 1))
    speaks = (meetings.doubt < SIGNIFICANT) & (better[first, second] < 0.5)
    better[first[speaks], second[speaks]] = better[second[speaks], first[speaks]] = 0.5
    lopsided = (np.abs(meetings.score - 0.5) >= LOPSIDED) & ~speaks
    drawn = 2 * (SPREADS / elo) ** 2
    noise = 4 * max(meetings.noise, 1.0) / meetings.matches[lopsided]
    distance = -ndtri(meetings.doubt[lopsided])
    doubt = likely @ ndtr(-distance * np.sqrt(drawn[:, None] / (drawn[:, None] + noise)))
    first, second = first[lopsided], second[lopsided]
    better[first, second] = np.maximum(better[first, second], 1 - doubt)
    better[second, first] = 1 - better[first, second]
    return better
