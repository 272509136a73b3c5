"""A night's results in memory, for its spectators.

Each result is read once, in the order of storing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple

from pips_tourney.night.log.kinds import ADD, BEGUN, DECIDING
from pips_tourney.night.log.store import Row, SeatFault, Store
from pips_tourney.night.night import Night, ScheduleStep, last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.stages import hangs
from pips_tourney.night.table.standings import fold_night, standings_of
from pips_tourney.night.table.tables import Standings
from pips_tourney.ratings.result import FEWEST_DEALS

LATE: Final = 200
"""How many of the last matches count as recent."""
OFTEN: Final = 1000
"""After so many matches a long work breathes; they take some 10 ms."""
FEWEST_DIGITS: Final = 8
"""How many digits of a match's id name it at the least; pages show as many."""

_CHANGING: Final = (BEGUN, *(kind for kind in DECIDING if kind != ADD))
"""The entries that change the schedule; an added bot plays once the night goes on."""


class ArchivedResult(NamedTuple):
    """A result. `number` is its position in the order of storing."""

    number: int
    fixture: Fixture
    places: tuple[int, ...]
    scores: tuple[int, ...]
    faults: Sequence[SeatFault]
    """Seat, kind and sentence of each fault."""
    questions: int
    counts: bool = True
    """Whether the result counts.

    It does not count if the director, a withdrawal or a settled table excludes it.
    """

    def compact(self) -> list[Any]:
        """The result's row in the list of matches.

        It has number, id, part, bots by seat, places, scores, faults, questions,
        whether it counts (1 or 0), and the name of its deal. Matches of the same bots
        with the same deal have the same cards.
        """
        of = self.fixture
        what = [self.number, of.match_id, of.part, [*of.seating], self.places, self.scores, self.faults]
        return [*what, self.questions, int(self.counts), of.deal.name]


@dataclass(slots=True)
class Meetings:
    """The results of pairs, and the points of each seat.

    They cover one contest or its final.
    """

    against: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))
    """By bot and opponent: how many matches the bot was placed above, level, below."""
    seats: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0]))
    """By bot and seat: points, one for each bot placed below, and matches."""

    def add(self, bots: tuple[str, ...], places: tuple[int, ...]) -> None:
        for seat, bot in enumerate(bots):
            here = self.seats[bot, seat]
            here[1] += 1
            for other, opponent in enumerate(bots):
                if other != seat:
                    how = (places[seat] >= places[other]) + (places[seat] > places[other])
                    self.against[bot, opponent][how] += 1
                    here[0] += (1.0, 0.5, 0.0)[how]


