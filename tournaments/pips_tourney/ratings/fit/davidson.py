"""Davidson's model of wins, ties and losses, fitted by penalised maximum likelihood.

With d = (strength of i) - (strength of j) + (seat of i) - (seat of j) and t = log of
half-tie weight,

    P(i above j) : P(tie) : P(j above i)  =  exp(d/2) : exp(t) : exp(-d/2)

(R. R. Davidson 1970, JASA 65; the order effect as in Davidson & Beaver 1977, Biometrics
33). A table of more than two seats counts as all its pairs. That makes the likelihood a
composite one, so `errors.py` takes its errors from the deals. The sufficient statistics
are the score of a pair (1, 1/2, 0) and the tie. So the information does not depend on
outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pips_tourney.ratings.fit.tally import Floats, Ints, Tally

SEAT_PRIOR: Final = 1.0
"""How many imagined drawn matches every seat has.

They keep the fit finite if a seat always wins. Only a bound is reported then.
"""
NO_TIES: Final = -np.inf
STEPS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class ParameterLayout:
    """Parameters: n strengths, the tie parameter, the worth of each seat."""

    bots: int
    seats: int

    @property
    def tie(self) -> int:
        return self.bots

    @property
    def parameters(self) -> int:
        return self.bots + 1 + self.seats


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every pair of seats at every seating.

    U seatings, R pairs of seats, C different cells.
    """

    layout: ParameterLayout
    entry: Ints
    """(U, R, 4) indexes of parameters: first bot, second bot, first seat, second seat.

    The first bot and seat count +1, the second -1.
    """
    used: Floats
    """(U, R) 1 if the bots belong to one connected group."""
    cells: Ints
    """(C, 4) the distinct entries in use."""
    wins: Floats
    """(C,) weighted matches in which the first bot was above the second.

    `ties` and `losses` count those in which it was level with or below the second.
    """
    ties: Floats
    losses: Floats
    weight: Floats
    """(C,) the mean weight of these matches; 1 unless combinations are evened."""

    @cached_property
    def differences(self) -> Floats:
        """(C, p) the coefficient of each parameter in the difference of a cell."""
        sums = np.zeros((len(self.cells), self.layout.parameters))
        for column, sign in enumerate((1.0, -1.0, 1.0, -1.0)):
            np.add.at(sums, (np.arange(len(sums)), self.cells[:, column]), sign)
        return sums


def pairs(tally: Tally, group: Ints, weight: Floats | None = None) -> Pairs:
    """The pairs of the tally whose bots share a group.

    `group` has a number for every bot. `weight` is the total weight of all matches of
    each kind.
    """
    layout = ParameterLayout(len(tally.names), tally.seats)
    a, b = np.array(tally.pairs, np.int64).T
    i, j = tally.seatings[:, a], tally.seatings[:, b]
    entry = np.stack([i, j, *(np.broadcast_to(layout.tie + 1 + seat, i.shape) for seat in (a, b))], axis=2)
    used = group[i] == group[j]
    code = np.ravel_multi_index(tuple(np.moveaxis(entry, 2, 0)), (layout.parameters,) * 4)
    _, first, cell = np.unique(np.where(used, code, -1), return_index=True, return_inverse=True)
    cell = cell.reshape(used.shape)
    outcome = tally.outcome
    table = cell[tally.kind_seating]
    matches = tally.kind_count[:, None] * used[tally.kind_seating]
    if weight is None:
        weight = tally.kind_count * tally.weight[tally.kind_seating]
    weight = weight[:, None] * used[tally.kind_seating]
    counted = [np.bincount(table[outcome == o], weight[outcome == o], len(first)) for o in (1, 0, -1)]
    kept = used.reshape(-1)[first]
    wins, ties, losses = (count[kept] for count in counted)
    mean = (counted[0] + counted[1] + counted[2])[kept] / np.bincount(table.ravel(), matches.ravel(), len(first))[kept]
    return Pairs(layout, entry, used.astype(float), entry.reshape(-1, 4)[first[kept]], wins, ties, losses, mean)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Moments of the score (1, 1/2, 0) and the tie (1, 0) at given differences."""

    score: Floats
    tie: Floats
    var_score: Floats
    cov: Floats
    var_tie: Floats


def moments(difference: Floats, tie: float) -> Moments:
    top = np.maximum(np.abs(difference) / 2, tie)
    win, level, loss = np.exp(difference / 2 - top), np.exp(tie - top), np.exp(-difference / 2 - top)
    total = win + level + loss
    p_win, p_tie = win / total, level / total
    score = p_win + p_tie / 2
    return Moments(score, p_tie, p_win + p_tie / 4 - score**2, p_tie * (0.5 - score), p_tie * (1 - p_tie))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The maximum of the penalised likelihood, for p parameters."""

    layout: ParameterLayout
    theta: Floats
    """(p,)"""
    inverse: Floats
    """(p, p) the inverse information; zero for parameters that were not free.

    It is valid for contrasts of strengths within a group.
    """
    seats_estimated: bool

    def difference(self, entry: Ints) -> Floats:
        """The differences of the entries (..., 4)."""
        theta = self.theta[entry]
        return np.asarray(theta[..., 0] - theta[..., 1] + theta[..., 2] - theta[..., 3])


