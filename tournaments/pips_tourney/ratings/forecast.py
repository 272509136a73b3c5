"""Forecasts of a night, by the model that rates it.

Strengths, the pairs' own parts and the spread of the field are sampled from the
posterior (`better.py`). Each sample plays the night: a pair's mean score follows
Davidson's model, with the game's measured luck. Bots without a result are sampled from
the field's prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pips_tourney.ratings.fit.better import Draws
from pips_tourney.ratings.fit.clumps import normal, uniform
from pips_tourney.ratings.fit.davidson import moments
from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import Floats

DRAWS: Final = 2000
MOST: Final = 4_000_000
"""The most numbers sampled for all pairs: with many bots, fewer samples are drawn."""
TOLD: Final = 2.8
"""A gap of this many standard errors is detected at 95 % in four of five nights."""
QUANTILES: Final = (0.05, 0.95)


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """The expected results of n bots at the end of a night."""

    bots: tuple[str, ...]
    score: Floats
    """(n, n) the mean score a match of the row's bot against the column's.

    NaN for two bots that do not meet, here and in the next three fields.
    """
    low: Floats
    """(n, n) the score is between `low` and `high` with 90 % probability."""
    high: Floats
    ahead: Floats
    """(n, n) the probability that the score is above 1/2; exactly 1/2 counts half."""
    places: Floats
    """(n, n) the probability of each place by points, one row for each bot."""


def forecast(sums: Sums, bots: Sequence[str], left: Floats, points: Floats) -> Forecast:
    """The forecast of a night of these bots.

    `left` (n, n) is how many matches each pair still has to play. `points` (n, n) is
    what the row's bot scored against the column's in the matches already played.
    """
    n = len(bots)
    gap = _gaps(sums, bots, min(DRAWS, max(200, MOST // n**2)))
    score, spread = _scores(sums, gap)
    turn = np.triu(_luck(len(gap), n, sums.tally.seats), 1)
    turn -= np.swapaxes(turn, 1, 2)
    matches = points + points.T + left
    met = (matches > 0) & ~np.eye(n, dtype=bool)
    angle = np.arcsin(np.sqrt(score)) + turn * spread / np.sqrt(np.maximum(left, 1))
    steps = np.maximum(left, 1) * (2 if np.isfinite(sums.fit.theta[sums.fit.layout.tie]) else 1)
    drawn = np.round(np.sin(np.clip(angle, 0, np.pi / 2)) ** 2 * steps) / steps
    result, mean = ((points + left * each) / np.maximum(matches, 1) for each in (drawn, score.mean(axis=0)))
    total = (result * matches).sum(axis=2) / np.maximum(matches.sum(axis=1), 1)
    rank = np.argsort(np.argsort(-total - 1e-9 * uniform(*total.shape, seed=71), axis=1), axis=1)
    low, high = np.quantile(result, QUANTILES, axis=0, method="inverted_cdf")
    ahead = (np.sign(result - 0.5) + 1).mean(axis=0) / 2
    mean, low, high, ahead = (np.where(met, each, np.nan) for each in (mean, low, high, ahead))
    return Forecast(tuple(bots), mean, low, high, ahead, (rank[:, :, None] == np.arange(n)).mean(axis=0))


def standard_error(sums: Sums, bots: int, matches: float) -> float:
    """The standard error of two bots' difference, after `matches` of each pair.

    At tables of more than two seats, the pairs of a table share a bot's luck.
    """
    even = moments(np.zeros(1), sums.fit.theta[sums.fit.layout.tie]).var_score[0]
    return float(sums.unit * np.sqrt(sums.meetings.noise * sums.tally.seats / (bots * matches * even)))


def _gaps(sums: Sums, bots: Sequence[str], many: int) -> Floats:
    """(D, n, n) strength of the row's bot less the column's, in natural units."""
    draws: Draws = sums.belief.draws(many)
    number = {name: at for at, name in enumerate(sums.tally.names)}
    known = [at for at, bot in enumerate(bots) if bot in number]
    of, size = [number[bots[at]] for at in known], draws.strength.shape
    luck = normal(size[0], len(bots) + 1, seed=72) * draws.spread[:, None]
    strength = draws.strength.mean(axis=1)[:, None] + luck[:, 1:] + luck[:, :1] / np.sqrt(size[1])
    strength[:, known] = draws.strength[:, of]
    gap = strength[:, :, None] - strength[:, None, :]
    gap[:, np.array(known)[:, None], known] += draws.own[:, np.array(of)[:, None], of]
    return np.asarray(gap / sums.unit)


def _scores(sums: Sums, gap: Floats) -> tuple[Floats, Floats]:
    """(D, n, n) mean scores over all seats, and the luck of one match's angle.

    A score is taken as the square of a sine, so that its luck depends little on the
    score.
    """
    tie, *worth = sums.fit.theta[sums.n :]
    apart = np.sqrt(2 * np.var(worth) * len(worth) / (len(worth) - 1))
    either = [moments(gap + side * apart, tie) for side in (1, -1)]
    score, variance = (either[0].score + either[1].score) / 2, (either[0].var_score + either[1].var_score) / 2
    luck = np.sqrt(sums.meetings.noise * variance / (score * (1 - score))) / 2
    return score, luck


def _luck(draws: int, bots: int, seats: int) -> Floats:
    """(D, n, n) standard normal luck of the pairs above the diagonal.

    Pairs with a bot in common have correlated luck, as far as they share tables.
    """
    own = normal(draws, bots, bots, seed=73)
    if seats == 2:
        return own
    shared = (seats - 2) / max(bots - 2, 1)
    each = normal(draws, bots, seed=74)
    return np.asarray(np.sqrt(1 - shared) * own + np.sqrt(shared / 2) * (each[:, :, None] - each[:, None, :]))
