"""Every card has a price, its worth in the hand; lays the stacks that gain the most.

Early in a match a card is worth most of a point, as it fits other rolls: only cheap
stacks are laid. When the stock ends, each card left costs a point. The prices were
tuned by matches against `greedy`: `make lab WHAT=teach-wichita` writes them into
`prices.json`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk import run
from pips_sdk.wichita import Layout, WichitaBot, WichitaView, priced_layout

FILE = Path(__file__).with_name("prices.json")
USUAL_DRAW = 4.47
"""The number of cards drawn in a turn: the mean of the higher die."""
LEFT = (-2, -1, 0, 1, 2, 4, 8, 14, 24)
USUAL_HAND = 8
TRIES = 5000


@dataclass(frozen=True)
class Prices:
    """The parameters of a card's price, tuned by matches."""

    base: Sequence[float]
    """A card's price by cards per seat in the stock (`LEFT`); below 0, better gone."""
    ranks: Sequence[float]
    """The extra price of each rank, ace to king: low cards and kings fit most rolls."""
    fit: float
    """The cards per seat from which the extra price counts fully, for rolls to come."""
    crowded: float
    """How much each card above the usual hand lowers the price of all cards."""
    twin: float
    """How much each further card of the same rank lowers its price."""
    empty: float
    """The worth of an empty hand: a card of the stock and another turn."""

    def of(self, view: WichitaView) -> list[float]:
        """The price of a card of each rank in this hand, in points, ace to king."""
        if not view.stock_size:
            return [-1.0] * len(self.ranks)
        left = min(max(cards_to_come(view), LEFT[0]), LEFT[-1])
        at = min(bisect_right(LEFT, left), len(LEFT) - 1)
        part = (left - LEFT[at - 1]) / (LEFT[at] - LEFT[at - 1])
        price = self.base[at - 1] + part * (self.base[at] - self.base[at - 1])
        price -= self.crowded * (len(view.hand) - USUAL_HAND)
        fit = min(max(left / self.fit, 0.0), 1.0)
        held = Counter([card.rank for card in view.hand])
        return [price + fit * more - self.twin * max(0, held[rank] - 1) for rank, more in enumerate(self.ranks, 1)]


@cache
def found_prices(seats: int) -> Prices:
    """The prices for that number of seats, or for the next lower one with prices."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return Prices(**found[str(max(known for known in map(int, found) if known <= seats))])


def cards_to_come(view: WichitaView) -> float:
    """The cards left for each seat after a turn of all others; below 0 if none."""
    seats = len(view.points)
    return (view.stock_size - USUAL_DRAW * (seats - 1)) / seats


class SearchBot(WichitaBot):
    greedy = GreedyBot()

    def prices(self, seats: int) -> Prices:
        return found_prices(seats)

    def draw(self, view: WichitaView) -> bool:
        return self.greedy.draw(view)

    def lay(self, view: WichitaView) -> Layout:
        prices = self.prices(len(view.points))
        return priced_layout(view.hand, view.dice, prices.of(view), prices.empty if view.stock_size else 0.0, TRIES)


if __name__ == "__main__":
    run(SearchBot)
