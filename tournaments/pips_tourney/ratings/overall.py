"""One rating over several games: the mean of a bot's Elos, with its interval."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from pips_tourney.ratings.fit.better import Belief, Field, firsts, intervals
from pips_tourney.ratings.fit.scores import against
from pips_tourney.ratings.fit.sums import rounded
from pips_tourney.ratings.fit.tally import Floats
from pips_tourney.ratings.rate import in_order
from pips_tourney.ratings.result import ALPHA, FEWEST_DEALS
from pips_tourney.ratings.table import Bound, Difference, Note, Ranking, Rating, Ratings, level


@dataclass(frozen=True, slots=True)
class Overall(Ranking):
    """Standings over games, best first.

    A bot without a rating in one of the games has no overall rating. Such bots are
    listed in `missing`.
    """

    games: tuple[str, ...]
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By bot without an overall rating: the games in which it has no rating."""
    short: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By game, then by bot: how many deals are missing for an interval.

    One such game leaves the bot without an overall interval.
    """


class _Mean(NamedTuple):
    """A rating or a difference, in Elo."""

    elo: float | None
    low: float | None
    high: float | None
    bound: Bound
    note: Note
    better: float | None
    """The chance that `elo` is truly above 0, or None without an interval."""


def overall(games: Mapping[str, Ratings], unrated: Container[str] = ()) -> Overall:
    """Combine the ratings of several games.

    Games are independent: variances add, and degrees of freedom are Welch and
    Satterthwaite's. The `unrated` have no place. If a game has only a bound, the other
    games count with the end of their interval on the same side.

    Raises ValueError if there are no games.
    """
    if not games:
        raise ValueError("there are no games to combine")
    return _OverallSum([_GameShare(game, 1 / len(games), games[game]) for game in sorted(games)], unrated).overall()


@dataclass
class _GameShare:
    """A game, with its share of the overall rating."""

    game: str
    share: float
    ratings: Ratings

    @cached_property
    def rows(self) -> Mapping[str, Rating]:
        return {row.bot: row for row in self.ratings.rows}

    @cached_property
    def differences(self) -> Mapping[tuple[str, str], Difference]:
        """The game's differences, each in both directions."""
        each = self.ratings.differences
        return {(d.a, d.b): d for d in each} | {(d.b, d.a): d.reversed() for d in each}

    @cached_property
    def number(self) -> Mapping[str, int]:
        return {name: at for at, name in enumerate(self.ratings.sums.tally.names)}

    def text(self, bot: str) -> str:
        return self.rows[bot].text if bot in self.rows else "?"

    @property
    def short(self) -> Mapping[str, int]:
        """By bot without an interval for lack of deals: how many deals are missing."""
        return {row.bot: FEWEST_DEALS - row.deals for row in self.ratings.rows if row.note == "too few deals"}

    def error(self, a: str, b: str | None) -> tuple[float, float]:
        """The game's part of a standard error, and the degrees of freedom.

        The error is that of bot `a` less bot `b`, or less the reference if `b` is None.
        """
        at = self.number[a], len(self.number) if b is None else self.number[b]
        sums = self.ratings.sums
        return self.share * float(sums.standard_error[at]) * sums.unit, float(sums.errors.freedom[at])

    def against(self, bots: Sequence[str]) -> Floats:
        """(n, n) points of the row's bot against the column's."""
        at = [self.number.get(bot, len(self.number)) for bot in bots]
        return np.pad(against(self.ratings.sums.tally), (0, 1))[np.ix_(at, at)]


