"""The meaning of the numbers of `pips_sdk.env` in Pip-Pip!."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pips_referee.cards import CARDS, Suit
from pips_referee.game import Action, Options
from pips_sdk.learning.fields import ObservedField
from pips_sdk.learning.space import Numbers, Space, write_counts, write_row
from pips_sdk.pippip import Call, PippipView, Play


class PippipSpace(Space[PippipView]):
    """0 to 51: play that hidden card. 52 to 103: play it from those face up.

    From 104 on: call no pair, one, two or three, in the order of `CALLS`.

    An observation has, by card: whether it is hidden in the hand, how often it was
    played, and how often it lies in the open rest of the stock. By seat and card: the
    open cards. Then the trick's cards; the kind of question; trumps and those to come
    (suit plus 1); whether the last call sets the trumps; whether cards are drawn; the
    cards in the stock; the number of the hand, and of all hands. By seat: the leader,
    the dealer, cards in hand, tricks, points, and `suit_limits`.
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
        """By seat, counted from the viewing one, a row with a 1 at the seat's index."""
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


def space(_: Options, seats: int) -> Space[Any]:
    """The space of a table with that many seats."""
    return PippipSpace(seats)
