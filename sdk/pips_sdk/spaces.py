"""What the numbers of `pips_sdk.env` mean: each game's actions and observations.

`fields` names the numbers of an observation in order, and says what each is divided by
to lie from 0 to 1. Seats are counted from the seat that looks: it is 0, the seat on its
left 1. A card is its byte plus 1, and 0 is no card.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, islice
from typing import Any, Final, cast

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.game import Action, Options
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
from pips_sdk.learning.fields import ObservedField, scales
from pips_sdk.learning.layouts import WichitaSpace
from pips_sdk.learning.space import Numbers, Space, seats_from, write_counts, write_row
from pips_sdk.pippip import Call, PippipView, Play
from pips_sdk.serpent import Answer, Give, Lead, Reveal, SerpentView

__all__ = ["DominionSpace", "PippipSpace", "SerpentSpace", "scales", "space_of"]

COLUMNS: Final = 6


class SerpentSpace(Space[SerpentView]):
    """0 to 51: lead or answer that card. 52 to 135: give or reveal three cards.

    The three are cards of `playable`, by their places in order.

    Observed by card: hidden in the hand, face up in it, face up before the other, the
    lead. Then both rows; the kind of question; whether the seat directs; the hand's
    number, the other's hidden cards, both points.
    """

    KINDS = ("give", "reveal", "lead", "answer")
    action_count = len(CARDS) + 84
    fields = (
        ObservedField("hidden", len(CARDS)),
        ObservedField("face_up", len(CARDS)),
        ObservedField("other_face_up", len(CARDS)),
        ObservedField("lead", len(CARDS)),
        ObservedField("my_row", 6, len(CARDS)),
        ObservedField("other_row", 6, len(CARDS)),
        ObservedField("kind", 4),
        ObservedField("is_director", 1),
        ObservedField("hand_number", 1, 12),
        ObservedField("other_hidden_count", 1, 6),
        ObservedField("my_points", 1, 200),
        ObservedField("other_points", 1, 200),
    )

    def numbers(self, view: SerpentView, said: Sequence[int] = ()) -> Sequence[int]:
        if view.kind in ("lead", "answer"):
            return view.playable
        count = len(view.playable)
        return range(len(CARDS), len(CARDS) + count * (count - 1) * (count - 2) // 6)

    def action(self, view: SerpentView, said: Sequence[int]) -> Action:
        (number,) = said
        match view.kind:
            case "lead":
                return Lead(CARDS[number])
            case "answer":
                return Answer(CARDS[number])
            case kind:
                cards = [*combinations(view.playable, 3)][number - len(CARDS)]
                return Give(cards) if kind == "give" else Reveal(cards)

    def spell(self, view: SerpentView, action: Action) -> tuple[int, ...]:
        if isinstance(action, (Lead, Answer)):
            return (int(action.card),)
        assert isinstance(action, (Give, Reveal))
        return (len(CARDS) + [*map(set, combinations(view.playable, 3))].index(set(action.cards)),)

    def write(self, view: SerpentView, said: Sequence[int], into: Numbers, at: int) -> None:
        cards = len(CARDS)
        write_counts(view.hidden, into, at)
        write_counts(view.face_up, into, at + cards)
        write_counts(view.other_face_up, into, at + 2 * cards)
        if view.lead is not None:
            into[at + 3 * cards + view.lead] = 1
        at += 4 * cards
        for place, card in enumerate((*view.my_row, *view.other_row), at):
            if card is not None:
                into[place] = card + 1
        at += 2 * COLUMNS
        if view.kind:
            into[at + self.KINDS.index(view.kind)] = 1
        numbers = (view.is_director, view.hand_number, view.other_hidden_count, view.my_points, view.other_points)
        write_row(numbers, into, at + len(self.KINDS))


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
    _ACTIONS: Final[tuple[Action, ...]] = (
        *[Play(card, face_up=False) for card in CARDS],
        *[Play(card, face_up=True) for card in CARDS],
        *map(Call, CALLS),
    )
    action_count = len(_ACTIONS)

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self._marks = [tuple([int(other == seat) for other in range(seats)]) for seat in range(seats)]
        """By seat from the one that looks, a 1 at its place."""
        self.fields = (
            ObservedField("hidden", len(CARDS), 2),
            ObservedField("played", len(CARDS), 2),
            ObservedField("rest", len(CARDS), 2),
            ObservedField("face_up", len(CARDS) * seats, 2),
            ObservedField("trick", seats, len(CARDS)),
            ObservedField("kind", 2),
            ObservedField("trumps", 1, 4),
            ObservedField("next_trumps", 1, 4),
            ObservedField("last_call_rules", 1),
            ObservedField("drawing", 1),
            ObservedField("stock_count", 1, 2 * len(CARDS)),
            ObservedField("hand_number", 1, 12),
            ObservedField("hands", 1, 12),
            ObservedField("leader", seats),
            ObservedField("dealer", seats),
            ObservedField("hand_counts", seats, 7),
            ObservedField("tricks", seats, 52),
            ObservedField("points", seats, 1000),
            ObservedField("suit_limits", 4 * seats, 7),
        )

    def numbers(self, view: PippipView, said: Sequence[int] = ()) -> Sequence[int]:
        if view.kind == "play" and not view.face_up[view.seat]:
            return view.playable
        return [self._number(action) for action in view.legal_actions()]

    def action(self, view: PippipView, said: Sequence[int]) -> Action:
        (number,) = said
        return self._ACTIONS[number]

    def spell(self, view: PippipView, action: Action) -> tuple[int, ...]:
        return (self._number(action),)

    def _number(self, action: Action) -> int:
        if isinstance(action, Call):
            return self._CALL_NUMBER[action.suits]
        assert isinstance(action, Play)
        return action.card + len(CARDS) * action.face_up

    def write(self, view: PippipView, said: Sequence[int], into: Numbers, at: int) -> None:
        seat, seats, cards = view.seat, self.seats, len(CARDS)
        write_counts(view.hidden, into, at)
        write_row([*view.played], into, at + cards)
        if view.rest:
            write_counts(view.rest, into, at + 2 * cards)
        at += 3 * cards
        for other, lying in enumerate(view.face_up):
            if lying:
                write_counts(lying, into, at + (other - seat) % seats * cards)
        at += seats * cards
        for place, card in enumerate(view.trick, at):
            into[place] = card + 1
        limits = view.suit_limits
        numbers = (
            view.kind == "call",
            view.kind == "play",
            view.trumps + 1,
            0 if view.next_trumps is None else view.next_trumps + 1,
            view.last_call_rules,
            view.drawing,
            view.stock_count,
            view.hand_number,
            view.hands,
            *self._marks[view.leader - seat],
            *self._marks[view.dealer - seat],
            *view.hand_counts[seat:],
            *view.hand_counts[:seat],
            *view.tricks[seat:],
            *view.tricks[:seat],
            *view.points[seat:],
            *view.points[:seat],
            *limits[4 * seat :],
            *limits[: 4 * seat],
        )
        write_row(numbers, into, at + seats)


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
        self.fields = (
            ObservedField("ranks", cells, 13),
            ObservedField("suits", cells, 4),
            ObservedField("armies", cells, 13),
            ObservedField("owners", cells, seats),
            ObservedField("discards", len(CARDS)),
            ObservedField("turned", 1, len(CARDS)),
            ObservedField("kind", len(self.KINDS)),
            ObservedField("must_attack", 1),
            ObservedField("conquest", 2, cells),
            ObservedField("conquest_most", 1, self.COUNTS),
            ObservedField("dice", 2, 13),
            ObservedField("round", 1, 100),
            ObservedField("max_rounds", 1, 100),
            ObservedField("resigned", seats),
            ObservedField("turn", seats),
        )
        self.directions = {
            (cell, other): self._direction(other - cell)
            for cell in range(cells)
            for other in neighbours(cell, self.size)
        }
        self._view: DominionView | None = None
        self._numbers: list[int] = []
        self._playfield: Sequence[Card] = ()
        self._ranks_and_suits: list[int] = []

    def _direction(self, step: int) -> int:
        return (-self.size, -1, 1, self.size).index(step)

    def numbers(self, view: DominionView, said: Sequence[int] = ()) -> Sequence[int]:
        if view is not self._view:  # those of the last view are kept
            self._view, self._numbers = view, self._legal(view)
        return self._numbers

    def _legal(self, view: DominionView) -> list[int]:
        """The numbers of the legal actions, in their order."""
        most: Sequence[Advance | Deploy] = view.advances or view.deployments
        if most:  # up to so many armies each, whose numbers follow each other
            last = [self.number(move) for move in most]
            counts = [range(end + 1 - move.count, end + 1) for end, move in zip(last, most, strict=True)]
            return [self.PASS, *chain.from_iterable(counts)]
        return [*map(self.number, view.legal_actions())]

    def action(self, view: DominionView, said: Sequence[int]) -> Action:
        return next(islice(view.legal_actions(), self.numbers(view).index(said[0]), None))

    def spell(self, view: DominionView, action: Action) -> tuple[int, ...]:
        return (self.number(cast(DominionAction, action)),)

    def number(self, action: DominionAction) -> int:
        """The number of an action."""
        if isinstance(action, Advance):  # the most frequent first; `match` takes twice as long
            edge = 4 * action.source + self.directions[action.source, action.target]
            return self.advance + self.COUNTS * edge + action.count - 1
        if isinstance(action, Deploy):
            return self.deploy + 6 * action.cell + action.count - 1
        if isinstance(action, Attack):
            return self.attack + 4 * action.source + self.directions[action.source, action.target]
        if isinstance(action, Pass):
            return self.PASS
        if isinstance(action, Conquer):
            return self.conquer + action.count
        return self.KING + action.cell if isinstance(action, (Reinforce, Remove)) else self.YES

    def write(self, view: DominionView, said: Sequence[int], into: Numbers, at: int) -> None:
        conquest, cells, seat = view.conquest, self.cells, view.seat
        if view.playfield is not self._playfield:
            ranks, suits = [card.rank for card in view.playfield], [card.suit + 1 for card in view.playfield]
            self._playfield, self._ranks_and_suits = view.playfield, ranks + suits
        owners = [0 if owner is None else (owner - seat) % self.seats + 1 for owner in view.owners]
        write_row((*self._ranks_and_suits, *view.armies, *owners), into, at)
        at += 4 * cells
        write_counts(view.discards, into, at)
        at += len(CARDS)
        if view.turned is not None:
            into[at] = view.turned + 1
        if view.kind:
            into[at + 1 + self.KINDS.index(view.kind)] = 1
        numbers = (
            view.must_attack,
            *((0, 0, 0) if conquest is None else (conquest.source + 1, conquest.target + 1, conquest.most)),
            *(view.dice or (0, 0)),
            view.round,
            view.max_rounds,
            *seats_from(seat, view.resigned),
        )
        write_row(numbers, into, at + 1 + len(self.KINDS))
        into[at + 1 + len(self.KINDS) + len(numbers) + (view.turn - seat) % self.seats] = 1


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