@dataclass
class _OverallSum:
    parts: Sequence[_GameShare]
    unrated: Container[str]

    def overall(self) -> Overall:
        bots = sorted({bot for part in self.parts for bot in part.rows})
        against = sum(part.against(bots) for part in self.parts)
        rows = in_order([self._row(bot) for bot in bots], np.asarray(against), self._place)
        unknown = {row.bot: [part for part in self.parts if part.text(row.bot) == "?"] for row in rows}
        missing = {bot: tuple(part.game for part in parts) for bot, parts in unknown.items() if parts}
        return Overall(
            rows=tuple(
                replace(row, ranks=ranks, first=first)
                for row in rows
                for ranks, first in [self._places.get(row.bot, (None, None))]
            ),
            differences=tuple(self._difference(a.bot, b.bot) for a, b in combinations(rows, 2)),
            matches=sum(part.ratings.matches for part in self.parts),
            deals=sum(part.ratings.deals for part in self.parts),
            games=tuple(part.game for part in self.parts),
            missing=missing,
            short={part.game: short for part in self.parts if (short := part.short)},
        )

    def _row(self, bot: str) -> Rating:
        played = [part.rows[bot] for part in self.parts if bot in part.rows]
        value = self._value([part.rows.get(bot) for part in self.parts], bot, None)
        return Rating(
            bot,
            *value[:-1],
            points=rounded(sum(row.points for row in played), 4),
            points_by_seat=(),
            matches=sum(row.matches for row in played),
            deals=sum(row.deals for row in played),
        )

    def _place(self, row: Rating) -> tuple[float, ...]:
        """The first sort key of the table, as in `table.level`.

        A bound from only some of the games is placed at its finite end. A bot that won
        everything in one game need not be above a bot that is rated in all. A bot that
        won everything in every game is above it.
        """
        end = row.low if row.bound == ">" else row.high
        if not row.bound or end is None or all(part.rows[row.bot].bound for part in self.parts):
            return *level(row), 0
        return 1, -end, 1 if row.bound == ">" else 2

    def _difference(self, a: str, b: str) -> Difference:
        met = [part.differences.get((a, b)) for part in self.parts]
        deals = sum(difference.deals for difference in met if difference is not None)
        value = self._value(met, a, b)
        if value.better is not None and {a, b} <= {*self._sure}:
            at = self._sure.index(a), self._sure.index(b)
            value = value._replace(better=rounded(float(self._belief.better[at]), 4))
        return Difference(a, b, *value, deals)

    @cached_property
    def _sure(self) -> list[str]:
        """The bots with an interval in every game; the others get no chances."""
        rows = [self._row(bot) for bot in sorted({bot for part in self.parts for bot in part.rows})]
        return [row.bot for row in rows if row.low is not None and row.high is not None]

    @cached_property
    def _belief(self) -> Belief:
        bots = self._sure
        errors = [[self._error(a, b) for b in bots] for a in bots]
        variance, freedom = (np.array([[error[x] for error in row] for row in errors]) for x in (0, 1))
        value = [self._mean([part.rows[bot].elo for part in self.parts]) for bot in bots]
        return Belief([Field(np.arange(len(bots)), np.array(value, float), variance**2, freedom)], None, np.zeros(1), 1)

    @cached_property
    def _places(self) -> Mapping[str, tuple[tuple[int, int], float]]:
        """By rated bot, its places and its chance to be first.

        Empty if any bot has only a bound, because such a bot may be anywhere.
        """
        rated = np.array([at for at, bot in enumerate(self._sure) if bot not in self.unrated], np.int64)
        if not len(rated) or any(row.bound for part in self.parts for row in part.ratings.rows):
            return {}
        better = self._belief.better
        places = self._belief.places(rated, better)
        ends, first = intervals(places), firsts(places, better[np.ix_(rated, rated)])
        return {
            self._sure[at]: ((low, high), rounded(chance, 4))
            for at, (low, high), chance in zip(rated.tolist(), ends.tolist(), first.tolist(), strict=True)
        }

    def _value(self, of: Sequence[Rating | Difference | None], a: str, b: str | None) -> _Mean:
        """The values of all games for bot `a` (or for `a` less `b`), combined."""
        known = [value for value in of if value is not None]
        if len(known) < len(of):
            return _Mean(None, None, None, "", "not in every game", None)
        if any(value.elo is None and not value.bound for value in known):
            return _Mean(None, None, None, "", "not connected", None)
        sides = sorted({value.bound for value in known if value.bound})
        if sides:
            return self._bound(known, sides)
        elo = self._mean([value.elo for value in known])
        assert elo is not None
        if any(value.low is None for value in known):
            return _Mean(rounded(elo, 2), None, None, "", "too few deals", None)
        notes = {value.note for value in known}
        error, freedom = self._error(a, b)
        half = error * float(stdtrit(freedom, 1 - ALPHA / 2))
        better = rounded(float(stdtr(freedom, elo / error)), 4) if error > 0 else None
        low, high = rounded(elo - half, 2), rounded(elo + half, 2)
        return _Mean(rounded(elo, 2), low, high, "", notes.pop() if len(notes) == 1 else "", better)

    def _error(self, a: str, b: str | None) -> tuple[float, float]:
        """The standard error of bot `a` less bot `b`, and its degrees of freedom.

        Without `b` it is the error of `a` less the reference.
        """
        errors = [part.error(a, b) for part in self.parts]
        error = sqrt(sum(e**2 for e, _ in errors))
        fourth = sum(e**4 / freedom for e, freedom in errors)
        return error, error**4 / fourth if fourth > 0 else 1.0

    def _bound(self, known: Sequence[Rating | Difference], sides: Sequence[Bound]) -> _Mean:
        if len(sides) > 1:
            return _Mean(None, None, None, "", "bounds both ways", None)
        (side,) = sides
        end = self._mean([value.low if side == ">" else value.high for value in known])
        if end is None:
            return _Mean(None, None, None, "", "too few deals", None)
        low, high = (rounded(end, 2), None) if side == ">" else (None, rounded(end, 2))
        return _Mean(None, low, high, side, "", None)

    def _mean(self, values: Sequence[float | None]) -> float | None:
        known = [part.share * value for part, value in zip(self.parts, values, strict=True) if value is not None]
        return sum(known) if len(known) == len(values) else None
