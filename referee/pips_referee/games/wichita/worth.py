"""The features of a Wichita position that help predict the winner.

The rest of a match is counted in quarters of a card of the stock, for each seat.
"""

from __future__ import annotations

from typing import Final

from pips_referee.games.wichita.best import best_layout
from pips_referee.games.wichita.rules import WichitaState
from pips_referee.games.wichita.values import LAY

NAMES: Final = ("points", "cards", "ranks", "low_cards", "high_cards", "cards_squared", "to_move", "now", "now_cards")
LOW: Final = 4
HIGH: Final = 10
QUARTERS: Final = 4


def features(state: WichitaState) -> list[tuple[int, ...]]:
    """By seat, the features; `now` is what the player can lay down at once."""
    rows: list[tuple[int, ...]] = []
    for seat, hand in enumerate(state.hands):
        ranks = [card.rank for card in hand]
        asked = seat == state.to_ask
        points, laid = _now(state) if asked and state.kind == LAY else (0, 0)
        low = sum([rank <= LOW for rank in ranks])
        high = sum([rank >= HIGH for rank in ranks])
        size = len(ranks)
        rows.append((state.points[seat], size, len(set(ranks)), low, high, size * size, int(asked), points, laid))
    return rows


def left(state: WichitaState) -> int:
    """How many quarters of a card each seat may still draw from the stock."""
    return QUARTERS * state.stock_size // len(state.hands)


def _now(state: WichitaState) -> tuple[int, int]:
    """The points of the best stacks for this roll, and the number of their cards."""
    layout = best_layout(state.hands[state.player], state.dice, bonus=state.stock_size > 0)
    return layout.points, sum(map(len, layout.stacks))
