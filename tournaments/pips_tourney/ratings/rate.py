"""From results to standings."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from functools import cached_property
from math import isnan, log
from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from pips_tourney.ratings import scores
from pips_tourney.ratings.davidson import SIGNS, Fit, Pairs, fit, pairs
from pips_tourney.ratings.errors import Correction, Errors, clustered, independent
from pips_tourney.ratings.seats import SeatResults, seat_results
from pips_tourney.ratings.separation import DealLikelihood, Groups, groups
from pips_tourney.ratings.table import Bound, Difference, Estimate, Note, Rating, Ratings, SeatWorth
from pips_tourney.ratings.tally import Columns, Floats, Ints, Result, Tally, tally

ELO: Final = 400 / log(10)
MEAN: Final = 1500.0
FEWEST_DEALS: Final = 10
"""Below this no interval is worth the name."""

Interval = tuple[float | None, float | None, float | None, Bound, Note]
"""Value, low, high (natural units), bound, note."""


def rate(
    results: Iterable[Result] | Columns,
    *,
    anchor: tuple[str, float] | None = None,
    unrated: Container[str] = (),
    prior: float = 0.5,
    confidence: float = 0.95,
    seats: bool = True,
    correction: Correction = "CR2",
) -> Ratings:
    """Standings from all results, the same to the byte in whatever order they come.

    `anchor` names a bot and its Elo; without one the mean of the connected bots is 1500, the `unrated` left out.
    `prior` is the number of imagined level matches of each bot against the mean of all. Raises ValueError for no
    results or an anchor that is not among the bots.
    """
    counted = tally(results)
    if not counted.names:
        raise ValueError("there are no results to rate")
    if anchor is not None and anchor[0] not in counted.names:
        raise ValueError(f"the anchor {anchor[0]} has played no match")
    return _Sums(counted, anchor, unrated, (prior, confidence), seats, correction).ratings()


def only_elos(
    results: Iterable[Result] | Columns, *, anchor: tuple[str, float] | None = None, unrated: Container[str] = ()
) -> dict[str, float]:
    """The Elos that `rate` gives, of the bots that have one, and nothing else: a fifth of the work."""
    counted = tally(results)
    if not counted.names:
        return {}
    sums = _Sums(counted, anchor, unrated, (0.5, 0.95), seats=True, correction="CR2")
    return {counted.names[bot]: rounded(elo, 2) for bot, elo in enumerate(sums.elo.tolist()) if not isnan(elo)}


class _Sums:
    """What one call of `rate` computes, each part once. Entities are the bots, the reference, seat means and seats."""

    def __init__(
        self,
        counted: Tally,
        anchor: tuple[str, float] | None,
        unrated: Container[str],
        prior_and_confidence: tuple[float, float],
        seats: bool,
        correction: Correction,
    ) -> None:
        self.tally, self.n = counted, len(counted.names)
        prior, confidence = prior_and_confidence
        self.alpha = 1 - confidence
        self.anchor = None if anchor is None else counted.names.index(anchor[0])
        self.mean = MEAN if anchor is None else anchor[1]
        rated = np.array([name not in unrated for name in counted.names])
        self.rated: Ints = np.flatnonzero(rated if rated.any() else ~rated)
        self.groups: Groups = groups(counted)
        self.pairs: Pairs = pairs(counted, self.groups.of)
        self.fit: Fit = fit(self.pairs, self.groups.of, prior, seats=seats)
        self.reference = self._reference()
        self.correction: Correction = correction
        self.entities = self._entities()
        self.value = self.entities @ np.where(np.isfinite(self.fit.theta), self.fit.theta, 0.0)
        self.same = self.groups.of[:, None] == self.groups.of[None, :]

    @cached_property
    def elo(self) -> Floats:
        """(n,) NaN for bots that are not connected with the reference."""
        connected = np.array([(self.groups.of[self.reference] == group).all() for group in self.groups.of])
        return np.where(connected, (self.value[: self.n] - self.value[self.n]) * ELO + self.mean, np.nan)

    @cached_property
    def errors(self) -> Errors:
        return clustered(self.tally, self.pairs, self.fit, self.entities, self.correction)

    @cached_property
    def alone(self) -> Floats:
        return independent(self.tally, self.pairs, self.fit, self.entities)

    @cached_property
    def swing(self) -> Floats:
        return _largest_swing(self.pairs, self.fit, self.entities[: self.n + 1])

    @cached_property
    def deals(self) -> Ints:
        return scores.deals(self.tally)

    @cached_property
    def likelihood(self) -> DealLikelihood:
        """Needed only where somebody has won or lost everything."""
        return DealLikelihood(self.tally, self.groups, pairs(self.tally, np.zeros(self.n, np.int64)), self.fit)

    @cached_property
    def by_seat(self) -> tuple[Floats, Ints]:
        return scores.by_seat(self.tally)

    @cached_property
    def against(self) -> Floats:
        return scores.against(self.tally)

    def _reference(self) -> Ints:
        """The bots whose mean is the reference: the anchor, the largest connected group, or those in the middle."""
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
        layout = self.fit.layout
        rows = np.eye(layout.parameters)
        means = [rows[self.reference].mean(axis=0), *(rows[layout.seats(size)].mean(axis=0) for size in layout.sizes)]
        return np.vstack([rows[: self.n], *means, rows[self.n + 1 :]])

    def ratings(self) -> Ratings:
        """Everything, rounded and in order."""
        rows = self._ordered([self._row(bot) for bot in range(self.n)])
        number = {name: at for at, name in enumerate(self.tally.names)}
        order = [number[row.bot] for row in rows]
        better = self._better()
        share = scores.deal_share(self.tally, self.pairs, self.fit)
        return Ratings(
            rows=tuple(rows),
            differences=tuple(self._difference(a, b, better) for at, a in enumerate(order) for b in order[at + 1 :]),
            seats=tuple(self._seats()),
            draw=rounded(float(np.exp(self.fit.theta[self.fit.layout.tie])), 4),
            deal_share=None if share is None else rounded(share, 4),
            duplicate_factor=self._duplicate_factor(),
            matches=int(self.tally.kind_count.sum()),
            deals=sum(int(block.count.sum()) for block in self.tally.deals),
            estimate=self._estimate(better),
        )

    def _row(self, bot: int) -> Rating:
        points, matches = self.by_seat
        mean_points = points.sum(axis=1) / matches.sum(axis=1)
        elo, low, high, bound, note = self._interval(bot, self.n, int(self.deals[bot, bot]))
        return Rating(
            bot=self.tally.names[bot],
            elo=shifted(elo, self.mean),
            low=shifted(low, self.mean),
            high=shifted(high, self.mean),
            bound=bound,
            note=note,
            points=rounded(float(points[bot].sum()), 4),
            points_by_seat=tuple(
                rounded(float(p / m), 4) if m else None for p, m in zip(points[bot], matches[bot], strict=True)
            ),
            matches=int(matches[bot].sum()),
            deals=int(self.deals[bot, bot]),
            sonneborn_berger=rounded(float(self.against[bot] @ mean_points), 4),
            direct=0.0,
        )

    def _ordered(self, rows: list[Rating]) -> list[Rating]:
        """Best first; equal ones by direct encounter, Sonneborn-Berger, points, name."""
        levels = [level(row) for row in rows]
        equal = np.array([[a == b for b in levels] for a in levels])
        direct = (self.against * equal).sum(axis=1)
        rows = [replace(row, direct=rounded(float(d), 4)) for row, d in zip(rows, direct, strict=True)]
        return sorted(rows, key=lambda row: (level(row), -row.direct, -row.sonneborn_berger, -row.points, row.bot))

    def _difference(self, a: int, b: int, better: Floats) -> Difference:
        elo, low, high, bound, note = self._interval(a, b, min(int(self.deals[a, a]), int(self.deals[b, b])))
        known = note not in ("too few deals", "not connected")
        return Difference(
            a=self.tally.names[a],
            b=self.tally.names[b],
            elo=shifted(elo, 0.0),
            low=shifted(low, 0.0),
            high=shifted(high, 0.0),
            bound=bound,
            note=note,
            better=rounded(float(better[a, b]), 4) if known else None,
            deals=int(self.deals[a, b]),
        )

    def _interval(self, x: int, y: int, deals: int) -> Interval:
        """Of bot `x` less `y`, which is a bot or, as n, the reference."""
        others = self.reference if y == self.n else np.array([y])
        if (self.groups.of[others] == self.groups.of[x]).all():
            if len(others) == 1 and others[0] == x:
                return 0.0, 0.0, 0.0, "", "reference" if self.anchor is None else "anchor"
            value = float(self.value[x] - self.value[y])
            if deals < FEWEST_DEALS:
                return value, None, None, "", "too few deals"
            half = float(self.half_width[x, y])
            return value, value - half, value + half, "", ""
        contrast = np.zeros(self.n)
        contrast[x] += 1.0
        contrast[others] -= 1 / len(others)
        if self.groups.reaches[x, others].all():
            return None, self.likelihood.lowest(contrast, self.alpha), None, ">", ""
        if self.groups.reaches[others, x].all():
            return None, None, -self.likelihood.lowest(-contrast, self.alpha), "<", ""
        return None, None, None, "", "not connected"

    @cached_property
    def half_width(self) -> Floats:
        """(n + 1, n + 1) of the intervals: never less than if one deal more had swung (the rule of three)."""
        quantile = stdtrit(self.errors.freedom[: self.n + 1, : self.n + 1], 1 - self.alpha / 2)
        return np.maximum(quantile * self.standard_error, -log(self.alpha) * self.swing)

    @cached_property
    def standard_error(self) -> Floats:
        return np.sqrt(self.errors.variance[: self.n + 1, : self.n + 1])

    def _better(self) -> Floats:
        """(n, n) the probability that the row's bot is the better one."""
        n = self.n
        value = self.value[:n, None] - self.value[None, :n]
        error, swing = self.standard_error[:n, :n], self.swing[:n, :n]
        with np.errstate(divide="ignore", invalid="ignore"):
            tail = stdtr(self.errors.freedom[:n, :n], -np.abs(value) / error)
            doubt = np.fmax(np.where(error > 0, tail, 0.0), np.exp(-np.abs(value) / swing) / 2)
        doubt = np.where(value == 0, 0.5, doubt)
        better = np.where(self.same, np.where(value >= 0, 1 - doubt, doubt), 0.5)
        above = (self.groups.reaches == 1) & ~self.same
        for a, b in np.argwhere(above):
            contrast = np.zeros(n)
            contrast[a], contrast[b] = 1.0, -1.0
            better[b, a] = self.likelihood.doubt(contrast)
            better[a, b] = 1 - better[b, a]
        return better

    def _duplicate_factor(self) -> float | None:
        pairs = np.triu(self.same, 1)
        alone = float(self.alone[: self.n, : self.n][pairs].sum())
        if alone == 0.0:
            return None
        return rounded(float(self.errors.variance[: self.n, : self.n][pairs].sum()) / alone, 4)

    def _seats(self) -> list[SeatWorth]:
        points, seats = scores.seat_means(self.tally), []
        for size in self.fit.layout.sizes:
            for seat in range(size):
                *ends, bound, note = self._seat_interval(size, seat)
                elo, low, high = (shifted(end, 0.0) for end in ends)
                seats.append(SeatWorth(size, seat, rounded(points[size][seat], 4), elo, low, high, bound, note))
        return seats

    def _seat_interval(self, size: int, seat: int) -> Interval:
        """Of a seat less the mean of the seats; as a bot's, so wide at least that one result more might have swung."""
        if not self.fit.seats_estimated:
            return None, None, None, "", ""
        results, layout = self.seat_results[size], self.fit.layout
        if not results.connected:
            return None, *results.bound(seat, self.alpha), ""
        mean, at = self.n + 1 + layout.sizes.index(size), len(layout.sizes) + layout.seats(size).start + seat
        value = float(self.value[at] - self.value[mean])
        if results.deals_of(seat) < FEWEST_DEALS:
            return value, None, None, "", "too few deals"
        quantile = float(stdtrit(self.errors.freedom[at, mean], 1 - self.alpha / 2))
        influence = (self.entities[at] - self.entities[mean]) @ self.fit.inverse
        swing = float(np.abs(influence[self.pairs.cells] @ SIGNS).max())
        half = max(quantile * float(np.sqrt(self.errors.variance[at, mean])), -log(self.alpha) * swing)
        return value, value - half, value + half, "", ""

    @cached_property
    def seat_results(self) -> dict[int, SeatResults]:
        return {size: seat_results(self.tally, self.pairs, size) for size in self.fit.layout.sizes}

    def _estimate(self, better: Floats) -> Estimate:
        freedom = self.errors.freedom[: self.n + 1, : self.n + 1]
        error = self.half_width / stdtrit(freedom, 1 - self.alpha / 2) * ELO
        return Estimate(self.tally.names, self.elo, error, freedom, better, self.against)


def _largest_swing(pairs: Pairs, fit: Fit, entities: Floats) -> Floats:
    """(m, m) how far one result turned from a loss into a win can move each difference of entities."""
    influence = entities @ fit.inverse
    bots = np.unique(pairs.cells[:, :2], axis=0)
    turned = influence[:, bots[:, 0]] - influence[:, bots[:, 1]]
    swing = np.zeros((len(entities),) * 2)
    for at, row in enumerate(turned):
        swing[at] = np.abs(row - turned).max(axis=1, initial=0.0)
    return swing


def level(row: Rating) -> tuple[int, float]:
    """What the table is ordered by first: those above the rated bots, the rated, those below, those unconnected."""
    if row.elo is not None:
        return 1, -row.elo
    if row.bound == ">":
        return 0, -(row.low or 0.0)
    return (2, -(row.high or 0.0)) if row.bound == "<" else (3, 0.0)


def rounded(value: float, digits: int) -> float:
    """Rounded, without a negative zero."""
    return round(value, digits) + 0.0


def shifted(value: float | None, mean: float) -> float | None:
    """A strength in Elo."""
    return None if value is None else rounded(mean + value * ELO, 2)
