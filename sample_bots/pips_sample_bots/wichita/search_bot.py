"""Every card has a price, what it is worth in the hand; lays what gains the most.

Early a card is worth most of a point, as it fits other rolls: only cheap stacks are
laid. When the stock ends, each card left costs a point. The prices were found by trial,
in two million matches against `greedy`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk import run
from pips_sdk.wichita import Layout, WichitaBot, WichitaView, priced_layout

USUAL_DRAW = 4.47
"""The cards that a turn takes from the stock: the mean of the higher die."""
LEFT = (-2, -1, 0, 1, 2, 4, 8, 14, 24)
BASE = (-0.8, -1.0, -0.45, 0.23, 0.75, 0.75, 0.75, 0.77, 0.95)
"""The price of a card when so many cards a seat are left; below 0 it is better gone."""
ACE, STEP, KING = 0.12, 0.055, 0.22
RANKS = (*[ACE - STEP * rank for rank in range(12)], KING)
"""What a rank is worth more, from ace to king: low cards and kings fit most rolls."""
FIT = 3
"""So many cards a seat make a rank's whole difference: it is for the rolls to come."""
USUAL_HAND, CROWDED, TWIN = 8, 0.01, 0.08
"""The more cards in a hand, the less each is worth; most of all those of one rank."""
EMPTY = 2.6
"""An empty hand brings a card of the stock and another turn."""
TRIES = 5000


def cards_to_come(view: WichitaView) -> float:
    """The cards left for each seat once all the others have drawn; below 0 if none."""
    seats = len(view.points)
    return (view.stock_size - USUAL_DRAW * (seats - 1)) / seats


def prices(view: WichitaView) -> list[float]:
    """What a card of each rank is worth in this hand, in points, from ace to king."""
    if not view.stock_size:
        return [-1.0] * len(RANKS)
    left = min(max(cards_to_come(view), LEFT[0]), LEFT[-1])
    at = min(bisect_right(LEFT, left), len(LEFT) - 1)
    part = (left - LEFT[at - 1]) / (LEFT[at] - LEFT[at - 1])
    price = BASE[at - 1] + part * (BASE[at] - BASE[at - 1]) - CROWDED * (len(view.hand) - USUAL_HAND)
    fit = min(max(left / FIT, 0.0), 1.0)
    held = Counter([card.rank for card in view.hand])
    return [price + fit * more - TWIN * max(0, held[rank] - 1) for rank, more in enumerate(RANKS, 1)]


class SearchBot(WichitaBot):
    greedy = GreedyBot()

    def draw_on(self, view: WichitaView) -> bool:
        return self.greedy.draw_on(view)

    def lay(self, view: WichitaView) -> Layout:
        return priced_layout(view.hand, view.dice, prices(view), EMPTY if view.stock_size else 0.0, TRIES)


if __name__ == "__main__":
    run(SearchBot)
