"""Gets rid of high cards, and ducks."""

from hearts import HeartsView, Pass, Play, height, playable, points_of
from pips_referee.cards import Card
from pips_sdk import GameBot, run


def duck(view: HeartsView) -> Play:
    """The highest card that takes no trick; else the lowest that may take it."""
    cards = playable(view.hand, view.played)
    trick = view.played[len(view.played) // 4 * 4 :]
    if not trick:
        return Play(min(cards, key=height))
    if cards[0].suit != trick[0].suit:
        return Play(max(cards, key=_burden))
    best = max(height(card) for card in trick if card.suit == trick[0].suit)
    below = [card for card in cards if height(card) < best]
    return Play(max(below, key=_burden) if below else min(cards, key=_burden))


def _burden(card: Card) -> tuple[int, int]:
    return points_of(card), height(card)


class GreedyBot(GameBot):
    game = "hearts"

    def give(self, view: HeartsView) -> Pass:
        one, two, three = sorted(view.hand, key=_burden)[-3:]
        return Pass((one, two, three))

    def play(self, view: HeartsView) -> Play:
        return duck(view)


if __name__ == "__main__":
    run(GreedyBot)
