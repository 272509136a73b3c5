"""Pip-Pip!'s values as messages of pippip.proto."""

from __future__ import annotations

from typing import Final

from pips.v1 import game_pb2
from pips_referee.cards import CARDS
from pips_referee.errors import MalformedMessage
from pips_referee.games.pippip.rules import GAME
from pips_referee.games.pippip.values import (
    FOSDICK,
    HERVEY,
    HOUSE,
    Call,
    Called,
    Cut,
    Dealt,
    DrawnForDeal,
    Drew,
    HandEnded,
    PippipAction,
    PippipEvent,
    PippipOptions,
    PippipView,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)
from pips_referee.wire import (
    CARD,
    CARD_TUPLE,
    CARD_TUPLES,
    NUMBERS,
    PLAIN,
    SUIT,
    SUIT_TUPLE,
    GameWire,
    OneOf,
    Part,
    alone,
    message,
    read_card,
    read_cards,
    read_suits,
    words,
)

_SOME_HANDS: Final = Part(
    lambda hands: [bytes(hand or ()) for hand in hands],
    lambda sent, name: tuple([read_cards(hand, name) or None for hand in sent]),
    repeated=True,
)
"""The hands by seat; one that may not be seen is empty."""
_WINDOWS: Final = words(HOUSE, FOSDICK, HERVEY, first=1)._replace(usual=HOUSE)


def _read_played(played: bytes, name: str) -> bytes:
    if len(played) != len(CARDS):
        raise MalformedMessage(f"{name}: there are {len(CARDS)} cards to count, not {len(played)}")
    return played


class PippipWire(GameWire[PippipOptions, PippipView, PippipAction, PippipEvent]):
    game = GAME.name
    options = message(
        PippipOptions,
        rules=words(FOSDICK, FOSDICK, HERVEY), rounds=Part(unset=1), windows=_WINDOWS,
        hands=Part(usual=None, unset=None),
    )  # fmt: skip
    views = message(
        PippipView,
        seat=PLAIN, kind=words("", *GAME.kinds), hand_number=PLAIN, hands=PLAIN, dealer=PLAIN, trumps=SUIT,
        next_trumps=SUIT._replace(usual=None, unset=None), leader=PLAIN, trick=CARD_TUPLE, hidden=CARD_TUPLE,
        face_up=CARD_TUPLES, hand_counts=NUMBERS, drawing=PLAIN, stock_count=PLAIN, rest=CARD_TUPLE,
        played=Part(read=_read_played), tricks=NUMBERS, points=NUMBERS, callable=SUIT_TUPLE, playable=CARD_TUPLE,
        suit_limits=PLAIN, last_call_rules=PLAIN, windows=_WINDOWS, windows_left=PLAIN,
    )  # fmt: skip
    events = OneOf(
        "a Pip-Pip! event has one kind; none is set",
        drawn_for_deal=message(DrawnForDeal, seats=NUMBERS, cards=CARD_TUPLE),
        cut=message(Cut, seat=PLAIN, card=CARD),
        dealt=message(Dealt, hand_number=PLAIN, dealer=PLAIN, trumps=SUIT, hands=_SOME_HANDS),
        called=message(Called, seat=PLAIN, suits=SUIT_TUPLE),
        trumps_changed=alone(TrumpsChanged, "trumps", SUIT),
        played=message(Played, seat=PLAIN, card=CARD, face_up=PLAIN),
        drew=message(Drew, seat=PLAIN, card=CARD._replace(usual=None)),
        trick_won=message(TrickWon, seat=PLAIN, points=PLAIN),
        stock_turned=alone(StockTurned, "cards", CARD_TUPLE),
        hand_ended=message(HandEnded, hand_number=PLAIN, points=NUMBERS),
    )

    def write_action(self, action: PippipAction, message: game_pb2.GameAction) -> None:
        out = message.pippip
        if isinstance(action, Call):
            out.call = bytes(action.suits)
        elif action.face_up:
            out.play_face_up = bytes((action.card,))
        else:
            out.play = bytes((action.card,))

    def read_action(self, message: game_pb2.GameAction) -> PippipAction:
        sent = message.pippip
        match sent.WhichOneof("kind"):
            case "play":
                return Play(read_card(sent.play, "play"))
            case "play_face_up":
                return Play(read_card(sent.play_face_up, "play_face_up"), True)
            case "call":
                return Call(read_suits(sent.call, "call"))
            case _:
                raise MalformedMessage("a Pip-Pip! action is one of call, play, play_face_up; none is set")


WIRE: Final = PippipWire()
