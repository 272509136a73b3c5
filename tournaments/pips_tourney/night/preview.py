"""The table as a director's decision would make it; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from pips_tourney.night.director import Office
from pips_tourney.night.log.store import Entry, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.tables import ContestTable, Standings
from pips_tourney.ratings.table import Rating

_LAST: Final = 1 << 62
"""An entry number beyond all others."""


class Moved(NamedTuple):
    """A bot's place in a table before and after a decision; None if it has none."""

    contest: str
    bot: str
    place: int | None
    elo: str
    later_place: int | None
    later_elo: str

    @property
    def line(self) -> str:
        """The move as text."""
        now = f"place {self.place}, Elo {self.elo}" if self.place is not None else "not in the table"
        then = f"place {self.later_place}, Elo {self.later_elo}" if self.later_place is not None else "out of the table"
        return f"{self.contest}: {self.bot}: {now}; then {then}"


class Preview(NamedTuple):
    """What the director would read, and every bot's move in every table."""

    told: str
    moved: tuple[Moved, ...]

    def lines(self) -> Iterator[str]:
        """The preview as lines of text."""
        yield f"It would say: {self.told}"
        yield from (moved.line for moved in self.moved)
        yield "Nothing was decided."


@dataclass(frozen=True, slots=True)
class _SupposingOffice(Office):
    """An office whose decisions are not stored."""

    entries: list[Entry] = field(default_factory=list)

    def _keep(self, kind: str, **payload: object) -> None:
        self.entries.append(Entry(_LAST + len(self.entries), "", kind, payload))


def preview(database: Path, act: Callable[[Office], str]) -> Preview:
    """The effects of an act of the director. Raises the errors of that act."""
    with read_store(database) as store:
        night = last_night(store)
        at = _SupposingOffice(night)
        told = act(at)
        now, then = standings(night), standings(replace(night, supposed=tuple(at.entries)))
        return Preview(told, tuple(_moves(now, then)))


def _moves(now: Standings, then: Standings) -> Iterator[Moved]:
    """The moves in all tables, including those that exist only before or only after.

    A final that would not be played loses all its bots.
    """
    tables, later_tables = ({table.label: table for table in each.all_tables} for each in (now, then))
    for label in tables | later_tables:
        places, later_places = _places(tables.get(label)), _places(later_tables.get(label))
        for bot in [*places, *(bot for bot in later_places if bot not in places)]:
            place, row = places.get(bot, (None, None))
            later_place, later_row = later_places.get(bot, (None, None))
            yield Moved(label, bot, place, _elo(row), later_place, _elo(later_row))


def _places(table: ContestTable | None) -> dict[str, tuple[int, Rating]]:
    return {} if table is None else {row.bot: (table.place(at), row) for at, row in enumerate(table.rows)}


def _elo(row: Rating | None) -> str:
    return "" if row is None else row.text
