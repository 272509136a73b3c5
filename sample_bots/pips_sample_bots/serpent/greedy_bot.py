"""Looks one card ahead: what would the board be worth if I put this card here?"""

from itertools import combinations

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView, points

COLUMNS = 6


def closeness(a: int, b: int) -> int:
    """3 for equal ranks, 2 for neighbours on the circle, 1 for two apart, else 0."""
    distance = min((a - b) % 13, (b - a) % 13)
    return max(0, 3 - distance)


CLOSE = [[closeness(a, b) for b in range(14)] for a in range(14)]
"""`closeness` by two ranks."""


class GreedyBot(SerpentBot):
    """As director it plays the card that adds most points, as defender the fewest."""

    def give(self, view: SerpentView) -> tuple[Card, ...]:
        """Keep the six cards that fit together best."""

        ties = {card: sum([CLOSE[card.rank][other.rank] for other in view.playable]) for card in view.playable}

        def lost(given: tuple[Card, Card, Card]) -> int:
            """How close the given cards are to the others and to each other."""
            a, b, c = given
            between = CLOSE[a.rank][b.rank] + CLOSE[a.rank][c.rank] + CLOSE[b.rank][c.rank]
            return ties[a] + ties[b] + ties[c] - between

        return min(combinations(view.playable, 3), key=lost)

    def reveal(self, view: SerpentView) -> tuple[Card, ...]:
        """Show the three cards that fit the others least: they reveal the least."""

        def fitting(card: Card) -> int:
            return sum([CLOSE[card.rank][other.rank] for other in view.playable])

        return tuple(sorted(view.playable, key=fitting)[:3])

    def lead(self, view: SerpentView) -> Card:
        return self.best(view)

    def answer(self, view: SerpentView) -> Card:
        return self.best(view)

    def best(self, view: SerpentView) -> Card:
        """The card worth most for the director, or least for the defender."""
        column = len(view.my_row) - view.my_row.count(None)
        mine = [card.rank if card else 0 for card in view.my_row]
        other = [card.rank if card else 0 for card in view.other_row]

        def value(card: Card) -> tuple[int, int]:
            mine[column] = card.rank
            beside = [other[column], *other[column - 1 : column], *mine[column - 1 : column]]
            fit = sum([CLOSE[card.rank][rank] for rank in beside if rank])
            return points(mine + other), fit

        return max(view.playable, key=value) if view.is_director else min(view.playable, key=value)


if __name__ == "__main__":
    run(GreedyBot)
