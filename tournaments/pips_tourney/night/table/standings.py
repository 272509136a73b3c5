"""Standings: a fold over the night's results in schedule order.

The order in which results arrived plays no part.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pips_referee.game import get_game
from pips_tourney.league.form import USUAL_FAULT_MARGIN, FaultMargin, OrderedBy
from pips_tourney.night.night import Night, ScheduleStep
from pips_tourney.night.plan.decisions import Note
from pips_tourney.night.plan.live_schedule import LiveSchedule, PlayedRound, Stage
from pips_tourney.night.plan.programme import Contest, Programme
from pips_tourney.night.plan.results import Conduct, ContestResults, margins_of, rate_results
from pips_tourney.ratings.overall import Overall, overall
from pips_tourney.ratings.table import Difference, Margins, Ranking, Rating, Ratings

if TYPE_CHECKING:
    from pips_tourney.night.log.asked_models import AskedModel
    from pips_tourney.ratings.stopping import Verdict

OVERALL = "overall"


class MarginPoints(NamedTuple):
    """A bot's margin in the points of the game, with a 95 % interval."""

    mean: float
    low: float | None
    high: float | None


def _rounded(mean: float | None, low: float | None, high: float | None) -> MarginPoints:
    assert mean is not None
    ends = (None if end is None else round(end, 2) + 0.0 for end in (low, high))
    return MarginPoints(round(mean, 2) + 0.0, *ends)


@dataclass(frozen=True, slots=True)
class ContestTable:
    """The standings of one contest, or of all together (`contest` None)."""

    label: str
    contest: Contest | None
    scheduled: int
    played: int
    counted: int
    """A deal counts when it was played in all its rotations."""
    ratings: Ranking | None
    """`Ratings`, or `Overall` for all contests; None before anything counts."""
    conduct: Mapping[str, Conduct]
    rated: frozenset[str]
    completed: Ranking | None = None
    """Ratings over the matches without a fault.

    None if there was no fault, or if faults do not count as losses.
    """
    forfeited: bool = False
    """Whether there was a fault that counts as a loss."""
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    """Reasons, by bot."""
    ids: Sequence[str] = field(default=(), repr=False)
    """Ids of the matches that count."""
    finished: bool = True
    """All its matches are known; they need not have been played."""
    rounds: tuple[PlayedRound, ...] = ()
    """The rounds of a Swiss tournament or a knockout."""
    verdict: Verdict | None = None
    """The last look at a night that stops when its table is settled."""
    beyond: int = 0
    """Matches played after the table was settled: kept, and not counted."""
    by_rating: bool = False
    """Whether rows are ordered by rating even in a knockout."""
    margins: Margins | None = None
    rate: OrderedBy = "results"
    """What the league's tables are ordered by."""
    fault_margin: FaultMargin = USUAL_FAULT_MARGIN
    """How margins take a match with a fault."""
    unfenced: frozenset[str] = frozenset()
    """Bots that have played on trust, without a fence."""
    copies: tuple[tuple[str, ...], ...] = ()
    """Bots with the same files: each group is one bot in truth."""
    complete: int = 0
    """Matches of complete deals.

    Those with a withdrawn bot among them may count for nobody.
    """

    def margin(self, bot: str) -> MarginPoints | None:
        """A bot's mean lead a match over its opponents, in the game's points."""
        found = None if self.margins is None else self.margins.of(bot)
        if found is None or self.contest is None:
            return None
        points = get_game(self.contest.game).margin.points
        return _rounded(*(None if end is None else points * end for end in (found.margin, found.low, found.high)))

    @property
    def margin_meetings(self) -> dict[tuple[str, str], MarginPoints]:
        """By pair of rated bots that met, by how much the first leads the second.

        In the game's points, a match; each pair is there in both orders.
        """
        found: dict[tuple[str, str], MarginPoints] = {}
        if self.margins is None or self.contest is None:
            return found
        points = get_game(self.contest.game).margin.points
        for met in self.margins.meetings:
            if {met.a, met.b} <= self.rated:
                low, lead, high = (None if end is None else points * end for end in (met.low, met.lead, met.high))
                found[met.a, met.b] = _rounded(lead, low, high)
                found[met.b, met.a] = _rounded(*(None if end is None else -end for end in (lead, high, low)))
        return found

    @property
    def waiting(self) -> int:
        """Matches that will count when their deals are complete."""
        return max(0, self.played - self.complete)

    @property
    def for_nobody(self) -> int:
        """Matches of complete deals that count for nobody.

        One of their bots was withdrawn too early.
        """
        return self.complete - self.counted

    @property
    def rated_rows(self) -> list[Rating]:
        """The rated bots, best rating first."""
        return [row for row in self.ratings.rows if row.bot in self.rated] if self.ratings is not None else []

    @property
    def rows(self) -> list[Rating]:
        """The rated bots in the order of the table: best first.

        A knockout has the order of its bracket.
        """
        places, rows = self.bracket_places, self.rated_rows
        if self.ordered_by == "points" and self.margins is not None:
            order = {margin.bot: at for at, margin in enumerate(self.margins.rows)}
            rows.sort(key=lambda row: order[row.bot])
        return sorted(rows, key=lambda row: places.get(row.bot, len(places) + 1)) if places else rows

    @property
    def ordered_by(self) -> OrderedBy:
        """What decides the order: Elos, or margins where the league says so.

        A table without margins, and that over all games, has the order of Elos.
        """
        return "results" if self.margins is None else self.rate

    @property
    def bracket_places(self) -> dict[str, int]:
        """By bot of a knockout, the place that it has reached.

        Bots that are still in are first. Bots that went out in one round share a place.
        Empty for other tables, and before the first round was played.
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

        In a bracket, bots that went out in one round share a place; elsewhere, bots
        with the same files.
        """
        places, rows = self.bracket_places, [row.bot for row in self.rows]
        if places:
            return places.get(rows[at], len(places) + 1)
        return rows.index(self.same_as(rows[at]) or rows[at]) + 1

    def same_as(self, bot: str) -> str | None:
        """The best of the bots with the same files, where that is another one."""
        group = next((group for group in self.copies if bot in group), ())
        first = next((row.bot for row in self.rows if row.bot in group), bot)
        return None if first == bot else first

    def elo_completed(self, bot: str) -> float | None:
        """A bot's rating over the matches without a fault."""
        rows = self.completed.rows if self.completed is not None else ()
        return next((row.elo for row in rows if row.bot == bot), None)

    def better_than_next(self, place: int) -> Difference | None:
        """The bot at that place (from 0) less the next one; None for the last."""
        rows = self.rows
        if self.ratings is None or place + 1 >= len(rows):
            return None
        return self.ratings.difference(rows[place].bot, rows[place + 1].bot)

    def better_chance(self, place: int) -> float | None:
        """How likely the bot at that place (from 0) is better than the next one.

        By what the table is ordered by. None for the last, and for too few deals.
        """
        following, rows = self.better_than_next(place), self.rows
        if following is None or self.ordered_by == "results" or self.margins is None:
            return None if following is None else following.better
        ends = (self.margins.of(rows[at].bot) for at in (place, place + 1))
        if any(end is None or end.low is None for end in ends):
            return None
        return self.margins.better[following.a][following.b]


