"""What the controls of deals that are played once bring."""

from __future__ import annotations

from pips_tourney.night.standings import ContestTable
from pips_tourney.ratings.table import Ratings


def control_lines(table: ContestTable) -> list[str]:
    """How much narrower controls make the intervals; none without them."""
    if not isinstance(table.ratings, Ratings) or table.ratings.narrower is None:
        return []
    return [f"one match of greedy with itself a deal makes the intervals {table.ratings.narrower:.2f} times as wide"]
