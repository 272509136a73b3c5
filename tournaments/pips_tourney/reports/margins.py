"""Where the order by results differs from the order by margins."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from pips_tourney.night.table.tables import ContestTable

SURE: Final = 0.95
"""From this chance on, a bot is said to win more often, or by more."""


def margin_lines(table: ContestTable) -> list[str]:
    """Neighbours of whom one surely wins by more, and the other more often."""
    if table.margins is None or table.ratings is None:
        return []
    lines, sure = [], {row.bot for row in table.margins.rows if row.low is not None}
    for upper, lower in pairwise(row.bot for row in table.rows):
        for often, much in ((upper, lower), (lower, upper)):
            oftener = table.ratings.difference(often, much).better or 0.0
            if oftener >= SURE and {often, much} <= sure and table.margins.better[much][often] >= SURE:
                lines.append(f"{much} wins by more, {often} wins oftener")
    return lines
