"""The features of a Pip-Pip! position that help predict the winner.

The rest of a match is counted in tricks.
"""

from __future__ import annotations

from typing import Final

from pips_referee.games.pippip.rules import PippipState
from pips_referee.games.pippip.tricks import HEIGHT, PAIR_CARDS, POINTS, trick_points, winner
from pips_referee.games.pippip.values import CALL, HAND_CARDS, PACK

NAMES: Final = (
    "points", "trick", "leads", "pairs", "pairs_callable", "kings_and_queens", "trumps", "trump_height", "card_points",
    "height", "suits_missing",
)  # fmt: skip


def features(state: PippipState) -> list[tuple[int, ...]]:
    """By seat, the features in the order of `NAMES`.

    `trick` is the points of the current trick, for the seat that is winning it.
    """
    taking, taken = -1, 0
    if state.trick:
        taking = (state.leader + winner(state.trick, state.trumps)) % state.seats
        taken = trick_points(state.trick)
    trumps = state.next_trumps if state.next_trumps is not None else state.trumps
    asked = state.to_ask if state.kind == CALL else -1
    rows: list[tuple[int, ...]] = []
    for seat in range(state.seats):
        hidden = state.hidden[seat]
        hand = [*hidden, *state.face_up[seat]]
        pairs = singles = 0
        for king, queen in PAIR_CARDS:
            kings, queens = hidden.count(king), hidden.count(queen)
            pairs += min(kings, queens)
            singles += abs(kings - queens)
        high = [HEIGHT[card] for card in hand if card.suit is trumps]
        rows.append((
            state.points[seat], taken if seat == taking else 0, int(seat == state.leader), pairs,
            pairs if seat == asked else 0, singles, len(high), sum(high), sum([POINTS[card] for card in hand]),
            sum([HEIGHT[card] for card in hand]), 4 - len({card.suit for card in hand}),
        ))  # fmt: skip
    return rows


def left(state: PippipState) -> int:
    """The tricks still to be played in this hand and later ones."""
    a_hand = (len(PACK) - state.seats * HAND_CARDS) // state.seats + HAND_CARDS
    return (state.hands - state.hand_number + 1) * a_hand - sum(state.tricks)
