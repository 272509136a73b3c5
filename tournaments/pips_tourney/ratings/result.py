"""One match as the ratings see it."""

from __future__ import annotations

from dataclasses import dataclass


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
    """By seat, in units of the game's scale of margins."""
