"""From results to standings."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import isnan
from typing import Final

import numpy as np
from scipy.special import stdtrit

from pips_tourney.ratings.circles import circles
from pips_tourney.ratings.fit import scores
from pips_tourney.ratings.fit.better import firsts, intervals
from pips_tourney.ratings.fit.sums import Sums, rounded
from pips_tourney.ratings.fit.tally import Columns, Floats, tally
from pips_tourney.ratings.result import ALPHA, FEWEST_DEALS, LEAST, Result
from pips_tourney.ratings.seats import seat_deals
from pips_tourney.ratings.table import Bound, Difference, Meeting, Note, Rating, Ratings, SeatWorth, level

Interval = tuple[float | None, float | None, float | None, Bound, Note]
"""Value, low, high, bound, note."""
UNKNOWN: Final = ("too few deals", "not connected")


def rate(
    results: Iterable[Result] | Columns,
    *,
    anchor: tuple[str, float] | None = None,
    unrated: Container[str] = (),
    weigh_alike: bool = False,
) -> Ratings:
    """Standings from all results, identical to the byte whatever the order of results.

    `anchor` names a bot and its Elo. Without an anchor, the mean of the connected bots
    that are not `unrated` is 1500. With `weigh_alike` all combinations have the same
    weight, however many deals each played. Raises ValueError if there are no results,
    or if the anchor is not among the bots.
    """
    counted = tally(results)
    if not counted.names:
        raise ValueError("there are no results to rate")
    if anchor is not None and anchor[0] not in counted.names:
        raise ValueError(f"the anchor {anchor[0]} has played no match")
    return _RatedTable(counted, anchor, unrated, weigh_alike=weigh_alike).ratings()


class _RatedTable(Sums):
    """The sums as rows, rounded and in order."""

    def ratings(self) -> Ratings:
        """All rows, rounded and in order."""
        rows = in_order([self._row(bot) for bot in range(self.n)], scores.against(self.tally))
        number = {name: at for at, name in enumerate(self.tally.names)}
        order = [number[row.bot] for row in rows]
        share = scores.deal_share(self.tally, self.pairs, self.fit)
        few = int(self.deals[self.rated, self.rated].min()) < FEWEST_DEALS
        return Ratings(
            rows=tuple(rows),
            differences=tuple(self._difference(a, b) for at, a in enumerate(order) for b in order[at + 1 :]),
            seats=tuple(self._seats()),
            draw=rounded(float(np.exp(self.fit.theta[self.fit.layout.tie])), 4),
            deal_share=None if share is None else rounded(share, 4),
            matches=int(self.tally.kind_count.sum()),
            deals=sum(int(block.count.sum()) for block in self.tally.deals),
            sums=self,
            meetings=tuple(self._met(order)),
            circles=None if few else circles(self.tally.names, self.groups.of, self.meetings, self.scores),
        )

    def _met(self, order: list[int]) -> Iterator[Meeting]:
        """The rated bots head to head, in the order of the table."""
        met, names = self.meetings, self.tally.names
        first, second = np.argsort(order)[met.pair].T
        turned = first > second
        pair = np.where(turned[:, None], met.pair[:, ::-1], met.pair).tolist()
        score, expected = (np.where(turned, 1 - x, x).tolist() for x in (met.score, met.expected))
        matches, deals, doubt = met.matches.tolist(), met.deals.tolist(), met.doubt.tolist()
        for at in np.lexsort((np.maximum(first, second), np.minimum(first, second))).tolist():
            yield Meeting(
                names[pair[at][0]],
                names[pair[at][1]],
                int(matches[at]),
                int(deals[at]),
                rounded(score[at], 4),
                None if isnan(expected[at]) else rounded(expected[at], 4),
                rounded(1 - doubt[at], 4),
            )

    @cached_property
    def places(self) -> dict[int, tuple[tuple[int, int], float]]:
        """By rated bot: its places by strength, and its chance to be first."""
        places = self.belief.places(self.rated, self.level)
        stronger = self.no_surer(self.belief.stronger)[np.ix_(self.rated, self.rated)]
        ends, first = intervals(places), firsts(places, stronger)
        return {
            bot: ((low, high), rounded(chance, 4))
            for bot, (low, high), chance in zip(self.rated.tolist(), ends.tolist(), first.tolist(), strict=True)
        }

    def _row(self, bot: int) -> Rating:
        points, matches = self.by_seat
        known = self._interval(bot, self.n, int(self.deals[bot, bot]))
        ranks, first = (None, None) if known[-1] in UNKNOWN else self.places.get(bot, (None, None))
        return Rating(
            self.tally.names[bot],
            *self._in_elo(known, self.mean),
            points=rounded(float(points[bot].sum()), 4),
            points_by_seat=tuple(
                rounded(float(p / m), 4) if m else None for p, m in zip(points[bot], matches[bot], strict=True)
            ),
            matches=int(matches[bot].sum()),
            deals=int(self.deals[bot, bot]),
            ranks=ranks,
            first=first,
        )

    def _difference(self, a: int, b: int) -> Difference:
        known = self._interval(a, b, min(int(self.deals[a, a]), int(self.deals[b, b])))
        better = None if known[-1] in UNKNOWN else rounded(float(self.better[a, b]), 4)
        names = self.tally.names
        return Difference(names[a], names[b], *self._in_elo(known, 0.0), better, int(self.deals[a, b]))

    def _interval(self, x: int, y: int, deals: int) -> Interval:
        """The interval of bot `x` less `y`; `y` is a bot, or the reference as n."""
        others = self.reference.tolist() if y == self.n else [y]
        if all(self.same[x, other] for other in others):
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
            return None, self.likelihood.lowest(contrast, ALPHA), None, ">", ""
        if self.groups.reaches[others, x].all():
            return None, None, -self.likelihood.lowest(-contrast, ALPHA), "<", ""
        return None, None, None, "", "not connected"

    def _in_elo(self, known: Interval, mean: float) -> Interval:
        value, low, high, bound, note = known
        return self._shifted(value, mean), self._shifted(low, mean), self._shifted(high, mean), bound, note

    def _shifted(self, value: float | None, mean: float) -> float | None:
        """A strength in Elo."""
        return None if value is None else rounded(mean + value * self.unit, 2)

    def _seats(self) -> Iterator[SeatWorth]:
        (points, matches), size = self.by_seat, self.tally.seats
        mean = (points.sum(axis=0) / matches.sum(axis=0)).tolist()
        deals = seat_deals(self.tally, self.pairs) if self.fit.seats_estimated else None
        for seat in range(size):
            ends: tuple[float | None, ...] = (None, None, None)
            few = deals is not None and int(deals[seat]) < FEWEST_DEALS
            if deals is not None:
                value, half = self._seat_value(seat)
                ends = (value, None, None) if few else (value, value - half, value + half)
            worth, low, high = (self._shifted(end, 0.0) for end in ends)
            yield SeatWorth(size, seat, rounded(mean[seat], 4), worth, low, high, "too few deals" if few else "")

    def _seat_value(self, seat: int) -> tuple[float, float]:
        """A seat less the mean seat, and half its interval, computed as for a bot."""
        mean, at = self.n + 1, self.n + 2 + seat
        quantile = float(stdtrit(self.errors.freedom[at, mean], 1 - ALPHA / 2))
        influence = (self.entities[at] - self.entities[mean]) @ self.fit.inverse
        least = LEAST * float(np.abs(self.pairs.differences @ influence).max())
        half = quantile * max(float(np.sqrt(self.errors.variance[at, mean])), least)
        return float(self.value[at] - self.value[mean]), half


def in_order(
    rows: Sequence[Rating], against: Floats, level: Callable[[Rating], tuple[float, ...]] = level
) -> list[Rating]:
    """Best first; equal bots by direct encounter, then by points, then by name.

    `against` (n, n) are the points of the row's bot against the column's.
    """
    levels = [level(row) for row in rows]
    direct = (against * np.array([[a == b for b in levels] for a in levels])).sum(axis=1).tolist()
    rows = [replace(row, direct=rounded(points, 4)) for row, points in zip(rows, direct, strict=True)]
    return sorted(rows, key=lambda row: (level(row), -row.direct, -row.points, row.bot))
