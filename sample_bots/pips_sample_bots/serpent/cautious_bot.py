"""Trusts what it sees: a lead is judged by the worst open answer to it."""

from collections.abc import Sequence
from itertools import combinations

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView, points

COLUMNS = 6


def is_near(a: Card, b: Card) -> bool:
    """Whether the ranks are equal or neighbours on the rank circle."""
    return (a.rank - b.rank) % 13 in (0, 1, 12)


def row(cards: Sequence[Card | None], *more: Card) -> list[int]:
    """The ranks of a row with more cards added, 0 for an empty cell."""
    ranks = [card.rank for card in (*cards, *more) if card is not None]
    return ranks + [0] * (COLUMNS - len(ranks))


class CautiousBot(SerpentBot):
    """As director it wants safe points; as defender it fears the best open card."""

    def give(self, view: SerpentView) -> Sequence[Card]:
        """Keep the six cards that have the most neighbours among themselves."""

        def neighbours(given: Sequence[Card]) -> int:
            kept = [card for card in view.playable if card not in given]
            return sum(is_near(a, b) for a, b in combinations(kept, 2))

        return max(combinations(view.playable, 3), key=neighbours)

    def reveal(self, view: SerpentView) -> Sequence[Card]:
        """Show the three cards with the fewest neighbours."""
        return sorted(view.playable, key=lambda card: sum(is_near(card, other) for other in view.playable))[:3]

    def lead(self, view: SerpentView) -> Card:
        def worst(card: Card) -> int:
            answers = [other for other in view.other_face_up if other.suit is card.suit or other.rank == card.rank]
            boards = [points(row(view.my_row, card) + row(view.other_row, answer)) for answer in answers]
            boards.append(points(row(view.my_row, card) + row(view.other_row)))
            return min(boards) if view.is_director else -max(boards)

        return max(view.playable, key=worst)

    def answer(self, view: SerpentView) -> Card:
        def worth(card: Card) -> int:
            board = points(row(view.my_row, card) + row(view.other_row))
            return board if view.is_director else -board

        return max(view.playable, key=worth)


if __name__ == "__main__":
    run(CautiousBot)
