"""The features of a Dominion position that help predict the winner.

The rest of a match is counted in rounds. Cells and armies are counted in hundredths of
the playfield, so that small and large playfields compare.
"""

from __future__ import annotations

from typing import Final

from pips_referee.games.dominion.battle import NEIGHBOURS
from pips_referee.games.dominion.rules import DominionState

NAMES: Final = (
    "territories", "armies", "strength", "room", "borders", "to_move", "beaten", "resigned", "armies_on_turn", "wait",
    "late",
)  # fmt: skip
PARTS: Final = 100
"""The unit of cells and armies: a hundredth of the playfield, whatever its size."""


def features(state: DominionState) -> list[tuple[int, ...]]:
    """By seat, the features in the order of `NAMES`.

    `borders` counts adjacent pairs of cells, one own and one foreign. `wait` is how
    many others move before the seat, `late` its place in the order of a round.
    """
    owners, armies = state.owners, state.armies
    neighbours = NEIGHBOURS[state.size]
    rows = [[0] * len(NAMES) for _ in range(state.seats)]
    for cell, owner in enumerate(owners):
        if owner is None:
            continue
        row = rows[owner]
        row[0] += 1
        row[1] += armies[cell]
        row[2] += armies[cell] + state.playfield[cell].rank
        row[3] += max(state.capacity[cell] - armies[cell], 0)
        row[4] += sum([owners[other] not in {None, owner} for other in neighbours[cell]])
    for seat, row in enumerate(rows):
        row[:5] = [PARTS * count // len(owners) for count in row[:5]]
        moves = seat == state.turn
        row[5] = int(moves)
        row[6] = int(not row[0] and state.had_armies[seat])
        row[7] = int(state.resigned[seat])
        row[8] = row[1] if moves else 0
        row[9] = (seat - state.turn) % state.seats
        row[10] = seat
    return list(map(tuple, rows))


def left(state: DominionState) -> int:
    """The rounds still to come, the current one included."""
    return state.max_rounds - state.round + 1