class SeasonNight(NamedTuple):
    """What a night adds to a season."""

    number: int
    file: str
    counted: int
    """Matches that count."""
    left_out: tuple[str, ...]
    """Contests that are no longer played, or not in this form."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The tables of a night or a season: one a contest.

    With several contests there is one over all too.
    """

    league: str
    tables: tuple[ContestTable, ...]
    overall: ContestTable | None
    decisions: tuple[Note, ...] = ()
    """Decisions of the director, and the bots that could not be played."""
    nights: tuple[SeasonNight, ...] = ()
    """The nights of a season, oldest first."""
    models: tuple[AskedModel, ...] = ()
    """The models that bots asked. What they took is measured, not folded."""

    @property
    def complete(self) -> bool:
        return all(table.finished and table.played == table.scheduled for table in self.tables)

    @property
    def all_tables(self) -> tuple[ContestTable, ...]:
        return self.tables if self.overall is None else (*self.tables, self.overall)


def standings(night: Night, each: Callable[[ScheduleStep], object] = lambda _: None) -> Standings:
    """The standings of all that was played so far; `each` step is shown on the way."""
    from pips_tourney.night.log.asked_models import asked_models  # pages that follow a night do without

    return replace(standings_of(night, fold_night(night, each)), models=asked_models(night.store))


def standings_of(night: Night, course: LiveSchedule) -> Standings:
    """The standings of what was folded, without the models that bots asked."""
    beyond = Counter(fixture.contest.label for fixture in night.beyond(course))
    parts = [part for part in course.parts if not part.final or part.rounds or not part.finished]
    tables = tuple(_table(course, part, beyond[part.contest.label]) for part in parts)
    main = [table for table, part in zip(tables, parts, strict=True) if not part.final]
    notes = tuple(course.withdrawals.decisions.notes())
    overall = overall_table(main)
    if overall is not None:
        games = {table.contest.game for table in main if table.contest is not None}
        overall = replace(overall, copies=course.programme.copies(*sorted(games)))
    return Standings(course.programme.league, tables, overall, notes)


