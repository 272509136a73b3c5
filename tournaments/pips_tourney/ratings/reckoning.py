"""Forecasts of nights compared with the results, beside simpler ratings.

Every model predicts the mean score of each pair in a night, from the nights before. The
log loss is per match. The ratings of Pips are compared with plain Elo (K = 16) and a
Bradley-Terry fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np

from pips_tourney.ratings.fit.scores import against
from pips_tourney.ratings.fit.sums import ELO, Sums
from pips_tourney.ratings.fit.tally import Floats
from pips_tourney.ratings.forecast import forecast

OURS: Final = "Pips"
Rivals = Mapping[str, Callable[[Sequence[Floats]], Floats]]
"""Other ratings: functions from the points of nights to expected scores."""
BINS: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class NightPoints(NamedTuple):
    """The results of a night."""

    bots: tuple[str, ...]
    points: Floats
    """(n, n) points of the row's bot against the column's; a match is worth 1."""


class PairReckoned(NamedTuple):
    """The forecasts for a pair before a night, and its result."""

    matches: float
    score: float
    """The first bot's mean score a match."""
    said: Mapping[str, float]
    """By model, the predicted mean score."""
    held: bool
    """Whether the score was within the 90 % interval of the forecast."""


class Calibration(NamedTuple):
    """The mean forecast for favourites of pairs, their mean score, and the matches."""

    said: float
    came: float
    matches: int


class Reckoning(NamedTuple):
    """The forecasts of a season, compared with its nights."""

    pairs: tuple[PairReckoned, ...]
    firsts: tuple[tuple[tuple[str, ...], float], ...]
    """By night, the bots that share the first place, and the chance in the forecast."""

    @property
    def loss(self) -> dict[str, float]:
        """By model, the mean log loss of a match."""
        models, whole = self.pairs[0].said, sum(pair.matches for pair in self.pairs)
        rows = [(p.matches / whole, p.score, p.said) for p in self.pairs]
        return {model: sum(share * _loss(said[model], score) for share, score, said in rows) for model in models}

    @property
    def held(self) -> float:
        """The share of pairs with a result within the 90 % interval of the forecast."""
        return sum(pair.held for pair in self.pairs) / len(self.pairs)

    def calibration(self, model: str) -> list[Calibration]:
        """The bins, from equal pairs to one-sided ones."""
        rows = np.array([(p.said[model], p.score, p.matches) for p in self.pairs])
        rows[:, :2] = np.where(rows[:, :1] < 0.5, 1 - rows[:, :2], rows[:, :2])
        which = np.searchsorted(BINS[1:-1], rows[:, 0], side="right")
        bins = [rows[which == at] for at in range(len(BINS) - 1) if (which == at).any()]
        means = [np.average(b[:, :2], axis=0, weights=b[:, 2]) for b in bins]
        return [Calibration(float(m[0]), float(m[1]), int(b[:, 2].sum())) for m, b in zip(means, bins, strict=True)]


def night_of(sums: Sums) -> NightPoints:
    """The results of a night that was rated."""
    return NightPoints(sums.tally.names, against(sums.tally) * (sums.tally.seats - 1))


def reckoned(
    before: Sums, earlier: Sequence[NightPoints], night: NightPoints, rivals: Rivals | None = None
) -> Reckoning:
    """Compare a night with its forecast. `before` rates the earlier nights."""
    matches = night.points + night.points.T
    said = forecast(before, night.bots, matches, np.zeros_like(matches))
    names = tuple(sorted({bot for each in (*earlier, night) for bot in each.bots}))
    place = np.array([names.index(bot) for bot in night.bots])
    played = [among(names, each) for each in earlier]
    expected = {OURS: said.score} | {
        name: rival(played)[np.ix_(place, place)] for name, rival in (rivals or RIVALS).items()
    }
    pairs = []
    for a, b in np.argwhere(np.triu(matches, 1) > 0).tolist():
        score = float(night.points[a, b] / matches[a, b])
        held = bool(said.low[a, b] - 1e-9 <= score <= said.high[a, b] + 1e-9)
        models = {name: float(chance[a, b]) for name, chance in expected.items()}
        pairs.append(PairReckoned(float(matches[a, b]), score, models, held))
    scores = night.points.sum(axis=1) / matches.sum(axis=1)
    first = np.flatnonzero(scores > scores.max() - 1e-9)
    bots = tuple(night.bots[at] for at in first)
    return Reckoning(tuple(pairs), ((bots, float(said.places[first, 0].sum())),))


def joined(parts: Sequence[Reckoning]) -> Reckoning:
    """Join the comparisons of several nights."""
    return Reckoning(tuple(p for part in parts for p in part.pairs), tuple(f for part in parts for f in part.firsts))


def _loss(said: float, score: float) -> float:
    said = min(max(said, 1e-4), 1 - 1e-4)
    return -score * log(said) - (1 - score) * log(1 - said)


def among(names: Sequence[str], night: NightPoints) -> Floats:
    """(n, n) the points of a night between these bots only."""
    points, here = np.zeros((len(names),) * 2), [at for at, bot in enumerate(night.bots) if bot in names]
    place = [names.index(night.bots[at]) for at in here]
    points[np.ix_(place, place)] = night.points[np.ix_(here, here)]
    return points


def elo(nights: Sequence[Floats]) -> Floats:
    """Scores expected by plain Elo, updated match after match, all pairs at once."""
    rating = np.zeros(len(nights[0]))
    for points in nights:
        matches = points + points.T
        score = points / np.maximum(matches, 1)
        for step in range(int(matches.max())):
            surprise = np.where(matches > step, score - _logistic(rating), 0.0)
            rating += min(16.0, 480 / len(rating)) * surprise.sum(axis=1)
    return _logistic(rating)


def bradley_terry(nights: Sequence[Floats]) -> Floats:
    """Scores expected by one fit to all nights.

    A drawn match against an average bot keeps every strength finite.
    """
    points = np.sum(nights, axis=0)
    matches, strength = points + points.T, np.ones(len(points))
    for _ in range(300):
        met = (matches / (strength[:, None] + strength)).sum(axis=1) + 1 / (strength + 1)
        strength = (points.sum(axis=1) + 0.5) / met
    return np.asarray(strength[:, None] / (strength[:, None] + strength))


def _logistic(rating: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp((rating - rating[:, None]) / ELO)))


RIVALS: Final[dict[str, Callable[[Sequence[Floats]], Floats]]] = {"Elo": elo, "Bradley-Terry": bradley_terry}
"""The models that are compared with the ratings of Pips."""
