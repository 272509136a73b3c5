"""Pip-Pip!'s values as messages of pippip.proto."""

from __future__ import annotations

from typing import Any, Final

from pips_referee.cards import CARDS
from pips_referee.errors import MalformedMessage
from pips_referee.games.pippip.rules import GAME
from pips_referee.games.pippip.values import (
    HOUSE,
    Dealt,
    PippipAction,
    PippipEvent,
    PippipOptions,
    PippipView,
    Play,
)
from pips_referee.wire import ONE_CARD, Form, GameWire, Part, read_card, read_cards, read_suit


def _put_dealt(out: Any, name: str, dealt: Dealt) -> None:
    member = getattr(out, name)
    member.hand_number, member.dealer, member.trumps = dealt.hand_number, dealt.dealer, dealt.trumps
    member.hands.extend([bytes(hand or ()) for hand in dealt.hands])  # one that may not be seen is empty


def _get_dealt(sent: Any, name: str) -> Dealt:
    member = getattr(sent, name)
    hands = tuple([read_cards(hand, "hands") or None for hand in member.hands])
    return Dealt(member.hand_number, member.dealer, read_suit(member.trumps, "trumps"), hands)


def _read_played(played: bytes, name: str) -> tuple[int, ...]:
    if len(played) != len(CARDS):
        raise MalformedMessage(f"{name}: there are {len(CARDS)} cards to count, not {len(played)}")
    return tuple(played)


_PLAY: Final = Form(
    Play,
    lambda out, _, play: setattr(out, "play_face_up" if play.face_up else "play", ONE_CARD[play.card]),
    lambda sent, name: Play(read_card(getattr(sent, name), name), name == "play_face_up"),
)


class PippipWire(GameWire[PippipOptions, PippipView, PippipAction, PippipEvent]):
    """Pip-Pip!'s plays are one class, with two members: for hidden and open cards."""


WIRE: Final = PippipWire(
    GAME,
    parts={"played": Part(bytes, _read_played)},
    usual={"windows": HOUSE},
    forms={"play": _PLAY, "play_face_up": _PLAY, "dealt": Form(Dealt, _put_dealt, _get_dealt)},
)
