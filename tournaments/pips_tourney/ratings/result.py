"""One match as the ratings see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ALPHA: Final = 0.05
"""The probability that an interval misses the truth, at most."""
FEWEST_DEALS: Final = 10
"""With fewer deals there is no interval."""
LEAST: Final = 0.73
"""No standard error is less than this share of what one more result might move.

By simulation, it is the smallest share at which intervals cover the truth in 93 % of
cases if nearly all deals agree (`make lab WHAT=simulate ARGS="1000 coverage"`).
"""


@dataclass(frozen=True, slots=True)
class Result:
    """One finished match as the ratings see it."""

    block: str
    """The statistical block: (combination, deal).

    It is the same for every rotation of one deal.
    """
    bots: tuple[str, ...]
    """Bots by seat."""
    places: tuple[int, ...]
    """Places by seat; 1 is best, equal places are shared."""
    scores: tuple[float, ...] | None = None
    """By seat, in units of the game's scale."""
