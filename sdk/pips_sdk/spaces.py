"""What the numbers of `pips_sdk.env` mean: each game's actions and observations.

Seats are counted from the seat that looks: it is 0, the seat on its left 1. A card is
its byte plus 1, and 0 is no card.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.game import Action, Options, View
from pips_sdk.dominion import (
    Advance,
    Attack,
    Conquer,
    Deploy,
    DominionAction,
    DominionOptions,
    DominionView,
    Pass,
    Reinforce,
    Remove,
    neighbours,
)
from pips_sdk.pippip import Call, PippipView
from pips_sdk.serpent import Answer, Lead, SerpentView
from pips_sdk.wichita import DrawOn, Lay, WichitaView, best_layout

ViewT = TypeVar("ViewT", bound=View)


class Space(ABC, Generic[ViewT]):
    """The actions and observations of a game with these options and seats."""

    action_count: int
    observation_size: int

    @abstractmethod
    def legal(self, view: ViewT) -> dict[int, Action]:
        """The legal actions by their numbers."""

    @abstractmethod
    def observe(self, view: ViewT) -> list[int]:
        """What the seat knows, as numbers from 0 up."""


class SerpentSpace(Space[SerpentView]):
    """0 to 51: lead or answer that card. 52 to 135: give or reveal three cards.

    The three are cards of `playable`, by their places in order.

    Observed by card: hidden in the hand, face up in it, face up before the other, the
    lead. Then both rows; the kind of question; whether the seat directs; the hand's
    number, the other's hidden cards, both points.
    """

    KINDS = ("give", "reveal", "lead", "answer")
    action_count = len(CARDS) + 84
    observation_size = 4 * len(CARDS) + 12 + 4 + 5

    def legal(self, view: SerpentView) -> dict[int, Action]:
        if view.kind == "lead":
            return {card: Lead(card) for card in view.playable}
        if view.kind == "answer":
            return {card: Answer(card) for card in view.playable}
        return dict(enumerate(view.legal_actions(), len(CARDS)))

    def observe(self, view: SerpentView) -> list[int]:
        lead = () if view.lead is None else (view.lead,)
        return [
            *_counts(view.hidden),
            *_counts(view.face_up),
            *_counts(view.other_face_up),
            *_counts(lead),
            *[0 if card is None else card + 1 for card in (*view.my_row, *view.other_row)],
            *[int(view.kind == kind) for kind in self.KINDS],
            int(view.is_director),
            view.hand_number,
            view.other_hidden_count,
            view.my_points,
            view.other_points,
        ]


class WichitaSpace(Space[WichitaView]):
    """0: draw no more. 1: draw on. 2: lay the best layout. 3 to 31: other layouts.

    Those are the first 29 of `legal_actions()`; the first of them lays nothing.

    Observed by rank: the cards in hand, laid and unseen. Then the kind of question; the
    dice; stock and packs. By seat: hand size, points, whether it is its turn.
    """

    LAYOUTS = 29
    action_count = 3 + LAYOUTS

    def __init__(self, seats: int) -> None:
        self.observation_size = 3 * 13 + 2 + 2 + 2 + 3 * seats

    def legal(self, view: WichitaView) -> dict[int, Action]:
        if view.kind == "draw":
            return {0: DrawOn(False), 1: DrawOn(True)}
        best = best_layout(view.hand, view.dice, bonus=view.stock_size > 0)
        return {2: Lay(best.stacks), **dict(enumerate(islice(view.legal_actions(), self.LAYOUTS), 3))}

    def observe(self, view: WichitaView) -> list[int]:
        ranks = [0] * 13
        for card in view.hand:
            ranks[card.rank - 1] += 1
        return [
            *ranks,
            *view.laid,
            *view.unseen,
            int(view.kind == "draw"),
            int(view.kind == "lay"),
            *view.dice,
            view.stock_size,
            view.decks,
            *_from(view.seat, view.hand_sizes),
            *_from(view.seat, view.points),
            *_from(view.seat, [int(seat == view.player) for seat in range(len(view.points))]),
        ]


class PippipSpace(Space[PippipView]):
    """0 to 51: play that hidden card. 52 to 103: play it from those face up.

    From 104 on: call no pair, one, two or three, in the order of `CALLS`.

    Observed by card: whether it is hidden in the hand, how often it was played, and how
    often it lies in the open rest of the stock. By seat and card: those face up. Then
    the trick's cards; the kind of question; trumps and those to come (suit plus 1);
    whether the last call rules, whether cards are drawn; stock, hand and hands. By
    seat: the leader, the dealer, cards in hand, tricks, points, and `suit_limits`.
    """

    CALLS: Final[tuple[tuple[Suit, ...], ...]] = (
        (),
        *[(a,) for a in Suit],
        *[(a, b) for a in Suit for b in Suit],
        *[(a, b, c) for a in Suit for b in Suit for c in Suit],
    )
    _CALL_NUMBER: Final = {call: 2 * len(CARDS) + number for number, call in enumerate(CALLS)}
    action_count = 2 * len(CARDS) + len(CALLS)

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.observation_size = (3 + seats) * len(CARDS) + seats + 2 + 2 + 2 + 3 + 9 * seats

    def legal(self, view: PippipView) -> dict[int, Action]:
        numbered: dict[int, Action] = {}
        for action in view.legal_actions():
            if isinstance(action, Call):
                numbered[self._CALL_NUMBER[action.suits]] = action
            else:
                numbered[action.card + len(CARDS) * action.face_up] = action
        return numbered

    def observe(self, view: PippipView) -> list[int]:
        seat, seats = view.seat, self.seats
        return [
            *_counts(view.hidden),
            *view.played,
            *_counts(view.rest),
            *[count for cards in _from(seat, view.face_up) for count in _counts(cards)],
            *[card + 1 for card in view.trick],
            *[0] * (seats - len(view.trick)),
            int(view.kind == "call"),
            int(view.kind == "play"),
            view.trumps + 1,
            0 if view.next_trumps is None else view.next_trumps + 1,
            int(view.last_call_rules),
            int(view.drawing),
            view.stock_count,
            view.hand_number,
            view.hands,
            *_from(seat, [int(other == view.leader) for other in range(seats)]),
            *_from(seat, [int(other == view.dealer) for other in range(seats)]),
            *_from(seat, view.hand_counts),
            *_from(seat, view.tricks),
            *_from(seat, view.points),
            *view.suit_limits[4 * seat :],
            *view.suit_limits[: 4 * seat],
        ]


class DominionSpace(Space[DominionView]):
    """Pass, yes, and moves by cell and direction.

    With n cells, in this order: pass; yes (resign, declare); a king's army on or off
    each of n cells; conquer with 0 to 13 armies; attack out of each cell by direction
    (4 n); deploy 1 to 6 armies on each cell (6 n); advance 1 to 13 armies out of each
    cell by direction (52 n). Directions are above, left, right, below.

    Observed by cell: rank, suit plus 1, armies, owner plus 1. By card: whether it was
    discarded. Then the card turned; the kind of question; whether it must attack; the
    conquest's cells plus 1, and its most; the dice; the round and the last one. By
    seat: whether it resigned, and whether it is its turn.
    """

    KINDS = ("resign", "declare", "reinforce", "remove", "attack", "conquer", "advance", "deploy")
    PASS, YES, KING = 0, 1, 2
    COUNTS = 13

    def __init__(self, options: DominionOptions, seats: int) -> None:
        self.size = options.size_for(seats)
        self.seats = seats
        cells = self.cells = self.size**2
        self.conquer = self.KING + cells
        self.attack = self.conquer + self.COUNTS + 1
        self.deploy = self.attack + 4 * cells
        self.advance = self.deploy + 6 * cells
        self.action_count = self.advance + 4 * self.COUNTS * cells
        self.observation_size = 4 * cells + len(CARDS) + 1 + len(self.KINDS) + 1 + 3 + 2 + 2 + 2 * seats
        self.directions = {
            (cell, other): self._direction(other - cell)
            for cell in range(cells)
            for other in neighbours(cell, self.size)
        }

    def _direction(self, step: int) -> int:
        return (-self.size, -1, 1, self.size).index(step)

    def legal(self, view: DominionView) -> dict[int, Action]:
        return {self.number(action): action for action in view.legal_actions()}

    def number(self, action: DominionAction) -> int:
        """The number of an action."""
        match action:
            case Pass():
                return self.PASS
            case Reinforce(cell) | Remove(cell):
                return self.KING + cell
            case Conquer(count):
                return self.conquer + count
            case Attack(source, target):
                return self.attack + 4 * source + self.directions[source, target]
            case Deploy(cell, count):
                return self.deploy + 6 * cell + count - 1
            case Advance(source, target, count):
                return self.advance + self.COUNTS * (4 * source + self.directions[source, target]) + count - 1
            case _:
                return self.YES

    def observe(self, view: DominionView) -> list[int]:
        conquest = view.conquest
        owners = [0 if owner is None else (owner - view.seat) % self.seats + 1 for owner in view.owners]
        return [
            *[card.rank for card in view.playfield],
            *[card.suit + 1 for card in view.playfield],
            *view.armies,
            *owners,
            *_counts(view.discards),
            0 if view.turned is None else view.turned + 1,
            *[int(view.kind == kind) for kind in self.KINDS],
            int(view.must_attack),
            *((0, 0, 0) if conquest is None else (conquest.source + 1, conquest.target + 1, conquest.most)),
            *(view.dice or (0, 0)),
            view.round,
            view.max_rounds,
            *map(int, _from(view.seat, view.resigned)),
            *_from(view.seat, [int(seat == view.turn) for seat in range(self.seats)]),
        ]


T = TypeVar("T")


def _counts(cards: Iterable[Card]) -> list[int]:
    """The number of each of the 52 cards."""
    counts = [0] * len(CARDS)
    for card in cards:
        counts[card] += 1
    return counts


def _from(seat: int, by_seat: Sequence[T]) -> list[T]:
    """The values by seat, beginning with that seat and going left."""
    return [*by_seat[seat:], *by_seat[:seat]]


def space_of(game: str, options: Options, seats: int) -> Space[Any]:
    """The space of a game at such a table."""
    match game:
        case "serpent":
            return SerpentSpace()
        case "wichita":
            return WichitaSpace(seats)
        case "pippip":
            return PippipSpace(seats)
        case _:
            assert isinstance(options, DominionOptions)
            return DominionSpace(options, seats)
