"""Rows that are consistent in themselves, and whether they belong to their night."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pips_referee.records.record import read_record
from pips_tourney.night.log.result import row_problem
from pips_tourney.night.log.store import Row, Store
from pips_tourney.night.night import Night
from pips_tourney.night.plan.decisions import attempt, redealt
from pips_tourney.night.plan.fixtures import Fixture, possible_fixtures
from pips_tourney.secret import Secret


class Discrepancy(NamedTuple):
    """Something wrong. `match` is an id; empty if it concerns the complete night."""

    match: str
    what: str


@dataclass
class CheckedRows:
    """Checks every row, taken alone, when it is first read.

    Wrong rows are hidden from later readers.
    """

    store: Store
    wrong: dict[str, str] = field(default_factory=dict)
    """By match, what is wrong; empty if nothing is."""

    def rows(self, ids: Sequence[str]) -> dict[str, Row]:
        """The results of these matches with their records.

        Rows that are wrong in themselves are left out.
        """
        found = self.store.rows(ids)
        for match, row in found.items():
            if match not in self.wrong:
                self.wrong[match] = row_problem(row)
        return {match: row for match, row in found.items() if not self.wrong[match]}

    def results(self, ids: Sequence[str]) -> dict[str, Row]:
        """The results of these matches without their records; no wrong rows."""
        self.rows([match for match in ids if match not in self.wrong])
        return {match: row for match, row in self.store.results(ids).items() if not self.wrong[match]}

    def problems(self) -> Iterator[Discrepancy]:
        return (Discrepancy(match, what) for match, what in self.wrong.items() if what)


def not_counted(night: Night, looked: CheckedRows, left: set[str]) -> Iterator[tuple[Fixture, Row]]:
    """Those matches in `left` that were rightly played, though they do not count.

    They were replayed, dealt anew, played after the table was settled, or belong to a
    round that a later decision has changed.
    """
    decisions = Night(night.store, night.programme, night.secret).decisions()
    for scheduled in possible_fixtures(night.programme) if left else ():
        for deal in range(decisions.redeals.get(scheduled.block, 0) + 1):
            fixture = redealt(scheduled, deal)
            for number in range(decisions.most_attempts.get(fixture.match_id, 0) + 1):
                played = attempt(fixture, number)
                if played.match_id in left:
                    yield from ((played, row) for row in looked.rows([played.match_id]).values())


def header_problems(fixture: Fixture, row: Row, secret: Secret) -> Iterator[Discrepancy]:
    if read_record(row.record).header != fixture.header(secret):
        yield Discrepancy(fixture.match_id, "its header is not what the schedule and the secret say")
