"""Standings: a fold over the night's results in schedule order. The order in which they arrived plays no part."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from pips_tourney.decisions import Decisions, Note
from pips_tourney.night import Night
from pips_tourney.programme import Contest, Fixture
from pips_tourney.ratings import Difference, Rating, Ratings, Result, rate
from pips_tourney.result import quantile_us
from pips_tourney.secret import canonical
from pips_tourney.store import Row
from pips_tourney.withdrawal import Withdrawals

OVERALL = "overall"


@dataclass(slots=True)
class Conduct:
    """What a bot did besides winning and losing: faults by kind, and how long its answers took (result.py)."""

    faults: Counter[str] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)
    first_faults: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By kind: the first match of the schedule in which it happened, and what happened."""

    out_of_turn_us: int = 0
    """CPU time that it used while it was not its turn."""

    def add(self, other: Conduct) -> None:
        self.out_of_turn_us += other.out_of_turn_us
        self.faults += other.faults
        self.first_faults = other.first_faults | self.first_faults
        self.times += other.times

    def quantile_ms(self, share: float) -> float | None:
        """The time that this share of the answers stayed below, in milliseconds."""
        time_us = quantile_us(self.times, share)
        return None if time_us is None else time_us / 1000


@dataclass(frozen=True, slots=True)
class Table:
    """The standings of one contest, or of all together (`contest` None)."""

    label: str
    contest: Contest | None
    scheduled: int
    played: int
    counted: int
    """A deal counts when it was played in all its rotations."""
    ratings: Ratings | None
    """None before anything counts."""
    conduct: Mapping[str, Conduct]
    rated: frozenset[str]
    completed: Ratings | None = None
    """Over the matches without a fault, where there was one and it counts as a loss."""
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    """Why, by bot."""
    ids: Sequence[str] = field(default=(), repr=False)
    """Of the matches that count."""

    @property
    def rows(self) -> list[Rating]:
        """The rated bots, best first."""
        return [row for row in self.ratings.rows if row.bot in self.rated] if self.ratings is not None else []

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


@dataclass(frozen=True, slots=True)
class Standings:
    """A table a contest, and one over all when there are several."""

    league: str
    tables: tuple[Table, ...]
    overall: Table | None
    decisions: tuple[Note, ...] = ()
    """Of the tournament director, and the bots that could not be played."""

    @property
    def complete(self) -> bool:
        return all(table.played == table.scheduled for table in self.tables)

    @property
    def all_tables(self) -> tuple[Table, ...]:
        return self.tables if self.overall is None else (*self.tables, self.overall)


@dataclass(slots=True)
class _Fold:
    """One contest as it is read."""

    scheduled: int = 0
    played: int = 0
    results: list[Result] = field(default_factory=list)
    forfeited: set[str] = field(default_factory=set)
    """Ids of matches with a fault."""
    ids: list[str] = field(default_factory=list)
    """Of the results."""
    due: Counter[str] = field(default_factory=Counter)
    """By bot, how many matches the schedule had for it, and how many of them were played."""
    done: Counter[str] = field(default_factory=Counter)
    conduct: dict[str, Conduct] = field(default_factory=dict)

    def add_block(self, block: list[tuple[Fixture, Row | None]], out_of_turn: Mapping[str, Mapping[str, int]]) -> None:
        """One deal of one combination in all its rotations; `out_of_turn` is CPU time by match and bot."""
        rows = [row for _, row in block if row is not None]
        self.scheduled += len(block)
        self.played += len(rows)
        if len(rows) < len(block):
            return
        fixture = block[0][0]
        for row in rows:
            bots = tuple(json.loads(row.seats))
            self.results.append(Result(fixture.block, bots, tuple(json.loads(row.places))))
            self.ids.append(row.id)
            self.done.update(bots)
            if row.faults != "[]":
                self.forfeited.add(row.id)
            for seat, kind, sentence in json.loads(row.faults):
                conduct = self._conduct(bots[seat])
                conduct.faults[kind] += 1
                conduct.first_faults.setdefault(kind, (row.id, sentence))
            for bot, times in zip(bots, json.loads(row.times), strict=True):
                self._conduct(bot).times.update(dict(times))
            for bot, burnt_us in out_of_turn.get(row.id, {}).items():
                self._conduct(bot).out_of_turn_us += burnt_us

    def leave_out(self, bots: set[str]) -> None:
        """Their matches count for nobody."""
        kept = [
            (result, match) for result, match in zip(self.results, self.ids, strict=True) if not bots & {*result.bots}
        ]
        self.results, self.ids = [result for result, _ in kept], [match for _, match in kept]

    def completed(self) -> list[Result]:
        """The results of matches without a fault."""
        return [result for result, match in zip(self.results, self.ids, strict=True) if match not in self.forfeited]

    def _conduct(self, bot: str) -> Conduct:
        return self.conduct.setdefault(bot, Conduct())


def standings(night: Night) -> Standings:
    """The standings of all that was played so far."""
    programme = night.programme
    folds = {contest.label: _Fold() for contest in programme.contests}
    decisions, out_of_turn = night.decisions(), night.out_of_turn_us()
    withdrawals = Withdrawals(programme.max_faults, decisions)
    for block in _blocks(night):
        fixture, fold = block[0][0], folds[block[0][0].contest.label]
        if fixture.block in decisions.annulled:
            continue
        never = {bot for bot in fixture.combination if decisions.never(bot, fixture.contest.label)}
        for bot in fixture.combination:
            if not never - {bot}:
                fold.due[bot] += len(block)
        if withdrawals.drops(fixture):
            continue
        for other, row in block:
            if row is not None:
                withdrawals.add(other, row)
        fold.add_block(block, out_of_turn)
    out = _out(withdrawals, decisions)
    tables = tuple(_table(night, contest.label, contest, folds[contest.label], out) for contest in programme.contests)
    overall = _table(night, OVERALL, None, _together(folds.values()), out) if len(tables) > 1 else None
    return Standings(programme.league, tables, overall, tuple(decisions.notes()))


