"""Results, folded block by block in schedule order.

Ratings, rounds and conduct are computed from them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from pips_referee.game import get_game
from pips_tourney.night.log.rows import quantile_us
from pips_tourney.night.log.store import Row
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.result import Result


@dataclass(slots=True)
class Conduct:
    """A bot's behaviour apart from winning and losing.

    That is its faults by kind, and how long its answers took (log/rows.py).
    """

    faults: Counter[str] = field(default_factory=Counter)
    first_faults: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By kind: the first match of the schedule with such a fault, and the detail."""
    out_of_turn_us: int = 0
    """CPU time that the bot used out of turn, in microseconds."""
    times: Counter[int] = field(default_factory=Counter)
    """The number of answers in each bucket of times."""

    def add(self, other: Conduct) -> None:
        self.out_of_turn_us += other.out_of_turn_us
        self.faults += other.faults
        self.first_faults = other.first_faults | self.first_faults
        self.times.update(other.times)

    def of_night(self, night: int) -> Conduct:
        """This conduct, with the night's number added to the names of matches."""
        first = {kind: (f"{match} of night {night}", what) for kind, (match, what) in self.first_faults.items()}
        return replace(self, first_faults=first, times=self.times)

    def quantile_ms(self, share: float) -> float | None:
        """The time within which this share of the answers came, in milliseconds."""
        time_us = quantile_us(self.times, share)
        return None if time_us is None else time_us / 1000


class CountedResult(NamedTuple):
    """A result of a complete deal."""

    match: str
    result: Result


@dataclass(slots=True)
class ContestResults:
    """The results of one contest, or of its final."""

    scheduled: int = 0
    played: int = 0
    results: list[CountedResult] = field(default_factory=list)
    """The results of complete deals."""
    due: Counter[str] = field(default_factory=Counter)
    """By bot, how many matches the schedule had for it.

    `done` counts how many of these were played.
    """
    done: Counter[str] = field(default_factory=Counter)
    conduct: dict[str, Conduct] = field(default_factory=dict)

    def expect(self, fixture: Fixture, never: set[str]) -> None:
        """Count a match of the schedule, even if a withdrawn bot may not play it.

        No bot misses a match against bots that never took part.
        """
        for bot in fixture.combination:
            if not never or never == {bot}:
                self.due[bot] += 1

    def add_block(self, block: Sequence[tuple[Fixture, Row | None]]) -> None:
        """Add one deal of one combination in all its rotations.

        It counts if all of them were played.
        """
        rows = [row for _, row in block if row is not None]
        self.scheduled += len(block)
        self.played += len(rows)
        if len(rows) == len(block):
            self.count_deal(rows)

    def count_deal(self, rows: Sequence[Row]) -> None:
        """Count the results of a deal that was played in all its rotations."""
        for row in rows:
            bots = row.bots
            scores = scaled(row.game, row.scores, row.faults)
            result = Result(rows[0].id, bots, row.seat_places, scores)
            self.results.append(CountedResult(row.id, result))
            self._add_faults(bots, row)
            for bot, answers in zip(bots, row.answer_times, strict=True):
                self.done[bot] += 1
                if answers:
                    self._conduct(bot).times.update(dict(answers))

    def _add_faults(self, bots: Sequence[str], row: Row) -> None:
        for seat, kind, sentence in row.seat_faults:
            conduct = self._conduct(bots[seat])
            conduct.faults[kind] += 1
            conduct.first_faults.setdefault(kind, (row.id, sentence))

    def _conduct(self, bot: str) -> Conduct:
        found = self.conduct.get(bot)
        if found is None:
            found = self.conduct[bot] = Conduct()
        return found

    def charge(self, out_of_turn: Mapping[str, Mapping[str, int]]) -> None:
        """Add CPU time used out of turn, in microseconds by match and bot."""
        for match, _ in self.results if out_of_turn else ():
            for bot, burnt_us in out_of_turn.get(match, {}).items():
                self._conduct(bot).out_of_turn_us += burnt_us

    def in_season(self, night: int, names: Mapping[str, str], without: set[str]) -> ContestResults:
        """These results as part of a season.

        `names` are the bots' names in the season. Results that involve the bots in
        `without` are left out. Names of deals and matches get the night's number,
        because they may occur in other nights too.
        """
        kept = [
            CountedResult(f"{night}/{match}", _in_season(result, night, names))
            for match, result in self.results
            if without.isdisjoint(result.bots)
        ]
        return ContestResults(
            self.scheduled,
            self.played,
            kept,
            Counter({names[bot]: matches for bot, matches in self.due.items()}),
            Counter({names[bot]: matches for bot, matches in self.done.items()}),
            {names[bot]: conduct.of_night(night) for bot, conduct in self.conduct.items()},
        )

    def join(self, other: ContestResults) -> None:
        """Add the results of another night or another contest."""
        self.scheduled += other.scheduled
        self.played += other.played
        self.results += other.results
        self.due += other.due
        self.done += other.done
        for bot, conduct in other.conduct.items():
            self._conduct(bot).add(conduct)

    def left_out(self, out: Iterable[str]) -> set[str]:
        """Bots that were withdrawn before half of their matches.

        Their matches count for nobody.
        """
        return {bot for bot in out if 2 * self.done[bot] < self.due[bot]}

    def of_all_but(self, out: set[str]) -> list[CountedResult]:
        """The results without these bots."""
        return [counted for counted in self.results if out.isdisjoint(counted.result.bots)] if out else self.results

    def rated(self, out: Iterable[str]) -> list[Result]:
        """The results that count for ratings if these bots are out."""
        return [counted.result for counted in self.of_all_but(self.left_out(out))]

    def points(self, since: int) -> dict[str, float]:
        """By bot, its mean points per match in the results from index `since` on."""
        total: Counter[str] = Counter()
        matches: Counter[str] = Counter()
        for _, result in self.results[since:]:
            bots, places = result.bots, result.places
            for bot, place in zip(bots, places, strict=True):
                below = sum(2 * (place < other) + (place == other) for other in places) - 1
                total[bot] += below
                matches[bot] += 2 * (len(bots) - 1)
        return {bot: total[bot] / matches[bot] for bot in sorted(matches)}


def _in_season(result: Result, night: int, names: Mapping[str, str]) -> Result:
    bots = tuple(names[bot] for bot in result.bots)
    return Result(f"{night}/{result.block}", bots, result.places, result.scores)


@lru_cache(maxsize=4096)
def scaled(game: str, scores: str, faults: str) -> tuple[float, ...]:
    """A match's scores, in units of the game's scale for margins.

    `scores` and `faults` are JSON as in a row. A bot that made a fault is put one unit
    behind the others.
    """
    return in_scales(game, json.loads(scores), {seat for seat, *_ in json.loads(faults)})


def in_scales(game: str, scores: Sequence[float], at_fault: set[int]) -> tuple[float, ...]:
    """Like `scaled`, from the scores themselves and the seats that made a fault."""
    if at_fault:
        return tuple(-1.0 if seat in at_fault else 0.0 for seat in range(len(scores)))
    points = get_game(game).margin.points
    return tuple(score / points for score in scores)
