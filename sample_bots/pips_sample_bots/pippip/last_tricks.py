"""The last seven tricks, played on in many imagined worlds at once, with numpy.

No more cards are drawn in them, so playouts are informative. All seats play like
`greedy`, except that nobody calls: hardly any pair is left by then. Worlds get a lower
weight the more cards others have played in these tricks that `greedy` would have kept.

Each row of an array is one world; in the playouts it is one world with one answer.
Cards are columns: suit by suit, from the lowest up.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pips_sample_bots.pippip.greedy_bot import USED_TO_FOLLOW, USED_TO_TRUMP
from pips_sdk.pippip import CARDS, HEIGHT, Card, PippipView, Played, Suit, card_points

Numbers = NDArray[Any]
OF_SUIT: Final = 13
COLUMN: Final = [OF_SUIT * card.suit + HEIGHT[card] - 1 for card in CARDS]
_ORDER: Final = sorted(CARDS, key=COLUMN.__getitem__)
SUIT: Final = np.array([card.suit for card in _ORDER])
POINTS: Final = np.array([card_points(card) for card in _ORDER], np.float32)
HEIGHTS: Final = np.array([HEIGHT[card] for card in _ORDER])
IS_TRUMP: Final = np.array([trumps == SUIT for trumps in Suit])
"""By trumps and card, whether the card is a trump."""
STRENGTH: Final = np.array(
    [[np.where(trumps == SUIT, HEIGHTS + OF_SUIT, HEIGHTS * (led == SUIT)) for led in Suit] for trumps in Suit]
)
"""By trumps, suit led and card, its strength: the highest wins, 0 never does."""
HIGHER: Final = ((SUIT[:, np.newaxis] == SUIT) & (HEIGHTS[:, np.newaxis] >= HEIGHTS)).astype(np.float32)
"""By card, 1 for each card of its suit that would beat it if it were led."""
HAND_CARDS: Final = 7
WORLDS: Final = 40
HANDS: Final = 160
"""The most hands in all worlds together: with many seats there are fewer worlds."""
DEALS: Final = 6
"""How many deals are imagined for each one used: the most plausible are used."""
DECIMALS: Final = 9
"""Compared values are rounded, so that equal cards are equal on every machine."""
SURPRISE: Final = 0.25
"""The factor of a deal's weight for each card that `greedy` would not have played."""