def fit(pairs: Pairs, group: Ints, prior: float) -> Fit:
    """Fit by Newton's method.

    `prior` is the number of imagined drawn matches of every bot against its group's
    mean.
    """
    layout = pairs.layout
    n, p = layout.bots, layout.parameters
    seats = _seats_estimable(pairs, group)
    weight = np.full(p, prior)
    weight[n + 1 :] = SEAT_PRIOR
    weight[n] = 0.0
    free = np.full(p, True)
    free[n + 1 :] = seats
    theta = np.zeros(p)
    ties, all_pairs = pairs.ties.sum(), (pairs.wins + pairs.ties + pairs.losses).sum()
    free[n] = 0 < ties < all_pairs
    theta[n] = NO_TIES if ties == 0 else np.log(ties / (all_pairs - ties + (ties == all_pairs)) * 2)

    def slopes(at: Floats) -> tuple[Floats, Floats]:
        gradient, information = derivatives(pairs, at, weight)
        return np.where(free, gradient, 0.0), _restricted(information, free)

    theta, _, information = climbed(lambda at: likelihood(pairs, at, weight), slopes, theta)
    inverse = np.linalg.inv(information)
    inverse[~free, :] = inverse[:, ~free] = 0.0
    return Fit(layout, theta, np.asarray(inverse, float), seats)


def climbed(
    value: Callable[[Floats], float],
    slopes: Callable[[Floats], tuple[Floats, Floats]],
    at: Floats,
    contrast: Floats | None = None,
) -> tuple[Floats, float, Floats]:
    """Newton's method: the point of the maximum, and value and information at it.

    `slopes` gives gradient and information. A `contrast` is a combination of parameters
    whose value stays fixed.
    """
    n, highest, information = len(at), value(at), np.eye(len(at))
    for _ in range(STEPS):
        gradient, information = slopes(at)
        if contrast is None:
            step = np.linalg.solve(information, gradient)
        else:
            border = np.block([[information, contrast[:, None]], [contrast[None, :], np.zeros((1, 1))]])
            step = np.linalg.solve(border, np.append(gradient, 0.0))[:n]
        step *= min(1.0, 4.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        while (new := value(at + step)) < highest - 1e-12 and np.abs(step).max() > 1e-10:
            step /= 2
        at, highest = at + step, new
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return at, highest, information


def likelihood(pairs: Pairs, theta: Floats, weight: Floats) -> float:
    """The log likelihood, with `weight` (p,) imagined drawn matches a parameter."""
    d, tie = _apart(pairs, theta), theta[pairs.layout.tie]
    log_total = np.logaddexp(np.logaddexp(d / 2, -d / 2), tie)
    value = (pairs.wins - pairs.losses) * d / 2 - (pairs.wins + pairs.ties + pairs.losses) * log_total
    half = np.where(weight > 0, theta, 0.0) / 2
    prior = -weight * np.logaddexp(half, -half)
    return float(value.sum() + (0.0 if tie == NO_TIES else pairs.ties.sum() * tie) + prior.sum())


def derivatives(pairs: Pairs, theta: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Gradient and information of the penalised likelihood."""
    tie, x = pairs.layout.tie, pairs.differences
    m = moments(_apart(pairs, theta), theta[tie])
    matches = pairs.wins + pairs.ties + pairs.losses
    gradient = x.T @ (pairs.wins + pairs.ties / 2 - matches * m.score)
    information, cross = x.T @ (x * (matches * m.var_score)[:, None]), x.T @ (matches * m.cov)
    gradient[tie] += (pairs.ties - matches * m.tie).sum()
    information[tie] += cross
    information[:, tie] += cross
    information[tie, tie] += (matches * m.var_tie).sum()
    half = np.tanh(np.where(weight > 0, theta, 0.0) / 2) / 2
    gradient -= weight * half
    information[np.diag_indices(len(theta))] += weight * (0.25 - half**2)
    return gradient, information


def _apart(pairs: Pairs, theta: Floats) -> Floats:
    """(C,) the difference of each cell, with 0 for an infinite tie parameter."""
    return pairs.differences @ np.where(np.isfinite(theta), theta, 0.0)


def _restricted(information: Floats, free: NDArray[np.bool_]) -> Floats:
    """The information, with the identity's rows and columns for parameters not free."""
    information[~free, :] = information[:, ~free] = 0.0
    information[~free, ~free] = 1.0
    return information


def _seats_estimable(pairs: Pairs, group: Ints) -> bool:
    """Whether strengths and seats can be told apart.

    They cannot if every bot always sat in the same seat.
    """
    layout, p = pairs.layout, pairs.layout.parameters
    matches = pairs.wins + pairs.ties + pairs.losses
    gram = pairs.differences.T @ (pairs.differences * (matches / max(matches.sum(), 1.0))[:, None])
    gram[: layout.bots, : layout.bots] += group[:, None] == group[None, :]
    gram[layout.bots + 1 :, layout.bots + 1 :] += 1.0
    gram[layout.tie, layout.tie] = 1.0
    return bool(np.linalg.matrix_rank(gram, tol=1e-9, hermitian=True) == p)
