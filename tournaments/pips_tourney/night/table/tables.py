"""The tables of a night or a season, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pips_referee.game import get_game
from pips_tourney.league.form import OrderedBy
from pips_tourney.night.plan.decisions import Note
from pips_tourney.night.plan.programme import Contest
from pips_tourney.night.plan.results import Conduct
from pips_tourney.night.plan.stages import PlayedRound
from pips_tourney.ratings.stopping import Verdict
from pips_tourney.ratings.table import Difference, Margins, Ranking, Rating, level

if TYPE_CHECKING:
    from pips_tourney.night.log.asked_models import AskedModel

OVERALL = "overall"


class MarginPoints(NamedTuple):
    """A bot's margin in the game's points, with a 95 % interval."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ContestTable:
    """The standings of one contest, or of all together (`contest` None)."""

    label: str
    contest: Contest | None
    scheduled: int
    played: int
    counted: int
    """How many deals count: those played in all their rotations."""
    ratings: Ranking | None
    """`Ratings`, or `Overall` for all contests; None while nothing counts."""
    conduct: Mapping[str, Conduct]
    rated: frozenset[str]
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    """Reasons for withdrawals, by bot."""
    ids: Sequence[str] = field(default=(), repr=False)
    """Ids of the matches that count."""
    finished: bool = True
    """Whether all its matches are known; they need not have been played."""
    rounds: tuple[PlayedRound, ...] = ()
    """The rounds of a Swiss tournament or a knockout."""
    verdict: Verdict | None = None
    """The last look at a night that stops when its table is settled."""
    beyond: int = 0
    """Matches played after the table was settled: stored, but not counted."""
    by_rating: bool = False
    """Whether rows are ordered by rating even in a knockout."""
    margins: Margins | None = None
    rate: OrderedBy = "results"
    """The league's order of tables."""
    unfenced: frozenset[str] = frozenset()
    """Bots that have played on trust, without a fence."""
    copies: tuple[tuple[str, ...], ...] = ()
    """Groups of bots with the same files; each group is in truth one bot."""
    complete: int = 0
    """Matches of complete deals.

    Those that involve a withdrawn bot may count for nobody.
    """

    def margin(self, bot: str) -> MarginPoints | None:
        """A bot's mean lead over its opponents per match, in the game's points."""
        found = None if self.margins is None else self.margins.of(bot)
        if found is None or self.contest is None:
            return None
        points = get_game(self.contest.game).margin.points
        low, high = (None if end is None else round(points * end, 2) + 0.0 for end in (found.low, found.high))
        return MarginPoints(round(points * found.margin, 2) + 0.0, low, high)

    @property
    def waiting(self) -> int:
        """Matches that will count once their deals are complete."""
        return max(0, self.played - self.complete)

    @property
    def for_nobody(self) -> int:
        """Matches of complete deals that count for nobody.

        That is because one of their bots was withdrawn too early.
        """
        return self.complete - self.counted

    @property
    def rated_rows(self) -> list[Rating]:
        """The rated bots, best rating first."""
        return [row for row in self.ratings.rows if row.bot in self.rated] if self.ratings is not None else []

    @property
    def rows(self) -> list[Rating]:
        """The rated bots in the order of the table, best first.

        A knockout has the order of its bracket.
        """
        places, rows = self.bracket_places, self.rated_rows
        if self.ordered_by == "points" and self.margins is not None:
            order = {margin.bot: at for at, margin in enumerate(self.margins.rows)}
            rows.sort(key=lambda row: order[row.bot])
        return sorted(rows, key=lambda row: places.get(row.bot, len(places) + 1)) if places else rows

    @property
    def ordered_by(self) -> OrderedBy:
        """What decides the order: Elo, or margins if the league says so.

        A table without margins, or over all games, is ordered by Elo.
        """
        return "results" if self.margins is None else self.rate

    @property
    def bracket_places(self) -> dict[str, int]:
        """By bot of a knockout, the place that it has reached so far.

        Bots that are still in come first. Bots that lost in the same round share a
        place. Empty for other tables, and before the first round was played.
        """
        places: dict[str, int] = {}
        for played in () if self.by_rating else self.rounds:
            if not played.round.advance or played.points is None:
                break
            here = {bot for table in played.round.tables for bot in table} | {*played.round.byes}
            through = set(played.through)
            places |= dict.fromkeys(sorted(through), 1)
            places |= dict.fromkeys(sorted(here - through), len(through) + 1)
        return places

    @property
    def winner(self) -> str | None:
        """The winner of a knockout that is over."""
        last = self.rounds[-1] if self.rounds else None
        won = last is not None and bool(last.round.advance) and last.points is not None and len(last.through) == 1
        return last.through[0] if last is not None and won and self.finished else None

    def place(self, at: int) -> int:
        """The place of the bot in that row (from 0).

        In a bracket, bots that lost in the same round share a place; elsewhere, bots
        with the same files, and those that only their names put in order, do.
        """
        places, rows = self.bracket_places, self.rows
        if places:
            return places.get(rows[at].bot, len(places) + 1)
        margins = {each.bot: each.margin for each in self.margins.rows} if self.margins is not None else {}
        by_margin = self.ordered_by == "points"
        keys = [(margins[row.bot],) if by_margin else (*level(row), row.direct, row.points) for row in rows]
        best = self.same_as(rows[at].bot)
        return keys.index(keys[at if best is None else [row.bot for row in rows].index(best)]) + 1

    def same_as(self, bot: str) -> str | None:
        """The best of the bots with the same files, if that is another bot."""
        group = next((group for group in self.copies if bot in group), ())
        first = next((row.bot for row in self.rows if row.bot in group), bot)
        return None if first == bot else first

    def better_than_next(self, place: int) -> Difference | None:
        """The bot at that place (from 0) against the next one; None for the last."""
        rows = self.rows
        if self.ratings is None or place + 1 >= len(rows):
            return None
        return self.ratings.difference(rows[place].bot, rows[place + 1].bot)

    def better_chance(self, place: int) -> float | None:
        """The probability that the bot at `place` (from 0) is better than the next one.

        It is about Elo or the margin, whichever orders the table. None for the last
        bot, or for too few deals.
        """
        following, rows = self.better_than_next(place), self.rows
        if following is None or self.ordered_by == "results" or self.margins is None:
            return None if following is None else following.better
        ends = (self.margins.of(rows[at].bot) for at in (place, place + 1))
        if any(end is None or end.low is None for end in ends):
            return None
        return self.margins.better[following.a][following.b]


class SeasonNight(NamedTuple):
    """A night's contribution to a season."""

    number: int
    file: str
    counted: int
    """Matches that count."""
    left_out: tuple[str, ...]
    """Contests that are no longer played, or not in the same form."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The tables of a night or a season, one per contest.

    With several contests, there is also one over all.
    """

    league: str
    tables: tuple[ContestTable, ...]
    overall: ContestTable | None
    decisions: tuple[Note, ...] = ()
    """The director's decisions, and the bots that could not be played."""
    nights: tuple[SeasonNight, ...] = ()
    """The nights of a season, oldest first."""
    models: tuple[AskedModel, ...] = ()
    """The models that bots asked. Their usage is measured, not folded."""

    @property
    def complete(self) -> bool:
        return all(table.finished and table.played == table.scheduled for table in self.tables)

    @property
    def all_tables(self) -> tuple[ContestTable, ...]:
        return self.tables if self.overall is None else (*self.tables, self.overall)
