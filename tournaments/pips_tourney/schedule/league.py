"""Round-robin and gauntlet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

from pips_tourney.schedule.tables import Pairing, distinct, play_deals

MAX_TABLES: Final = 2000


def round_robin(bots: Iterable[str], seats: int, deals: int, max_tables: int = MAX_TABLES) -> Iterator[Pairing]:
    """Every combination of bots plays every deal in every rotation."""
    yield from play_deals(combinations(distinct(bots, seats), seats), deals)


def gauntlet(
    challenger: str, field: Iterable[str], seats: int, deals: int, max_tables: int = MAX_TABLES
) -> Iterator[Pairing]:
    """The challenger at a table with every combination of the field."""
    names = [name for name in distinct([challenger, *field], seats) if name != challenger]
    yield from play_deals(((challenger, *others) for others in combinations(names, seats - 1)), deals)
