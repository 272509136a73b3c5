"""Weighs a card's chance to win now against its worth in hand, above all in pairs."""

from __future__ import annotations

from pips_sdk import run
from pips_sdk.pippip import (
    CARDS,
    HEIGHT,
    PAIR_CARDS,
    Card,
    PippipBot,
    PippipView,
    Suit,
    card_points,
    would_win,
)

CALL_POINTS = 50
KINGS_AND_QUEENS = {card for pair in PAIR_CARDS for card in pair}
USED_TO_FOLLOW, USED_TO_TRUMP = 0.7, 0.1
"""How likely a seat is to play a card that beats mine, if it has one."""
HIGHER = [[c for c in CARDS if c.suit == card.suit and HEIGHT[c] >= HEIGHT[card]] for card in CARDS]
"""By card, the cards of its suit that would beat it if it were led."""
OF_SUIT = [slice(13 * suit, 13 * suit + 13) for suit in Suit]
"""The positions of each suit's cards among all cards."""


def cards_left(view: PippipView) -> list[int]:
    """By card, how many are in other hands or in the stock."""
    left = [2 - played for played in view.played]
    for cards in (view.hidden, view.rest, *view.face_up):
        for card in cards:
            left[card] -= 1
    return left


class Risk:
    """How likely the seats still to play are to beat a card, given the cards left."""

    def __init__(self, held: float, left: list[int], trumps: Suit, led: Suit | None) -> None:
        self.follow, self.trump = 1 - held * USED_TO_FOLLOW, 1 - held * USED_TO_TRUMP
        self.left, self.trumps, self.led = left, trumps, led
        self.trumps_left = sum(left[OF_SUIT[trumps]])

    def chance_to_hold(self, card: Card) -> float:
        """The probability that none of them beats the card."""
        follow, trump, trumps, left = self.follow, self.trump, self.trumps, self.left
        suit = card.suit
        led = suit if self.led is None else self.led
        higher = sum([left[other] for other in HIGHER[card]])
        chance: float = (follow if suit == led else trump) ** higher
        if suit != trumps:
            chance *= (follow if led == trumps else trump) ** self.trumps_left
        return chance


class GreedyBot(PippipBot):
    def on_start(self) -> None:
        """Wait less for a safe trick the more seats there are."""
        self.fear = min(1.0, (4 / self.seats) ** 3)
        self.use = [self.fear * HEIGHT[card] / 10 + card_points(card) / 2 for card in CARDS]

    def call(self, view: PippipView) -> list[Suit]:
        """Call every pair, as each one scores; the strongest suit sets the trumps."""
        weakest_first = sorted(view.callable, key=lambda suit: sum(HEIGHT[c] + 5 for c in view.hand if c.suit == suit))
        return weakest_first if self.options.rules == "fosdick" else weakest_first[::-1]

    def play(self, view: PippipView) -> Card:
        left = cards_left(view)
        hopes = {card: self.hope(view, card, left) for card in view.hidden if card in KINGS_AND_QUEENS}
        risk, points = self.risk(view, left), sum([card_points(card) for card in view.trick])
        gains = [self.gain(view, card, points, risk) - self.worth(view, card, hopes) for card in view.playable]
        return view.playable[gains.index(max(gains))]

    def hope(self, view: PippipView, card: Card, left: list[int]) -> float:
        """The points that a hidden king or queen may bring by calls, now or later."""
        king, queen = PAIR_CARDS[card.suit]
        partner = queen if card == king else king
        if view.hidden.count(partner) >= view.hidden.count(card):
            return CALL_POINTS if len(view.hand) > 2 else 0
        draws = view.stock_count // len(view.points)
        return CALL_POINTS * (1 - (1 - draws / max(draws, sum(left), 1)) ** left[partner])

    def gain(self, view: PippipView, card: Card, taken: int, risk: Risk | None) -> float:
        """The points that this card may win now, minus those it may lose."""
        points = card_points(card)
        if view.trick and not would_win(card, view.trick, view.trumps):
            return -points * self.fear / 2
        chance = 1.0 if risk is None else risk.chance_to_hold(card)
        return chance * (points + taken) - (1 - chance) * points * self.fear / 2

    def risk(self, view: PippipView, left: list[int]) -> Risk | None:
        """The chances of the seats still to play; None if there are none."""
        later = len(view.points) - len(view.trick) - 1
        if not later:
            return None
        held = min(1, view.hand_counts[view.seat] * later / max(1, sum(left))) * self.fear
        return Risk(held, left, view.trumps, view.led)

    def worth(self, view: PippipView, card: Card, hopes: dict[Card, float]) -> float:
        """The worth of the card if it stays in the hand."""
        worth = self.use[card] + 2 * (card.suit == view.trumps)
        if not hopes or card in view.face_up[view.seat]:
            return worth
        if card in hopes:
            return worth + hopes[card]
        guarded = sum([hope for other, hope in hopes.items() if other.suit == card.suit])
        if not guarded:
            return worth
        guards = [other for other in view.hand if other.suit == card.suit and other not in hopes]
        return worth + guarded / 5 / len(guards) ** 2


if __name__ == "__main__":
    run(GreedyBot)
