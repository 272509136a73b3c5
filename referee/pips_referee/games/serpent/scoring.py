"""The score of a board: pairs and runs on two rows of six cells.

Cells are numbered 0 to 5 along the director's row and 6 to 11 along the defender's. A
set of cells is a bit mask. A board is 12 ranks by cell, 1 (ace) to 13 (king), or 0 for
an empty cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from pips_referee.game import Value

COLUMNS: Final = 6
CELLS: Final = 2 * COLUMNS
EMPTY: Final = 0
NEIGHBOURS: Final = tuple(
    (cell, other)
    for cell in range(CELLS)
    for other in ([cell + 1] if cell % COLUMNS < COLUMNS - 1 else []) + ([cell + COLUMNS] if cell < COLUMNS else [])
)
"""The 16 pairs of cells that touch along an edge."""


def _run_shaped() -> bytes:
    """By mask, whether its cells are a run shape; shapes grow by one cell at a time."""
    beside = [sum(1 << a + b - cell for a, b in NEIGHBOURS if cell in (a, b)) for cell in range(CELLS)]
    shaped = bytearray(1 << CELLS)
    shapes = {1 << cell: beside[cell] for cell in range(CELLS)}  # each with its neighbouring cells
    for size in range(2, CELLS + 1):
        shapes = {
            mask | 1 << cell: around | beside[cell]
            for mask, around in shapes.items()
            for cell in range(CELLS)
            if around & ~mask & 1 << cell
        }
        if size > 2:
            for mask in shapes:
                shaped[mask] = True
    return bytes(shaped)


IS_RUN_SHAPED: Final = _run_shaped()
"""By mask, whether it is three or more connected cells (S6.1)."""


class HandScore(Value):
    """The pairs (two cells) and runs (three or more) of a hand, and their points."""

    points: int
    pairs: tuple[tuple[int, int], ...]
    runs: tuple[tuple[int, ...], ...]


def pairs(ranks: Sequence[int]) -> list[tuple[int, int]]:
    """Neighbouring cells of equal rank (S5)."""
    return [(a, b) for a, b in NEIGHBOURS if ranks[a] == ranks[b] != EMPTY]


def run_masks(ranks: Sequence[int]) -> list[int]:
    """The runs that are part of no larger run, as masks (S6).

    It goes up the ranks. At each rank it keeps every set with one cell of each rank in
    an unbroken stretch that ends at this rank; there are few. Connected sets are runs.
    """
    cells_of: list[list[int]] = [[], [], [], [], [], [], [], [], [], [], [], [], [], []]
    cell = 1
    for rank in ranks:
        cells_of[rank].append(cell)
        cell <<= 1
    missing = cells_of.index([], 1)  # 12 cells lack one of 13 ranks: cut the circle there (S6.2)
    found: list[int] = []
    stretches: list[int] = []
    for cells in cells_of[missing + 1 :] + cells_of[1:missing]:
        if not (stretches and cells):  # the stretch ends, or another begins
            stretches = cells
            continue
        longer = cells[:]
        for stretch in stretches:  # plain loops: mostly there is one of each
            for cell in cells:
                mask = stretch | cell
                longer.append(mask)
                if IS_RUN_SHAPED[mask]:
                    found.append(mask)
        stretches = longer
    if len(found) < 2:
        return found
    longest: list[int] = []
    for mask in found:
        for other in found:
            if mask & other == mask != other:
                break
        else:
            longest.append(mask)
    return longest


def points(ranks: Sequence[int]) -> int:
    """The director's points: two for a pair (S5), one for each card of a run (S6)."""
    return _points(len(pairs(ranks)), run_masks(ranks))


def score_hand(ranks: Sequence[int]) -> HandScore:
    """The points, with the pairs and runs that bring them, in a fixed order."""
    twos, masks = pairs(ranks), run_masks(ranks)
    runs = sorted([_cells(mask) for mask in masks])
    return HandScore(_points(len(twos), masks), tuple(twos), tuple(runs))


@cache
def _cells(mask: int) -> tuple[int, ...]:
    return tuple([cell for cell in range(CELLS) if mask >> cell & 1])


def _points(pair_count: int, masks: list[int]) -> int:
    return 2 * pair_count + sum([mask.bit_count() for mask in masks])
