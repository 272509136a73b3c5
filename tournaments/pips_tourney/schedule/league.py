"""Round-robin and gauntlet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pips_tourney.schedule.balance import balanced_tables
from pips_tourney.schedule.tables import Pairing, distinct, play_deals

MAX_TABLES: Final = 2000
"""The most combinations of bots; if there are more, a balanced choice is played."""


def round_robin(
    bots: Iterable[str], seats: int, deals: int, max_tables: int = MAX_TABLES, first_deal: int = 0
) -> Iterator[Pairing]:
    """Every combination of bots, with these deals in every rotation.

    If there are more than `max_tables`, a balanced choice of that many plays.
    """
    names = distinct(bots, seats)
    tables = balanced_tables(len(names), seats, max_tables)
    yield from play_deals(([names[bot] for bot in table] for table in tables), deals, first_deal)


def gauntlet(
    challenger: str, field: Iterable[str], seats: int, deals: int, max_tables: int = MAX_TABLES, first_deal: int = 0
) -> Iterator[Pairing]:
    """The challenger at a table with every combination of the field.

    If there are more than `max_tables`, a balanced choice of that many plays.
    """
    names = [name for name in distinct([challenger, *field], seats) if name != challenger]
    tables = balanced_tables(len(names), seats - 1, max_tables)
    yield from play_deals(((challenger, *(names[bot] for bot in table)) for table in tables), deals, first_deal)