class Archive:
    """The results of a night that were read so far.

    `refresh` reads new ones. Use an archive only in the store's own thread. Amid long
    work it calls `breathe`, which may ask it for anything but news and standings.
    """

    def __init__(self, store: Store, breathe: Callable[[], None] = lambda: None) -> None:
        self._store, self._breathe = store, breathe
        self.latest: Standings | None = None
        """The standings that were computed last."""
        self._shown: set[tuple[str, str]] = set()
        self._begin()

    def standings(self) -> Standings:
        """Compute the standings from all results read so far.

        This walks through the schedule again. If results have changed it, all is read
        again.
        """
        kept = set[str]()

        def note(step: ScheduleStep) -> None:
            if step.kept:
                kept.add(step.fixture.match_id)
                if len(kept) % OFTEN == 0:
                    self._breathe()

        course = fold_night(self.night, note)
        if kept != self.schedule.keys():
            self._begin()
            return self.standings()
        self._shown = {*self._rated}
        self.latest = standings_of(self.night, course)
        return self.latest

    @property
    def lacks_ratings(self) -> bool:
        """Whether a bot reached enough deals for a rating after the last standings."""
        return not self._rated <= self._shown

    def _begin(self) -> None:
        """Read the complete night, and walk through its schedule."""
        decided, numbered = self._store.last(*_CHANGING), [*self._store.since(0)]
        rows = {row.id: row for _, row in numbered}
        night = replace(last_night(self._store), reader=partial(_found, rows), listed={})
        fixtures, schedule = self._walked(night)
        self.night = night
        """The night, with its results in memory."""
        self._decided = decided
        self.decisions = self.night.decisions()
        self._counting = self.decisions.counting()
        self._rows = rows
        self._begins: dict[str, list[str]] = {}
        self.seen = numbered[-1][0] if numbered else 0
        """The number of the last result read."""
        self.fixtures = fixtures
        """By id, all matches that are or were in the schedule."""
        self.schedule = schedule
        """By id, without annulled matches and those that will never be played."""
        self.missing = Counter(fixture.block for fixture in self.schedule.values())
        """By deal of one combination, how many matches have no result yet."""
        self.scheduled = Counter({part.label: 0 for part in self.night.course().parts})
        """By part, which is a contest or its final, named as in the standings.

        The attributes below use the same names.
        """
        self.scheduled.update(fixture.part for fixture in self.schedule.values())
        self.played: list[ArchivedResult] = []
        """In the order of storing, including results that do not count."""
        self.count = Counter[str]()
        """By part, how many matches were played and are still in the schedule."""
        self.meetings = {part: Meetings() for part in self.scheduled}
        self._whole = Counter[tuple[str, str]]()
        """By part and bot, how many deals it has played completely."""
        self._rated = set[tuple[str, str]]()
        """By part, the bots with deals enough for a rating with an interval."""
        for number, row in numbered:
            self._take(number, row)

    def _walked(self, night: Night) -> tuple[dict[str, Fixture], dict[str, Fixture]]:
        """By id, all matches of a night, and those that are kept."""
        fixtures, schedule = dict[str, Fixture](), dict[str, Fixture]()
        for fixture, _, kept in night.walk():
            fixtures[fixture.match_id] = fixture
            if kept:
                schedule[fixture.match_id] = fixture
            if len(fixtures) % OFTEN == 0:
                self._breathe()
        return fixtures, schedule

    def refresh(self) -> list[ArchivedResult]:
        """Read the results that have come since the last time.

        Everything is read again if a night has begun, if the director has decided
        something, or if results decide how the night goes on.
        """
        known = len(self.played)
        if self._store.last(*_CHANGING) != self._decided:
            self._begin()
            return self.played
        numbered = [*self._read()]
        strangers = any(row.id not in self.fixtures for _, row in numbered)
        for number, row in numbered:
            self._take(number, row)
        if strangers and any(map(hangs, self.night.programme.contests)):
            self._begin()
        return self.played[known:]

    def _read(self) -> Iterator[tuple[int, Row]]:
        for number, row in self._store.since(self.seen):
            self.seen = number
            self._rows[row.id] = row
            yield number, row

    def _take(self, number: int, row: Row) -> None:
        """Add the next result, unless its match is not in the schedule."""
        self._begins.setdefault(row.id[:FEWEST_DIGITS], []).append(row.id)
        fixture, kept = self.fixtures.get(row.id), row.id in self.schedule
        if fixture is None:
            return
        played = ArchivedResult(number, fixture, row.seat_places, row.seat_scores, row.seat_faults, row.questions, kept)
        self.played.append(played)
        if kept:
            part = fixture.part
            self.count[part] += 1
            self.meetings[part].add(fixture.seating, played.places)
            self.missing[fixture.block] -= 1
            if not self.missing[fixture.block]:
                bots = [(part, bot) for bot in fixture.combination]
                self._whole.update(bots)
                self._rated.update(bot for bot in bots if self._whole[bot] >= FEWEST_DEALS)

    def may_be_shown(self, match_id: str) -> bool:
        """Whether no match with the same cards is still to come.

        Otherwise somebody could tell a bot the cards.

        A repeated match has the cards of the match that counts. The answer is False for
        a match outside the schedule, until the night has ended.
        """
        fixture = self.fixtures.get(self._counting.get(match_id, match_id))
        is_over = fixture is not None and self.missing[fixture.block] == 0
        return is_over or self.night.is_ended()

    def upsets(self, most: int) -> list[str]:
        """Recent matches that may be shown, the greatest surprise first."""
        last = self.latest or self.standings()
        elos = {(table.label, row.bot): row.elo or 0.0 for table in last.all_tables for row in table.rows}

        def surprise(played: ArchivedResult) -> float:
            first, others = list[float](), list[float]()
            for place, bot in zip(played.places, played.fixture.seating, strict=True):
                (others if place > 1 else first).append(elos.get((played.fixture.part, bot), 0.0))
            return max(others) - max(first) if others else 0.0

        late = (played for played in self.played[-LATE:] if played.counts and not played.faults)
        shown = [played for played in late if self.may_be_shown(played.fixture.match_id)]
        return [played.fixture.match_id for played in sorted(shown, key=surprise, reverse=True)[:most]]

    def whole_id(self, begin: str) -> str:
        """The id of the one result whose id begins so; `begin` itself if there is none.

        At least `FEWEST_DIGITS` are needed.
        """
        begin = begin.lower()
        found = [match_id for match_id in self._begins.get(begin[:FEWEST_DIGITS], ()) if match_id.startswith(begin)]
        return found[0] if len(found) == 1 else begin

    def why_unknown(self, match_id: str) -> str:
        """A sentence if the night has no such match, otherwise ""."""
        if match_id in self.fixtures or match_id in self._counting or match_id in self._rows:
            return ""
        return f"there is no match {match_id}{'' if self.night.is_ended() else ' yet'}"

    def is_last_of_its_deal(self, match_id: str) -> bool:
        """Whether all other matches with the same cards have been played.

        If so, the open cards in it are no longer secret.
        """
        fixture = self.schedule.get(match_id)
        return fixture is not None and self.missing[fixture.block] == 1 and match_id not in self._rows


def _found(rows: Mapping[str, Row], ids: Sequence[str]) -> dict[str, Row]:
    return {match_id: rows[match_id] for match_id in ids if match_id in rows}
