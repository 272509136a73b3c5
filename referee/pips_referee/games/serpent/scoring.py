"""What a finished board scores: pairs and runs on two rows of six cells.

Cells are numbered 0 to 5 along the director's row and 6 to 11 along the defender's; a set of cells is a bit mask.
A board is 12 ranks by cell, 1 (ace) to 13 (king), or 0 where no card lies yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

COLUMNS: Final = 6
CELLS: Final = 2 * COLUMNS
EMPTY: Final = 0
NEIGHBOURS: Final = tuple(
    (cell, other)
    for cell in range(CELLS)
    for other in ([cell + 1] if cell % COLUMNS < COLUMNS - 1 else []) + ([cell + COLUMNS] if cell < COLUMNS else [])
)
"""The 16 pairs of cells that touch along an edge."""


def _connected(mask: int) -> bool:
    reached, grown = 0, mask & -mask
    while grown != reached:
        reached = grown
        for a, b in NEIGHBOURS:
            pair = 1 << a | 1 << b
            if pair & mask == pair and pair & grown:
                grown |= pair
    return bool(mask) and reached == mask


CONNECTED: Final = bytes(_connected(mask) for mask in range(1 << CELLS))
"""For every mask whether its cells hang together."""


@dataclass(frozen=True, slots=True)
class HandScore:
    """The pairs (two cells each) and the runs (three or more) of a hand, and their points."""

    points: int
    pairs: tuple[tuple[int, int], ...]
    runs: tuple[tuple[int, ...], ...]


def pairs(ranks: Sequence[int]) -> list[tuple[int, int]]:
    """Neighbouring cells of equal rank (S5)."""
    return [(a, b) for a, b in NEIGHBOURS if ranks[a] == ranks[b] != EMPTY]


def run_masks(ranks: Sequence[int]) -> list[int]:
    """The runs that lie within no larger run, as masks (S6).

    For every stretch of the rank circle, choose one cell a rank and keep the choices that hang together:
    the number of choices is the product of a few small multiplicities.
    """
    cells_of: list[list[int]] = [[] for _ in range(14)]
    for cell, rank in enumerate(ranks):
        cells_of[rank].append(1 << cell)
    circle = cells_of[1:] * 2
    found: list[int] = []
    for start in range(13):
        if not (circle[start] and circle[start + 1] and circle[start + 2]):
            continue
        masks = [first | second for first in circle[start] for second in circle[start + 1]]
        for cells in circle[start + 2 : start + CELLS]:
            if not cells:
                break
            masks = [mask | cell for mask in masks for cell in cells]
            found += [mask for mask in masks if CONNECTED[mask]]
    return [mask for mask in found if not any(mask & other == mask != other for other in found)]


def points(ranks: Sequence[int]) -> int:
    """The director's points for a board: two a pair (S5), one a card of every run (S6)."""
    return _points(len(pairs(ranks)), run_masks(ranks))


def score_hand(ranks: Sequence[int]) -> HandScore:
    """The points with the pairs and runs they come from, in a fixed order."""
    twos, masks = pairs(ranks), run_masks(ranks)
    runs = sorted(tuple(cell for cell in range(CELLS) if mask >> cell & 1) for mask in masks)
    return HandScore(_points(len(twos), masks), tuple(twos), tuple(runs))


def _points(pair_count: int, masks: list[int]) -> int:
    return 2 * pair_count + sum([mask.bit_count() for mask in masks])