def gains(view: PippipView, left: list[int], heard: Sequence[Played], rng: Random) -> list[float]:
    """For each playable card, my final points minus the others' mean.

    The tricks of `heard` are played first, so only differences matter.
    """
    cards = [COLUMN[card] for card in view.playable]
    plays = known_plays(view, heard)
    worlds = min(WORLDS, HANDS // len(view.points))
    hidden, unlike = imagined(view, left, DEALS * worlds, rng)
    tables = LastTricks(view, hidden, plays)
    unlike = unlike + tables.replay(plays, view.seat)
    likest = np.argsort(unlike, kind="stable")[:worlds]
    weights = SURPRISE ** (unlike[likest] - unlike[likest[0]])
    tables.keep(np.tile(likest, len(cards)))
    tables.next_trumps = view.trumps if view.next_trumps is None else view.next_trumps
    tables.play(np.repeat(cards, worlds))
    points = tables.play_out()
    mine = points[:, view.seat]
    ahead = mine - (points.sum(1) - mine) / (tables.seats - 1)
    weighed = ahead.reshape(len(cards), worlds) * (weights / weights.sum())
    means: list[float] = weighed.sum(1).round(DECIMALS).tolist()
    return means


def known_plays(view: PippipView, heard: Sequence[Played]) -> Sequence[Played]:
    """The plays of the last seven tricks; without them, those of the current trick."""
    seats, laid = len(view.points), len(view.trick)
    since = seats * HAND_CARDS - sum(view.hand_counts)
    last = heard[-since:] if since else ()
    if len(last) % seats == laid and tuple(play.card for play in last[len(last) - laid :]) == view.trick:
        return last
    return [Played((view.leader + place) % seats, card, False) for place, card in enumerate(view.trick)]


def counted(cards: tuple[Card, ...]) -> Numbers:
    """How many copies there are of each card."""
    return np.bincount(np.array([COLUMN[card] for card in cards], np.int64), minlength=len(CARDS)).astype(np.int8)


def imagined(view: PippipView, left: list[int], worlds: int, rng: Random) -> tuple[Numbers, Numbers]:
    """Hidden cards by world, seat and card, and how many cards break the limits.

    They are dealt one by one: a seat's chance is proportional to the room in its hand.
    """
    seats, rows = len(view.points), np.arange(worlds)
    room = np.zeros((worlds, seats), np.int64)
    room[:] = [
        (count - len(lying)) * (seat != view.seat)
        for seat, (count, lying) in enumerate(zip(view.hand_counts, view.face_up, strict=True))
    ]
    limits = np.array(list(view.suit_limits)).reshape(seats, len(Suit))
    suit_room = np.repeat(limits.T[:, np.newaxis], worlds, 1)
    hidden = np.zeros((worlds, seats, len(CARDS)), np.int8)
    unlike = np.zeros(worlds, np.int64)
    unseen = [card for card, count in zip(CARDS, left, strict=True) for _ in range(count)]
    choices = (limits > 0).sum(0)
    for card in sorted(unseen, key=lambda card: choices[card.suit]):
        fits = room * (suit_room[card.suit] > 0)
        ends = fits.cumsum(1)
        if not ends[:, -1].all():
            lacks = ends[:, -1] == 0
            unlike += lacks
            ends[lacks] = room[lacks].cumsum(1)
        drawn = np.array([rng.random() for _ in rows]) * ends[:, -1]
        seat = (drawn[:, np.newaxis] >= ends).sum(1)
        hidden[rows, seat, COLUMN[card]] += 1
        room[rows, seat] -= 1
        suit_room[card.suit, rows, seat] -= 1
    hidden[:, view.seat] = counted(view.hidden)
    return hidden, unlike


class LastTricks:
    """Many tables at the same point in a trick; each row plays its own cards."""

    cards: Numbers
    """By column, its card; cards that nobody holds have no column."""
    leader: Numbers
    turn: Numbers
    led: Numbers
    winner: Numbers
    best: Numbers
    """The strength of the best card so far."""
    taken: Numbers
    """The points in the trick so far."""

    def __init__(self, view: PippipView, hidden: Numbers, plays: Sequence[Played]) -> None:
        """The tables before these plays, which are the last ones of the hand."""
        self.seats, self.hidden, self.rows = len(view.points), hidden, np.arange(len(hidden))
        self.open = np.repeat(np.array([counted(cards) for cards in view.face_up])[np.newaxis], len(hidden), 0)
        for play in plays:
            (self.open if play.face_up else self.hidden)[:, play.seat, COLUMN[play.card]] += 1
        self.to_play = sum(view.hand_counts) + len(plays)
        self.trumps, self.next_trumps = view.trumps, view.trumps
        self.fear = min(1.0, (4 / self.seats) ** 3)
        self.points = np.zeros((len(hidden), self.seats))
        self.drop_columns(np.arange(len(CARDS)))
        self.begin_trick(np.full(len(hidden), plays[0].seat if plays else view.leader))

    def replay(self, plays: Sequence[Played], seat: int) -> Numbers:
        """Make these plays; by row, count other seats' plays unlike `greedy`'s."""
        strange = np.zeros(len(self.rows))
        for play in plays:
            card = np.full(len(self.rows), COLUMN[play.card])
            if play.seat != seat:
                strange += self.greedy_card() != card
            self.play(card, np.full(len(self.rows), play.face_up))
        return strange

    def keep(self, rows: Numbers) -> None:
        """Go on with only these rows; some may occur more than once."""
        self.hidden, self.open, self.points = self.hidden[rows], self.open[rows], self.points[rows]
        self.leader, self.turn, self.winner = self.leader[rows], self.turn[rows], self.winner[rows]
        self.led, self.best, self.taken = self.led[rows], self.best[rows], self.taken[rows]
        self.rows = np.arange(len(rows))
        self.drop_columns(self.cards)

    def drop_columns(self, cards: Numbers) -> None:
        """Keep only the columns of cards that some seat holds."""
        held = self.hidden.any((0, 1)) | self.open.any((0, 1))
        self.cards, self.hidden, self.open = cards[held], self.hidden[:, :, held], self.open[:, :, held]
        self.column = np.zeros(len(CARDS), np.int64)
        self.column[self.cards] = np.arange(len(self.cards))
        self.suit, self.worth = SUIT[self.cards], POINTS[self.cards]
        self.is_trump, self.strength = IS_TRUMP[:, self.cards], STRENGTH[:, :, self.cards]
        self.price = self.worth * (1 + self.fear) / 2 + self.fear * HEIGHTS[self.cards] / 10 + 2 * self.is_trump
        self.higher = HIGHER[np.ix_(self.cards, self.cards)]
        self.unseen = self.hidden.sum(1, dtype=np.float32)
        """By row and card, how many copies are hidden."""

    def begin_trick(self, leader: Numbers) -> None:
        self.laid, self.leader, self.turn, self.winner = 0, leader, leader, leader
        self.led = self.best = self.taken = np.zeros_like(leader)

    def play(self, card: Numbers, is_open: Numbers | None = None) -> None:
        """Play a card for the seat to move, the open one if it has two."""
        column = self.column[card]
        place = self.rows, self.turn, column
        if is_open is None:
            is_open = self.open[place] > 0
        self.open[place] -= is_open
        self.hidden[place] -= ~is_open
        self.unseen[self.rows, column] -= ~is_open
        self.to_play -= 1
        if not self.laid:
            self.led = SUIT[card]
        strength = STRENGTH[self.trumps, self.led, card]
        self.winner = np.where(strength >= self.best, self.turn, self.winner)
        self.best = np.maximum(strength, self.best)
        self.taken = self.taken + POINTS[card]
        self.laid += 1
        self.turn = (self.leader + self.laid) % self.seats
        if self.laid == self.seats:
            self.points[self.rows, self.winner] += self.taken
            self.trumps = self.next_trumps
            self.begin_trick(self.winner)

    def play_out(self) -> Numbers:
        """The points that each seat makes from now on, by row and seat."""
        while self.to_play:
            self.play(self.greedy_card())
        return self.points

    def greedy_card(self) -> Numbers:
        """The card that `greedy` would play."""
        hidden = self.hidden[self.rows, self.turn]
        hand = hidden + self.open[self.rows, self.turn]
        legal = hand > 0
        if self.laid:
            follows = legal & (self.led[:, np.newaxis] == self.suit)
            legal = np.where(follows.any(1, keepdims=True), follows, legal)
        won = self.worth * (1 + self.fear / 2) + self.taken[:, np.newaxis]
        later = self.seats - self.laid - 1
        if later:
            won *= self.chance_to_hold(self.unseen - hidden, later)
        if self.laid:
            won *= self.strength[self.trumps][self.led] >= self.best[:, np.newaxis]
        best = np.where(legal, won - self.price[self.trumps], -np.inf).argmax(1)
        return np.asarray(self.cards[best])

    def chance_to_hold(self, left: Numbers, later: int) -> Numbers:
        """By row and card, the chance that nobody beats it, as `greedy` sees it."""
        in_hand = -(-self.to_play // self.seats)
        held = np.minimum(1, in_hand * later / np.maximum(1, left.sum(1, np.float64, keepdims=True))) * self.fear
        follow, trump = np.log(1 - held * USED_TO_FOLLOW), np.log(1 - held * USED_TO_TRUMP)
        is_trump = self.is_trump[self.trumps]
        trumps_left = (left @ is_trump)[:, np.newaxis] * ~is_trump
        if not self.laid:
            return np.asarray(np.exp(left @ self.higher * follow + trumps_left * trump))
        led = self.led[:, np.newaxis]
        beats, ruffs = np.where(led == self.suit, follow, trump), np.where(led == self.trumps, follow, trump)
        return np.asarray(np.exp(left @ self.higher * beats + trumps_left * ruffs))