def _out(withdrawals: Withdrawals, decisions: Decisions) -> dict[str, str]:
    """Why bots are out, by bot."""
    return {bot: str(why) for bot, why in withdrawals.out.items()} | {
        bot: absence.why.rstrip(".") for bot, absence in decisions.out.items()
    }


def _blocks(night: Night) -> Iterator[list[tuple[Fixture, Row | None]]]:
    """The schedule keeps the rotations of a deal together."""

    def block(pair: tuple[Fixture, Row | None]) -> object:
        fixture = pair[0]
        return fixture.contest.label, fixture.combination, fixture.deal

    for _, pairs in groupby(night.results(), block):
        yield list(pairs)


def _together(folds: Any) -> _Fold:
    whole = _Fold()
    for fold in folds:
        whole.scheduled += fold.scheduled
        whole.played += fold.played
        whole.results += fold.results
        whole.ids += fold.ids
        whole.forfeited |= fold.forfeited
        whole.due += fold.due
        whole.done += fold.done
        for bot, conduct in fold.conduct.items():
            whole.conduct.setdefault(bot, Conduct()).add(conduct)
    return whole


def _table(night: Night, label: str, contest: Contest | None, fold: _Fold, out: Mapping[str, str]) -> Table:
    out = {bot: why for bot, why in out.items() if fold.done[bot] < fold.due[bot]}
    fold.leave_out({bot for bot in out if 2 * fold.done[bot] < fold.due[bot]})
    clean = fold.completed()
    forfeits = len(clean) < len(fold.results)
    as_losses = night.programme.forfeits == "loss"
    rated = frozenset(entrant.name for entrant in night.programme.entrants if entrant.rated)
    return Table(
        label,
        contest,
        fold.scheduled,
        fold.played,
        len(fold.results),
        _rate(night, fold.results if as_losses else clean),
        fold.conduct,
        rated,
        _rate(night, clean) if forfeits and as_losses else None,
        {bot: _why_out(bot, why, fold) for bot, why in out.items()},
        fold.ids,
    )


def _rate(night: Night, results: list[Result]) -> Ratings | None:
    anchor = night.programme.anchor
    played = {bot for result in results for bot in result.bots}
    fixed = (anchor.name, anchor.elo) if anchor is not None and anchor.name in played else None
    return rate(results, anchor=fixed) if results else None


def _why_out(bot: str, why: str, fold: _Fold) -> str:
    done, due = fold.done[bot], fold.due[bot]
    if not done:
        return why
    half = "; as that is under half, it is not rated and they count for nobody" if 2 * done < due else ""
    return f"{why}. It has played {done} of its {due} matches here{half}"


def as_json(of: Standings, *, timings: bool = False) -> dict[str, Any]:
    """Standings as JSON values; without timings the same results give the same values."""
    return {
        "league": of.league,
        "complete": of.complete,
        "decisions": [note._asdict() for note in of.decisions],
        "tables": [_table_json(table, timings=timings) for table in of.all_tables],
    }


def standings_sha256(of: Standings) -> str:
    """What an ended night's log says of its standings."""
    from hashlib import sha256

    return sha256(canonical(as_json(of))).hexdigest()


def _table_json(table: Table, *, timings: bool) -> dict[str, Any]:
    contest, ratings = table.contest, table.ratings
    about = {"label": table.label, "scheduled": table.scheduled, "played": table.played, "counted": table.counted}
    if contest is not None:
        about |= {"game": contest.game, "seats": contest.seats, "options": dict(contest.options)}
    if table.withdrawn:
        about |= {"withdrawn": dict(sorted(table.withdrawn.items()))}
    if ratings is not None:
        about |= {
            "deals": ratings.deals,
            "draw": ratings.draw,
            "deal_share": ratings.deal_share,
            "duplicate_factor": ratings.duplicate_factor,
            "seat_advantage": [_plain(seat) for seat in ratings.seats],
            "differences": [
                _plain(difference) for difference in ratings.differences if {difference.a, difference.b} <= table.rated
            ],
        }
    return about | {"rows": [_row_json(table, place, timings=timings) for place in range(len(table.rows))]}


def _row_json(table: Table, place: int, *, timings: bool) -> dict[str, Any]:
    row = table.rows[place]
    conduct = table.conduct.get(row.bot, Conduct())
    following = table.better_than_next(place)
    shown = {
        "rank": place + 1,
        **_plain(row),
        "points_percent": round(100 * row.points / row.matches, 2) if row.matches else None,
        "better_than_next": None if following is None else following.better,
        "faults": dict(sorted(conduct.faults.items())),
    }
    if table.completed is not None:
        shown |= {"elo_completed": table.elo_completed(row.bot)}
    if timings:
        shown |= {"median_ms": _rounded(conduct.quantile_ms(0.5)), "p99_ms": _rounded(conduct.quantile_ms(0.99))}
        shown |= {"out_of_turn_ms": _rounded(conduct.out_of_turn_us / 1000)}
    return shown


def _plain(value: Any) -> dict[str, Any]:
    """A flat dataclass as JSON values."""
    return {name: list(part) if isinstance(part := getattr(value, name), tuple) else part for name in value.__slots__}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
