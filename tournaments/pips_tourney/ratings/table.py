"""What the ratings say.

Values are rounded for publication. Further sums are made from the unrounded sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from pips_tourney.ratings.sums import Sums

MARGIN_ELO: Final = 280.0
"""Roughly the Elo of a mean margin of one scale.

A scale is one standard deviation of a difference.
"""
Bound = Literal["", ">", "<"]
Note = Literal["", "anchor", "reference", "too few deals", "not connected", "not in every game", "bounds both ways"]
"""The last two are for ratings over several games."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One row of the standings."""

    bot: str
    elo: float | None
    """None where results give only a bound, or nothing."""
    low: float | None
    """The interval's ends; a bound has only one of them."""
    high: float | None
    bound: Bound
    """`>`: at least `low`, having won everything; `<`: at most `high`."""
    note: Note
    points: float
    """Total points; a match is worth 1, shared by who is above whom at the table."""
    points_by_seat: tuple[float | None, ...]
    """Mean points a match in each seat."""
    matches: int
    deals: int
    direct: float = 0.0
    """Points against the bots with the same Elo."""
    ranks: tuple[int, int] | None = None
    """The first and the last place among the rated bots that it may truly have.

    It holds with the table's confidence.
    """
    first: float | None = None
    """The chance that it is the strongest of the rated bots."""

    @property
    def text(self) -> str:
        """`1523`, `> 1730`, or `?`."""
        if self.elo is not None:
            return f"{self.elo:.0f}"
        limit = self.low if self.bound == ">" else self.high
        return "?" if limit is None else f"{self.bound} {limit:.0f}"


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
    """Deals in which both sat at the table."""

    def reversed(self) -> Difference:
        """Bot `b` less bot `a`."""
        elo, low, high = (None if end is None else 0.0 - end for end in (self.elo, self.high, self.low))
        bound: Bound = {">": "<", "<": ">"}.get(self.bound, "")  # type: ignore[assignment]
        better = None if self.better is None else round(1 - self.better, 4)
        return Difference(self.b, self.a, elo, low, high, bound, self.note, better, self.deals)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two bots head to head, whatever the others say of them."""

    a: str
    b: str
    matches: int
    """Matches in which both sat at the table."""
    deals: int
    score: float
    """Mean score of `a` a match: 1 above, 1/2 level with, 0 below `b`."""
    expected: float | None
    """The mean score that their Elos and seats give.

    None where one has only a bound against the other.
    """
    ahead: float
    """The level, from 1/2 to 1, at which the bot that is ahead is ahead.

    It comes from their own deals alone.
    """


@dataclass(frozen=True, slots=True)
class Circles:
    """Whether one strength a bot explains the results."""

    fits: float
    """How likely luck alone is to give results so far from the fit."""
    found: bool
    """Whether luck alone is unlikely to give such results."""
    circle: tuple[str, ...]
    """Three bots, each ahead of the next, the last ahead of the first.

    Empty if there are none, or if nothing is found.
    """


@dataclass(frozen=True, slots=True)
class Margin:
    """By how much a bot wins, in the game's scale.

    It is the bot's mean lead a match over the others of its table.
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
    """The most that one match counts against one opponent, in scales."""
    better: Mapping[str, Mapping[str, float]]
    """The probability that one bot's margin is truly larger than another's."""
    levels: Mapping[str, Mapping[str, float]]
    """One less the one-sided level at which one bot's margin is larger."""

    def level(self, a: str, b: str) -> float:
        """One less the one-sided level at which `a` is above `b`."""
        return self.levels[a][b]

    def of(self, bot: str) -> Margin | None:
        """None for a bot that did not play."""
        return next((row for row in self.rows if row.bot == bot), None)


@dataclass(frozen=True, slots=True)
class SeatWorth:
    """What one seat is worth at tables of one size."""

    size: int
    seat: int
    points: float
    """Mean points a match in this seat."""
    elo: float | None
    """Elo against the mean of the seats.

    None where a seat won or lost everything, or bots and seats cannot be told apart.
    """
    low: float | None
    """The interval's ends."""
    high: float | None
    note: Note
    """`too few deals` where that is why there is no interval, or nothing."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Standings, best first."""

    rows: tuple[Rating, ...]
    differences: tuple[Difference, ...]
    """The difference of every bot and each bot below it in the table."""
    matches: int
    deals: int

    def difference(self, a: str, b: str) -> Difference:
        """Bot `a` less bot `b`. KeyError for a bot that did not play."""
        place = {row.bot: at for at, row in enumerate(self.rows)}
        if a == b or not {a, b} <= place.keys():
            raise KeyError(f"{a} and {b} are not both in the standings")
        above, below = sorted((place[a], place[b]))
        # The bots above have as many differences as there are bots below each.
        found = self.differences[above * (2 * len(place) - above - 1) // 2 + below - above - 1]
        return found if found.a == a else found.reversed()

    def __getitem__(self, bot: str) -> Rating:
        for row in self.rows:
            if row.bot == bot:
                return row
        raise KeyError(f"{bot} is not in the standings")


@dataclass(frozen=True, slots=True)
class Ratings(Ranking):
    """Standings of one game, and what the game is like."""

    seats: tuple[SeatWorth, ...]
    draw: float
    """Davidson's tie parameter.

    Between equals, a tie is this many times as likely as one given win.
    """
    deal_share: float | None
    """The share of the variance of results that belongs to a seat's cards.

    The rest belongs to the bots.
    """
    sums: Sums = field(compare=False, repr=False)
    """What it was made of, unrounded."""
    meetings: tuple[Meeting, ...] = ()
    """Every two bots that met, the one placed higher first."""
    circles: Circles | None = None
    """None where a fit cannot fail."""

    def level(self, a: str, b: str) -> float:
        """One less the one-sided level at which `a` is above `b`."""
        names = self.sums.tally.names
        return float(self.sums.level[names.index(a), names.index(b)])
