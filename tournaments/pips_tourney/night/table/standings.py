"""Standings: a fold over the night's results in schedule order.

The order in which results arrived does not matter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from pips_tourney.night.night import Night, ScheduleStep
from pips_tourney.night.plan.gate_table import margins_of, rate_results
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.plan.programme import Programme
from pips_tourney.night.plan.results import Conduct, ContestResults
from pips_tourney.night.plan.stages import Stage
from pips_tourney.night.table.tables import OVERALL, ContestTable, Standings
from pips_tourney.ratings.overall import Overall, overall
from pips_tourney.ratings.table import Ranking, Ratings


def standings(night: Night, each: Callable[[ScheduleStep], object] = lambda _: None) -> Standings:
    """The standings of everything played so far; `each` is called with every step."""
    from pips_tourney.night.log.asked_models import asked_models  # pages that follow a night do not need it

    return replace(standings_of(night, fold_night(night, each)), models=asked_models(night.store))


def standings_of(night: Night, course: LiveSchedule) -> Standings:
    """The standings of a folded schedule, without the models that bots asked."""
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
    """A night's schedule after everything played so far; `each` gets every step."""
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
    """By bot, why it has not played everything that it should have."""
    fold, out = part.fold, course.out(part.contest.label)
    return {bot: _why_out(bot, why, fold) for bot, why in out.items() if fold.done[bot] < fold.due[bot]}


def rated_table(
    programme: Programme, label: str, fold: ContestResults, withdrawn: Mapping[str, str], without: set[str]
) -> ContestTable:
    """The rated table of a fold; results of the bots in `without` count for nobody."""
    counted = fold.of_all_but(without)
    results = [result for _, result in counted]
    return ContestTable(
        label,
        None,
        fold.scheduled,
        fold.played,
        len(results),
        rate_results(programme, label, results),
        fold.conduct,
        frozenset(entrant.name for entrant in programme.entrants if entrant.rated),
        withdrawn,
        [match for match, _ in counted],
        complete=len(fold.results),
        rate=programme.rate,
        margins=margins_of(programme, label, results),
    )


def overall_table(tables: Sequence[ContestTable]) -> ContestTable | None:
    """All contests together, each with the same weight; None if there is only one.

    Contests in which nothing counts yet are left out.
    """
    if len(tables) < 2:
        return None
    conduct: defaultdict[str, Conduct] = defaultdict(Conduct)
    for table in tables:
        for bot, here in table.conduct.items():
            conduct[bot].add(here)
    rated = [table for table in tables if table.ratings is not None]
    return ContestTable(
        OVERALL,
        None,
        sum(table.scheduled for table in tables),
        sum(table.played for table in tables),
        sum(table.counted for table in tables),
        _over_games({table.label: table.ratings for table in rated}, tables[0].rated),
        conduct,
        tables[0].rated,
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
