"""The features of a Serpent position that help predict the winner.

The rest of a match is counted in columns: six for each hand. After a tie the match goes
on in pairs of hands until the totals differ (S8). So a tie counts as if two more hands
were to come.
"""

from __future__ import annotations

from typing import Final

from pips_referee.games.serpent.rules import SerpentState
from pips_referee.games.serpent.scoring import CELLS, COLUMNS, EMPTY, score_hand

NAMES: Final = (
    "points", "hands_to_direct", "columns_as_director", "points_on_board", "equal_ranks", "near_ranks",
    "near_the_board", "leads",
)  # fmt: skip
RANKS: Final = 13


def features(state: SerpentState) -> list[tuple[int, ...]]:
    """By seat, the features; all but the points are counted only for the director."""
    director, lead = state.director, state.to_ask
    to_come = max(state.hands, state.hand_number + state.hand_number % 2) - state.hand_number
    mine = (to_come // 2, *_hand(state, director), int(lead == director))
    theirs = (to_come - to_come // 2, 0, 0, 0, 0, 0, int(lead != director))
    return [(state.totals[seat], *(mine if seat == director else theirs)) for seat in (0, 1)]


def left(state: SerpentState) -> int:
    """The columns still to be filled in all hands."""
    hands = max(state.hands, state.hand_number + state.hand_number % 2) - state.hand_number
    return COLUMNS * (hands + 1) - state.column


def _hand(state: SerpentState, director: int) -> tuple[int, int, int, int, int]:
    """The director's features: points on the board, and chances of its cards."""
    mine, theirs = state.rows[director], state.rows[1 - director]
    board = [EMPTY] * CELLS
    for column, card in enumerate(mine):
        board[column] = card.rank
    for column, card in enumerate(theirs):
        board[COLUMNS + column] = card.rank
    counts = [0] * (RANKS + 1)
    for cards in (*state.hidden, *state.face_up):
        for card in cards:
            counts[card.rank] += 1
    held = counts[1:]
    equal = sum([count * (count - 1) // 2 for count in held])
    near = sum([count * held[rank - 1] for rank, count in enumerate(held)])
    open_ends = [row[-1].rank for row in (mine, theirs) if row]
    beside = sum([held[rank % RANKS] + held[rank - 2] + held[rank - 1] for rank in open_ends])
    points = score_hand(board).points if mine else 0
    return COLUMNS - state.column, points, equal, near, beside
