"""Imagines the cards it cannot see, plays each such hand to its end a few times, and takes what did best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random

from pips_sdk import run
from pips_sdk.search import rounds
from pips_sdk.serpent import Card, SerpentBot, SerpentView, Suit, points

PACK = [Card.of(rank, suit) for suit in Suit for rank in range(1, 14)]
DIRECTOR, DEFENDER = 0, 1
WORLDS = 16
CARELESS = 0.3


def closeness(a: int, b: int) -> int:
    """3 for equal ranks, 2 for neighbours on the rank circle, 1 for ranks two apart, else 0."""
    return max(0, 3 - min((a - b) % 13, (b - a) % 13))


CLOSE = [[closeness(a, b) for b in range(14)] for a in range(14)]
NOTHING_THERE = [0] * 14


class Hand:
    """A hand in an imagined world where all cards are known; lists of two are by role, the director's first."""

    def __init__(self, cards: list[list[Card]], rows: list[list[int]], role: int, lead: Card | None) -> None:
        self.cards = cards
        self.rows = rows
        self.role = role
        self.lead = lead

    def copy(self) -> Hand:
        return Hand([cards[:] for cards in self.cards], [row[:] for row in self.rows], self.role, self.lead)

    def play(self, card: Card) -> None:
        self.cards[self.role].remove(card)
        self.rows[self.role].append(card.rank)
        if self.lead is None:
            self.lead = card
            self.role = 1 - self.role
        else:
            self.lead = None

    def playable(self) -> list[Card]:
        cards, lead = self.cards[self.role], self.lead
        if lead is None:
            return cards
        return [card for card in cards if card.suit is lead.suit or card.rank == lead.rank] or cards

    def likely(self, playable: list[Card], rng: Random) -> Card:
        """Mostly what looks good: the director wants close ranks side by side, the defender does not."""
        row = self.rows[self.role]
        if len(playable) == 1 or rng.random() < CARELESS:
            return playable[int(rng.random() * len(playable))]
        left = CLOSE[row[-1]] if row else NOTHING_THERE
        beside = CLOSE[self.lead.rank] if self.lead else NOTHING_THERE
        fits = [left[card.rank] + beside[card.rank] for card in playable]
        return playable[fits.index(max(fits) if self.role == DIRECTOR else min(fits))]

    def finish(self, rng: Random) -> int:
        """Play the hand to its end; the director's points."""
        while self.cards[self.role]:
            self.play(self.likely(self.playable(), rng))
        return points(self.rows[DIRECTOR] + self.rows[DEFENDER])


class SearchBot(SerpentBot):
    """A fixed number of imagined worlds a card, so that it answers the same on a slow machine."""

    def give(self, view: SerpentView) -> Sequence[Card]:
        """Keep the six cards that fit together best."""

        def together(given: Sequence[Card]) -> int:
            kept = [card.rank for card in view.playable if card not in given]
            return sum(CLOSE[a][b] for a, b in combinations(kept, 2))

        return max(combinations(view.playable, 3), key=together)

    def reveal(self, view: SerpentView) -> Sequence[Card]:
        """Show the three cards that fit the others least."""

        def fit(card: Card) -> int:
            return sum(CLOSE[card.rank][other.rank] for other in view.playable)

        return sorted(view.playable, key=fit)[:3]

    def lead(self, view: SerpentView) -> Card:
        return self.best(view)

    def answer(self, view: SerpentView) -> Card:
        return self.best(view)

    def best(self, view: SerpentView) -> Card:
        total = dict.fromkeys(view.playable, 0)
        for _ in rounds(WORLDS):
            world = self.imagine(view)
            for card in view.playable:
                hand = world.copy()
                hand.play(card)
                total[card] += hand.finish(self.rng)
        return max(total, key=total.__getitem__) if view.is_director else min(total, key=total.__getitem__)

    def imagine(self, view: SerpentView) -> Hand:
        """A world that agrees with everything this seat sees."""
        known = {*view.hand, *view.other_face_up, *view.my_row, *view.other_row}
        unseen = [card for card in PACK if card not in known]
        cards = [list(view.hand), [*view.other_face_up, *self.rng.sample(unseen, view.other_hidden_count)]]
        rows = [[card.rank for card in row if card is not None] for row in (view.my_row, view.other_row)]
        if not view.is_director:
            cards.reverse()
            rows.reverse()
        return Hand(cards, rows, DIRECTOR if view.is_director else DEFENDER, view.lead)


if __name__ == "__main__":
    run(SearchBot)
