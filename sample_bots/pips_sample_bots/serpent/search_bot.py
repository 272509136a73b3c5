"""Imagines hidden cards many times, plays to the end, and takes the best card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from random import Random

from pips_sdk import run
from pips_sdk.search import compare
from pips_sdk.serpent import Card, SerpentBot, SerpentView, Suit, points

PACK = [Card.of(rank, suit) for suit in Suit for rank in range(1, 14)]
DIRECTOR, DEFENDER = 0, 1
WORLDS = 16
CARELESS = 0.3


def closeness(a: Card, b: Card) -> int:
    """3 for equal ranks, 2 for neighbours on the circle, 1 for two apart, else 0."""
    return max(0, 3 - min((a.rank - b.rank) % 13, (b.rank - a.rank) % 13))


CLOSE = [[closeness(a, b) for b in PACK] for a in PACK]
"""`closeness` by two cards, as numbers from 0 to 51."""
NOTHING_THERE = [0] * len(PACK)
FOLLOWS = [{card for card in PACK if card.suit == lead.suit or card.rank == lead.rank} for lead in PACK]
"""By card led, the cards that may answer it."""


class Hand:
    """A hand with all cards known; lists of two are by role, director first."""

    def __init__(self, cards: list[list[Card]], rows: list[list[Card]], role: int, lead: Card | None) -> None:
        self.cards = cards
        self.rows = rows
        self.role = role
        self.lead = lead

    def copy(self) -> Hand:
        return Hand([cards[:] for cards in self.cards], [row[:] for row in self.rows], self.role, self.lead)

    @property
    def to_ask(self) -> int | None:
        """The role that plays next; None once all cards are played."""
        return self.role if self.cards[self.role] else None

    def apply(self, card: Card) -> None:
        self.cards[self.role].remove(card)
        self.rows[self.role].append(card)
        if self.lead is None:
            self.lead = card
            self.role = 1 - self.role
        else:
            self.lead = None

    def playable(self) -> list[Card]:
        cards = self.cards[self.role]
        if self.lead is None:
            return cards
        follows = FOLLOWS[self.lead]
        return [card for card in cards if card in follows] or cards

    def likely_end(self, rng: Random) -> Card:
        """Play plausible cards up to the last, and return that one.

        Mostly they are good cards: the director wants close ranks side by side.
        """
        random, role, lead = rng.random, self.role, self.lead
        while True:
            cards, row = self.cards[role], self.rows[role]
            playable = cards
            if lead is not None:
                follows = FOLLOWS[lead]
                playable = [card for card in cards if card in follows] or cards
            if len(playable) == 1 or random() < CARELESS:
                card = playable[int(random() * len(playable))]
            else:
                left = CLOSE[row[-1]] if row else NOTHING_THERE
                beside = NOTHING_THERE if lead is None else CLOSE[lead]
                fits = [left[card] + beside[card] for card in playable]
                card = playable[fits.index(max(fits) if role == DIRECTOR else min(fits))]
            if lead is not None and len(cards) == 1:
                self.role, self.lead = role, lead
                return card
            cards.remove(card)
            row.append(card)
            if lead is None:
                lead, role = card, 1 - role
            else:
                lead = None

    def worth(self) -> int:
        """The director's points, once all cards are played."""
        return points([card.rank for card in self.rows[DIRECTOR] + self.rows[DEFENDER]])


@dataclass(frozen=True)
class Hands:
    """The source of worlds for the search: hands that a seat imagines."""

    seat: int
    imagine: Callable[[], Hand]

    def sample_world(self, rng: Random) -> Hand:
        return self.imagine()


class SearchBot(SerpentBot):
    """A fixed number of worlds per card, so that slow machines answer the same."""

    def give(self, view: SerpentView) -> Sequence[Card]:
        """Keep the six cards that fit together best."""

        def together(given: Sequence[Card]) -> int:
            kept = [card for card in view.playable if card not in given]
            return sum([CLOSE[a][b] for a, b in combinations(kept, 2)])

        return max(combinations(view.playable, 3), key=together)

    def reveal(self, view: SerpentView) -> Sequence[Card]:
        """Show the three cards that fit the others least."""

        def fit(card: Card) -> int:
            return sum(CLOSE[card][other] for other in view.playable)

        return sorted(view.playable, key=fit)[:3]

    def lead(self, view: SerpentView) -> Card:
        return self.best(view)

    def answer(self, view: SerpentView) -> Card:
        return self.best(view)

    def best(self, view: SerpentView) -> Card:
        sign, rng = (1 if view.is_director else -1), self.rng

        def likely(hand: Hand) -> Card:
            return hand.likely_end(rng)

        def worth(hand: Hand, _: int) -> int:
            return sign * hand.worth()

        hands = Hands(view.seat, partial(self.imagine, view))
        return compare(hands, view.playable, likely, rng, worlds=WORLDS, result=worth).best

    def imagine(self, view: SerpentView) -> Hand:
        """A world that agrees with everything this seat sees."""
        known = {*view.hand, *view.other_face_up, *view.my_row, *view.other_row}
        unseen = [card for card in PACK if card not in known]
        cards = [list(view.hand), [*view.other_face_up, *self.rng.sample(unseen, view.other_hidden_count)]]
        rows = [[card for card in row if card is not None] for row in (view.my_row, view.other_row)]
        if not view.is_director:
            cards.reverse()
            rows.reverse()
        return Hand(cards, rows, DIRECTOR if view.is_director else DEFENDER, view.lead)


if __name__ == "__main__":
    run(SearchBot)
