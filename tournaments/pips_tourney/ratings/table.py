"""The tables that the ratings return.

Values are rounded for publication. Further sums use the unrounded ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from pips_tourney.ratings.fit.sums import Sums

MARGIN_ELO: Final = 280.0
"""Roughly the Elo of a mean margin of one scale.

A scale is one standard deviation of a difference.
"""
Bound = Literal["", ">", "<"]
Note = Literal["", "anchor", "reference", "too few deals", "not connected", "not in every game", "bounds both ways"]
"""The last two values occur only in ratings over several games."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One row of the standings."""

    bot: str
    elo: float | None
    """None if the results give only a bound, or nothing."""
    low: float | None
    """The ends of the interval; a bound has only one end."""
    high: float | None
    bound: Bound
    """`>`: at least `low`, having won everything; `<`: at most `high`."""
    note: Note
    points: float
    """Total points; a match gives up to 1, by the share of opponents it is above."""
    points_by_seat: tuple[float | None, ...]
    """Mean points a match in each seat."""
    matches: int
    deals: int
    direct: float = 0.0
    """Points against the bots with the same Elo."""
    ranks: tuple[int, int] | None = None
    """The first and the last place among the rated bots that the bot may truly have.

    The range holds with the table's confidence.
    """
    first: float | None = None
    """The chance that the bot is the strongest of the rated bots."""

    @property
    def text(self) -> str:
        """`1523`, `> 1730`, or `?`."""
        if self.elo is not None:
            return f"{self.elo:.0f}"
        limit = self.low if self.bound == ">" else self.high
        return "?" if limit is None else f"{self.bound} {limit:.0f}"


def level(row: Rating) -> tuple[float, ...]:
    """The first sort key of the table: above the rated, rated, below, unconnected."""
    if row.elo is not None:
        return 1, -row.elo
    if row.bound == ">":
        return 0, -(row.low or 0.0)
    return (2, -(row.high or 0.0)) if row.bound == "<" else (3, 0.0)


@dataclass(frozen=True, slots=True)
class Difference:
    """Bot `a` less bot `b`, in Elo."""

    a: str
    b: str
    elo: float | None
    low: float | None
    high: float | None
    bound: Bound
    note: Note
    better: float | None
    """The probability that `a` is the better one (better.py).

    None when there are too few deals to say.
    """
    deals: int
    """Deals in which the bot and the opponent both sat."""

    def reversed(self) -> Difference:
        """Bot `b` less bot `a`."""
        elo, low, high = (None if end is None else 0.0 - end for end in (self.elo, self.high, self.low))
        bound: Bound = {">": "<", "<": ">"}.get(self.bound, "")  # type: ignore[assignment]
        better = None if self.better is None else round(1 - self.better, 4)
        return Difference(self.b, self.a, elo, low, high, bound, self.note, better, self.deals)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two bots head to head, by their own results alone."""

    a: str
    b: str
    matches: int
    """Matches in which the bot and the opponent both sat."""
    deals: int
    score: float
    """Mean score of `a` a match: 1 above, 1/2 level with, 0 below `b`."""
    expected: float | None
    """The mean score that their Elos and seats predict.

    None if one has only a bound against the other.
    """
    ahead: float
    """The level, from 1/2 to 1, at which the leading bot is better.

    It comes from their own deals alone.
    """


@dataclass(frozen=True, slots=True)
class Circles:
    """Whether one strength a bot explains the results."""

    fits: float
    """The chance that luck alone gives results this far from the fit."""
    found: bool
    """Whether luck alone is unlikely to give results so far from any order."""
    circle: tuple[str, ...]
    """Three bots, each ahead of the next, the last ahead of the first.

    Empty if there are no such bots, or if `found` is False.
    """


@dataclass(frozen=True, slots=True)
class Margin:
    """How much a bot wins by, in units of the game's scale.

    It is the bot's mean lead a match over the others at its table.
    """

    bot: str
    margin: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Margins:
    """The margins of all bots, largest first; the mean of the rated bots is 0."""

    rows: tuple[Margin, ...]
    cap: float
    """The largest difference that counts for one match and opponent, in scales."""
    better: Mapping[str, Mapping[str, float]]
    """The probability that one bot's margin is truly larger than another's."""
    levels: Mapping[str, Mapping[str, float]]
    """One less the one-sided level at which one bot's margin is larger."""

    def level(self, a: str, b: str) -> float:
        """One less the one-sided level at which `a` is above `b`."""
        return self.levels[a][b]

    def of(self, bot: str) -> Margin | None:
        """A bot's row; None if it did not play."""
        return next((row for row in self.rows if row.bot == bot), None)


@dataclass(frozen=True, slots=True)
class SeatWorth:
    """The value of one seat, at tables of one size."""

    size: int
    seat: int
    points: float
    """Mean points a match in this seat."""
    elo: float | None
    """Elo against the mean of the seats.

    None if a seat won or lost everything, or if bots and seats cannot be told apart.
    """
    low: float | None
    """The ends of the interval."""
    high: float | None
    note: Note
    """`too few deals` if the interval is missing for that reason, else empty."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Standings, best first."""

    rows: tuple[Rating, ...]
    differences: tuple[Difference, ...]
    """The difference between every bot and each bot below it in the table."""
    matches: int
    deals: int

    def difference(self, a: str, b: str) -> Difference:
        """Bot `a` less bot `b`. KeyError for a bot that did not play."""
        place = {row.bot: at for at, row in enumerate(self.rows)}
        if a == b or not {a, b} <= place.keys():
            raise KeyError(f"{a} and {b} are not both in the standings")
        above, below = sorted((place[a], place[b]))
        # Each of the bots above has one difference for every bot below it.
        found = self.differences[above * (2 * len(place) - above - 1) // 2 + below - above - 1]
        return found if found.a == a else found.reversed()

    def __getitem__(self, bot: str) -> Rating:
        for row in self.rows:
            if row.bot == bot:
                return row
        raise KeyError(f"{bot} is not in the standings")


@dataclass(frozen=True, slots=True)
class Ratings(Ranking):
    """Standings of one game, with statistics of the game."""

    seats: tuple[SeatWorth, ...]
    draw: float
    """Davidson's tie parameter.

    Between equals, a tie is this many times as likely as one given win.
    """
    deal_share: float | None
    """The share of the variance of results that a seat's cards explain.

    The bots explain the rest.
    """
    sums: Sums = field(compare=False, repr=False)
    """The unrounded sums from which the table was made."""
    meetings: tuple[Meeting, ...] = ()
    """Every two bots that met, the one placed higher first."""
    circles: Circles | None = None
    """None if no misfit is possible."""

    def level(self, a: str, b: str) -> float:
        """One less the one-sided level at which `a` is above `b`."""
        names = self.sums.tally.names
        return float(self.sums.level[names.index(a), names.index(b)])
