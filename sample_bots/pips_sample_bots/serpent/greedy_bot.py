"""Looks one card ahead: what would the board be worth if I put this card here?"""

from itertools import combinations

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView, points

COLUMNS = 6


def closeness(a: int, b: int) -> int:
    """3 for equal ranks, 2 for neighbours on the circle, 1 for two apart, else 0."""
    distance = min((a - b) % 13, (b - a) % 13)
    return max(0, 3 - distance)


class GreedyBot(SerpentBot):
    """As director it takes the card that adds most, as defender the least."""

    def give(self, view: SerpentView) -> tuple[Card, ...]:
        """Keep the six cards that fit together best."""

        def together(given: tuple[Card, ...]) -> int:
            kept = [card.rank for card in view.playable if card not in given]
            return sum(closeness(a, b) for a, b in combinations(kept, 2))

        return max(combinations(view.playable, 3), key=together)

    def reveal(self, view: SerpentView) -> tuple[Card, ...]:
        """Show the three cards that fit the others least: they betray least."""

        def fitting(card: Card) -> int:
            return sum(closeness(card.rank, other.rank) for other in view.playable)

        return tuple(sorted(view.playable, key=fitting)[:3])

    def lead(self, view: SerpentView) -> Card:
        return self.best(view)

    def answer(self, view: SerpentView) -> Card:
        return self.best(view)

    def best(self, view: SerpentView) -> Card:
        """The most valuable card for the director, the least for the defender."""
        column = sum(card is not None for card in view.my_row)

        def value(card: Card) -> tuple[int, int]:
            mine = [c.rank if c else 0 for c in view.my_row]
            other = [c.rank if c else 0 for c in view.other_row]
            mine[column] = card.rank
            beside = [other[column], *other[column - 1 : column], *mine[column - 1 : column]]
            fit = sum(closeness(card.rank, rank) for rank in beside if rank)
            return points(mine + other), fit

        return max(view.playable, key=value) if view.is_director else min(view.playable, key=value)


if __name__ == "__main__":
    run(GreedyBot)
