"""The meaning of the numbers of `pips_sdk.env` in Serpent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from pips_referee.cards import CARDS
from pips_referee.game import Action, Options
from pips_sdk.learning.fields import ObservedField
from pips_sdk.learning.space import Numbers, Space, write_counts, write_row
from pips_sdk.serpent import Answer, Give, Lead, Reveal, SerpentView

COLUMNS: Final = 6


class SerpentSpace(Space[SerpentView]):
    """0 to 51: lead or answer that card. 52 to 135: give or reveal three cards.

    The three cards are given by their places in `playable`, in ascending order.

    An observation has, by card: hidden in the hand, face up in it, face up in the other
    seat's, the lead. Then both rows; the kind of question; whether the seat directs;
    the hand's number, how many cards the other seat hides, both seats' points.
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


def space(_options: Options, _seats: int) -> Space[Any]:
    """The space of every table."""
    return SerpentSpace()