def fold_night(night: Night, each: Callable[[ScheduleStep], object] = lambda _: None) -> LiveSchedule:
    """A night's course after all that was played so far; `each` step is shown."""
    course = night.course(folding=True)
    for step in night.walk(course):
        each(step)
    out_of_turn = night.out_of_turn_us()
    for part in course.parts:
        part.fold.charge(out_of_turn)
    return course


def _table(course: LiveSchedule, part: Stage, beyond: int) -> ContestTable:
    withdrawn, fold = withdrawn_of(course, part), part.fold
    return replace(
        rated_table(course.programme, part.label, fold, withdrawn, fold.left_out(withdrawn)),
        contest=part.contest,
        finished=part.finished,
        rounds=tuple(part.rounds),
        verdict=part.verdicts[-1] if part.verdicts else None,
        beyond=0 if part.final else beyond,
        unfenced=frozenset(course.withdrawals.decisions.unfenced),
        copies=course.programme.copies(part.contest.game),
    )


def withdrawn_of(course: LiveSchedule, part: Stage) -> dict[str, str]:
    """Why bots have not played all that they should have, by bot."""
    fold, out = part.fold, course.out(part.contest.label)
    return {bot: _why_out(bot, why, fold) for bot, why in out.items() if fold.done[bot] < fold.due[bot]}


def rated_table(
    programme: Programme, label: str, fold: ContestResults, withdrawn: Mapping[str, str], without: set[str]
) -> ContestTable:
    """What was folded, rated; results of the bots in `without` count for nobody."""
    counted = fold.of_all_but(without)
    results = [result for _, result, _ in counted]
    clean = [result for _, result, faulty in counted if not faulty]
    forfeits = len(clean) < len(results)
    as_losses = programme.forfeits == "loss"
    return ContestTable(
        label,
        None,
        fold.scheduled,
        fold.played,
        len(results),
        rate_results(programme, label, results if as_losses else clean),
        fold.conduct,
        frozenset(entrant.name for entrant in programme.entrants if entrant.rated),
        rate_results(programme, label, clean) if forfeits and as_losses else None,
        forfeits and as_losses,
        withdrawn,
        [match for match, *_ in counted],
        complete=len(fold.results),
        rate=programme.rate,
        fault_margin=programme.fault_margin,
        margins=margins_of(programme, label, results if as_losses else clean),
    )


def overall_table(tables: Sequence[ContestTable]) -> ContestTable | None:
    """All contests together, each with the same weight; None where there is only one.

    Contests in which nothing counts yet have no part in it.
    """
    if len(tables) < 2:
        return None
    conduct: defaultdict[str, Conduct] = defaultdict(Conduct)
    for table in tables:
        for bot, here in table.conduct.items():
            conduct[bot].add(here)
    rated = [table for table in tables if table.ratings is not None]
    forfeited = any(table.forfeited for table in rated)
    return ContestTable(
        OVERALL,
        None,
        sum(table.scheduled for table in tables),
        sum(table.played for table in tables),
        sum(table.counted for table in tables),
        _over_games({table.label: table.ratings for table in rated}, tables[0].rated),
        conduct,
        tables[0].rated,
        _over_games(
            {table.label: table.completed if table.forfeited else table.ratings for table in rated}, tables[0].rated
        )
        if forfeited
        else None,
        forfeited,
        unfenced=frozenset().union(*(table.unfenced for table in tables)),
        complete=sum(table.complete for table in tables),
    )


def _over_games(games: Mapping[str, Ranking | None], rated: Collection[str]) -> Overall | None:
    known = {label: ratings for label, ratings in games.items() if isinstance(ratings, Ratings)}
    if not known or len(known) < len(games):
        return None
    house = {row.bot for ratings in known.values() for row in ratings.rows if row.bot not in rated}
    return overall(known, unrated=house)


def _why_out(bot: str, why: str, fold: ContestResults) -> str:
    done, due = fold.done[bot], fold.due[bot]
    if not done:
        return why
    half = "; as that is under half, it is not rated and they count for nobody" if 2 * done < due else ""
    return f"{why}. It has played {done} of its {due} matches here{half}"
