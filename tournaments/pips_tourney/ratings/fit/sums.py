"""The parts of ratings: the fit, its errors, and how sure an order is.

Each part is computed once.
"""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property
from math import log
from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from pips_tourney.ratings.fit import scores
from pips_tourney.ratings.fit.better import LOPSIDED, Belief, Field, by_own_deals
from pips_tourney.ratings.fit.davidson import Fit, Pairs, fit, pairs
from pips_tourney.ratings.fit.errors import Errors, clustered, moved
from pips_tourney.ratings.fit.meetings import DealScores, PairResults, deal_scores, meetings
from pips_tourney.ratings.fit.separation import DealLikelihood, Groups, groups
from pips_tourney.ratings.fit.tally import Floats, Ints, Tally, evened
from pips_tourney.ratings.result import ALPHA, FEWEST_DEALS, LEAST

ELO: Final = 400 / log(10)
MEAN: Final = 1500.0
TINY: Final = 1e-12


PRIOR: Final = 0.5
"""How many imagined drawn matches each bot has against the mean of all."""


class Sums:
    """The sums of one call of `rate`.

    Entities are the bots, the reference, the mean seat and the seats.
    """

    def __init__(
        self,
        counted: Tally,
        anchor: tuple[str, float] | None = None,
        unrated: Container[str] = (),
        *,
        weigh_alike: bool = False,
    ) -> None:
        self.tally, self.n = evened(counted) if weigh_alike else counted, len(counted.names)
        self.anchor = None if anchor is None else counted.names.index(anchor[0])
        self.mean = MEAN if anchor is None else anchor[1]
        rated = np.array([name not in unrated for name in counted.names])
        self.rated: Ints = np.flatnonzero(rated if rated.any() else ~rated)
        self.groups: Groups = groups(counted)
        self.pairs: Pairs = pairs(self.tally, self.groups.of)
        self._alike = Sums(counted, anchor, unrated) if weigh_alike else None
        self.fit: Fit = fit(self.pairs, self.groups.of, PRIOR)
        self.unit = ELO * level_slope(self.fit)
        self.reference = self._reference()
        self.entities = self._entities()
        self.value = self.entities @ np.where(np.isfinite(self.fit.theta), self.fit.theta, 0.0)
        self.same = self.groups.of[:, None] == self.groups.of[None, :]

    @cached_property
    def elo(self) -> Floats:
        """(n,) the Elo; NaN for bots that are not connected with the reference."""
        connected = np.array([(self.groups.of[self.reference] == group).all() for group in self.groups.of])
        return np.where(connected, (self.value[: self.n] - self.value[self.n]) * self.unit + self.mean, np.nan)

    @cached_property
    def errors(self) -> Errors:
        return self.clustered.at_least(self.least)

    @cached_property
    def least(self) -> Floats:
        """The least standard errors, which allow for unseen luck."""
        cells, worth = self.pairs.cells[:, :2], np.zeros((self.n, self.n))
        for first, second in (cells.T, cells.T[::-1]):
            np.maximum.at(worth, (first, second), self.pairs.weight)
        return LEAST * moved(self.entities @ self.fit.inverse, worth)

    @cached_property
    def clustered(self) -> Errors:
        return clustered(self.tally, self.pairs, self.fit, self.entities)

    @cached_property
    def deals(self) -> Ints:
        return scores.deals(self.tally)

    @cached_property
    def likelihood(self) -> DealLikelihood:
        """Needed only if a bot has won or lost everything."""
        return DealLikelihood(self.tally, self.groups, self.fit)

    @cached_property
    def by_seat(self) -> tuple[Floats, Ints]:
        return scores.by_seat(self.tally)

    def _reference(self) -> Ints:
        """The bots whose mean is the reference.

        That is the anchor, the largest connected group, or the bots in the middle.
        """
        if self.anchor is not None:
            return np.array([self.anchor])
        group, n = self.groups.of[self.rated], len(self.rated)
        size = np.bincount(group, minlength=self.n)
        if size.max() > 1 or n == 1:
            matches = np.bincount(group, self.by_seat[1].sum(axis=1)[self.rated], self.n)
            return np.asarray(self.rated[group == max(range(self.n), key=lambda g: (size[g], matches[g], -g))])
        order = np.argsort(self.likelihood.strengths[self.rated].round(6), kind="stable")
        return np.sort(self.rated[order[(n - 1) // 2 : n // 2 + 1]])

    def _entities(self) -> Floats:
        rows = np.eye(self.fit.layout.parameters)
        seats = rows[self.n + 1 :]
        return np.vstack([rows[: self.n], rows[self.reference].mean(axis=0), seats.mean(axis=0), seats])

    @cached_property
    def half_width(self) -> Floats:
        """(n + 1, n + 1) half the width of the intervals."""
        quantile = stdtrit(self.errors.freedom[: self.n + 1, : self.n + 1], 1 - ALPHA / 2)
        return np.asarray(quantile * self.standard_error)

    @cached_property
    def standard_error(self) -> Floats:
        return np.sqrt(self.errors.variance[: self.n + 1, : self.n + 1])

    @cached_property
    def meetings(self) -> PairResults:
        return meetings(self.tally, (self._alike or self).pairs, self.fit, self.groups.of, self.scores)

    @cached_property
    def scores(self) -> list[DealScores]:
        return deal_scores(self.tally, self.pairs, self.fit)

    @cached_property
    def better(self) -> Floats:
        """(n, n) the probability that the row's bot is better, as printed."""
        found = self.no_surer(self.belief.better)
        return by_own_deals(found, self.meetings, self.belief.spread, self.unit)

    def no_surer(self, better: Floats) -> Floats:
        """Limit chances to what they would be with the least possible luck."""
        n = self.n
        apart = np.abs(self.value[:n, None] - self.value[:n])
        sure = stdtr(self.errors.freedom[:n, :n], apart / np.maximum(self.least[:n, :n], TINY))
        return np.where(self.same, np.clip(better, 1 - sure, sure), self.level)

    @cached_property
    def belief(self) -> Belief:
        """The posterior with the same weight for all deals, even if `weigh_alike`."""
        if self._alike is not None:
            return self._alike.belief
        fields = [self._field(np.flatnonzero(self.groups.of == group)) for group in np.unique(self.groups.of)]
        return Belief(fields, self.meetings, self._centres(fields), self.unit)

    def _field(self, bots: Ints) -> Field:
        among = np.ix_(bots, bots)
        return Field(bots, self.value[bots], self.clustered.variance[among], self.clustered.freedom[among])

    def _centres(self, fields: list[Field]) -> Floats:
        """(fields,) the places of groups, if only bounds are known between them.

        They come from the imagined matches of the prior.
        """
        if len(fields) == 1:
            return np.zeros(1)
        everyone = np.zeros(self.n, np.int64)
        theta = fit(pairs(self.tally, everyone), everyone, PRIOR).theta
        return np.array([theta[field.bots].mean() for field in fields])

    @cached_property
    def level(self) -> Floats:
        """(n, n) one less the one-sided level at which the row's bot is better."""
        n = self.n
        value = self.value[:n, None] - self.value[None, :n]
        comparable = self.same & (value != 0)
        error = np.where(comparable, self.standard_error[:n, :n], 1.0)
        better = np.where(comparable, stdtr(self.errors.freedom[:n, :n], value / error), 0.5)
        above = (self.groups.reaches == 1) & ~self.same
        for a, b in np.argwhere(above):
            contrast = np.zeros(n)
            contrast[a], contrast[b] = 1.0, -1.0
            better[b, a] = self.likelihood.doubt(contrast)
            better[a, b] = 1 - better[b, a]
        return self._swept(better)

    def _swept(self, level: Floats) -> Floats:
        """Judge pairs by their own deals too, if one bot lost nearly everything."""
        met = self.meetings
        lopsided = (np.abs(met.score - 0.5) >= LOPSIDED) & (met.deals >= FEWEST_DEALS)
        pair = np.where((met.score > 0.5)[:, None], met.pair, met.pair[:, ::-1])[lopsided]
        level[pair[:, 0], pair[:, 1]] = np.maximum(level[pair[:, 0], pair[:, 1]], 1 - met.doubt[lopsided])
        level[pair[:, 1], pair[:, 0]] = 1 - level[pair[:, 0], pair[:, 1]]
        return level


def level_slope(fit: Fit) -> float:
    """How fast the expected score of equals rises with strength.

    It is relative to a game without ties. Dividing by it makes 100 Elo the same
    expected score in every game, as long as bots are not far apart.
    """
    ties = float(np.exp(fit.theta[fit.layout.tie]))
    return 2 / (2 + ties)


def rounded(value: float, digits: int) -> float:
    """Rounded, without a negative zero."""
    return round(value, digits) + 0.0
