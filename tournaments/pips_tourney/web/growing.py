"""The results of a night that is watched, folded one by one.

This saves a walk through the whole schedule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pips_tourney.night.contest_results import ContestResults
from pips_tourney.night.live_schedule import hangs
from pips_tourney.night.night import Night, ScheduleStep
from pips_tourney.night.programme import Fixture
from pips_tourney.night.standings import ContestTable, Standings, standings_of
from pips_tourney.night.store import Row


@dataclass(slots=True)
class _OpenDeal:
    """A deal of one combination.

    It has its matches, in schedule order, and how many of them have no result yet.
    """

    fixtures: list[Fixture] = field(default_factory=list)
    missing: int = 0


class Growing:
    """A night's results, folded as `standings` folds them, and kept up to date.

    No other walk is needed. Only CPU time out of turn is that of the walk.

    `is_stale` says that the schedule has to be walked through anew.
    """

    def __init__(self, night: Night, rows: Mapping[str, Row]) -> None:
        self._rows = rows
        course = night.course(folding=True)
        self.steps: list[ScheduleStep] = [*night.walk(course)]
        for part in course.parts:
            part.fold.charge(night.out_of_turn_us())
        self._course = course
        self._beyond = Counter(fixture.contest.label for fixture in night.beyond(course))
        self._parts = {part.label: part for part in course.parts}
        self._deals: dict[str, _OpenDeal] = {}
        self._missing = Counter[str]()
        self._faults = Counter[str]()
        self._known: dict[str, ContestTable] = {}
        for step in self.steps:
            if step.kept:
                self._expect(step)
        self.is_stale = False

    def _expect(self, step: ScheduleStep) -> None:
        deal = self._deals.setdefault(step.fixture.block, _OpenDeal())
        deal.fixtures.append(step.fixture)
        if step.row is None:
            deal.missing += 1
            self._missing[step.fixture.contest.label] += 1
        elif step.row.faults != "[]":
            self._count_faults(step.fixture, step.row)

    def _count_faults(self, fixture: Fixture, row: Row) -> None:
        self._faults.update(fixture.seating[fault.seat] for fault in row.seat_faults)

    def missing(self, block: str) -> int:
        """How many matches of a deal, of those that are kept, have no result yet."""
        return self._deals[block].missing if block in self._deals else 0

    @cached_property
    def _place(self) -> dict[str, int]:
        """By match, its place in the schedule."""
        return {step.fixture.match_id: place for place, step in enumerate(self.steps)}

    def add(self, fixture: Fixture, row: Row) -> None:
        """Add the result of a match that is kept."""
        fold, deal = self._parts[fixture.part].fold, self._deals[fixture.block]
        fold.played += 1
        deal.missing -= 1
        self._missing[fixture.contest.label] -= 1
        if deal.missing == 0:
            rows = [self._rows[each.match_id] for each in deal.fixtures]
            faulty = [each for each in rows if each.faults != "[]"]
            before = {bot: dict(conduct.first_faults) for bot, conduct in fold.conduct.items()} if faulty else {}
            fold.count_deal(rows)
            if faulty:
                self._order_first_faults(fold, faulty, before)
        most = self._course.programme.max_faults
        if row.faults != "[]":
            self._count_faults(fixture, row)
            self.is_stale |= most is not None and any(self._faults[bot] >= most for bot in fixture.seating)
        self.is_stale |= self._is_at_a_gate()

    def _order_first_faults(
        self, fold: ContestResults, rows: list[Row], before: Mapping[str, Mapping[str, tuple[str, str]]]
    ) -> None:
        """Sort a bot's first fault by the schedule, not by when matches ended."""
        for row in rows:
            seats = row.bots
            for seat, kind, sentence in row.seat_faults:
                known = before.get(seats[seat], {}).get(kind)
                first = fold.conduct[seats[seat]].first_faults
                if known is not None and self._place[row.id] < self._place[first[kind][0]]:
                    first[kind] = (row.id, sentence)

    def _is_at_a_gate(self) -> bool:
        """Whether all is played before the next gate.

        After it, results decide how the night goes on.
        """
        for contest in self._course.programme.contests:
            if self._missing[contest.label]:
                return False
            own = [part for part in self._course.parts if part.contest is contest]
            if (hangs(contest) or contest.form.final is not None) and not all(part.finished for part in own):
                return True
        return False

    def standings(self) -> Standings:
        """The standings from all results so far."""
        made = standings_of(self._course, self._beyond, self._known)
        self._known = {table.label: table for table in made.tables}
        return made
