"""Plays the answer that a small network rates best; searches the last seven tricks.

With two seats all cards are known in these tricks. Unless somebody can still call, it
plays them perfectly. With more seats it plays them in imagined worlds.
"""

from __future__ import annotations

from functools import cache

from pips_sample_bots.pippip.greedy_bot import cards_left
from pips_sample_bots.pippip.last_tricks import gains
from pips_sample_bots.pippip.outlook import Outlook
from pips_sdk import run
from pips_sdk.pippip import (
    CARDS,
    PAIR_CARDS,
    Card,
    Dealt,
    PippipAction,
    PippipBot,
    PippipView,
    Play,
    Played,
    Suit,
    TrumpsChanged,
    card_points,
    following,
    would_win,
)

HAND_CARDS = 7
ENOUGH_MS = 50
"""With less time in milliseconds, only the network answers."""
Cards = tuple[Card, ...]


class OpenHands:
    """The most points to win with two known hands, sorted, and no more calls.

    The search is perfect. Different orders of play lead to the same hands, so each pair
    of hands is examined only once: at most 3,432 for each leader with seven cards each.
    """

    def __init__(self, trumps: Suit) -> None:
        self.trumps = trumps
        self.ahead = cache(self._ahead)
        """The leader's points to come minus the other's, if both play perfectly."""

    def _ahead(self, leader: Cards, other: Cards) -> int:
        return max([self.led(card, without(leader, card), other) for card in leader], default=0)

    def led(self, lead: Card, leader: Cards, other: Cards) -> int:
        """`ahead` after a lead; the card is no longer in `leader`."""
        replies = following(other, lead.suit) or other
        return min([self.answered(lead, reply, leader, without(other, reply)) for reply in replies])

    def answered(self, lead: Card, reply: Card, leader: Cards, other: Cards) -> int:
        """`ahead` for the seat that led, once both cards are played."""
        points = card_points(lead) + card_points(reply)
        if would_win(reply, (lead,), self.trumps):
            return -points - self.ahead(other, leader)
        return points + self.ahead(leader, other)


def without(hand: Cards, card: Card) -> Cards:
    """The hand without one copy of the card."""
    place = hand.index(card)
    return hand[:place] + hand[place + 1 :]


class SearchBot(PippipBot):
    def on_start(self) -> None:
        self.outlook = Outlook(self.seats)
        self.open_hands = OpenHands(Suit.CLUBS)
        self.plays: list[Played] = []

    def on_event(self, event: object) -> None:
        match event:
            case Played():
                self.plays.append(event)
            case Dealt() | TrumpsChanged():
                self.plays.clear()

    def choose(self, view: PippipView) -> PippipAction:
        left = cards_left(view)
        if view.kind == "play" and not view.drawing:
            theirs = self.open_hand(view, left) if self.seats == 2 else None
            if theirs is not None:
                return self.perfect(view, theirs)
            if self.seats > 2 and not 0 < self.time_left_ms < ENOUGH_MS:
                return self.searched(view, left)
        actions = list(view.legal_actions())
        values = self.outlook.values(view, actions, left)
        return actions[values.index(max(values))]

    def searched(self, view: PippipView, left: list[int]) -> PippipAction:
        """The card with the best mean over imagined worlds."""
        ahead = gains(view, left, self.plays, self.rng)
        card = view.playable[ahead.index(max(ahead))]
        return Play(card, card in view.face_up[self.seat])

    def open_hand(self, view: PippipView, left: list[int]) -> Cards | None:
        """The other seat's cards; None if one of the two may still call a pair."""
        other = 1 - self.seat
        hidden = tuple([card for card, count in zip(CARDS, left, strict=True) for _ in range(count)])
        hands = (view.hidden, hidden)
        has_pair = any(king in hand and queen in hand for king, queen in PAIR_CARDS for hand in hands)
        if view.next_trumps is not None or has_pair:
            return None
        return tuple(sorted((*hidden, *view.face_up[other])))

    def perfect(self, view: PippipView, theirs: Cards) -> PippipAction:
        """The card that wins the most against perfect play."""
        if self.open_hands.trumps != view.trumps or len(view.hand) == HAND_CARDS:
            self.open_hands = OpenHands(view.trumps)
        hands, mine = self.open_hands, tuple(sorted(view.hand))

        def ahead(card: Card) -> int:
            left = without(mine, card)
            if view.trick:
                return -hands.answered(view.trick[0], card, theirs, left)
            return hands.led(card, left, theirs)

        card = max(view.playable, key=ahead)
        return Play(card, card in view.face_up[self.seat])


if __name__ == "__main__":
    run(SearchBot)
