"""Wichita's values as messages of wichita.proto."""

from __future__ import annotations

from typing import Final

from pips.v1 import game_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.games.wichita.rules import GAME
from pips_referee.games.wichita.values import (
    DrawOn,
    Drew,
    Laid,
    Lay,
    Rolled,
    RolledForFirst,
    TurnedUp,
    WichitaAction,
    WichitaEvent,
    WichitaOptions,
    WichitaView,
)
from pips_referee.wire import (
    CARD,
    CARD_TUPLE,
    CARD_TUPLES,
    DICE,
    PLAIN,
    GameWire,
    OneOf,
    alone,
    message,
    read_cards,
    read_two,
    unless_none,
)

_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}


class WichitaWire(GameWire[WichitaOptions, WichitaView, WichitaAction, WichitaEvent]):
    game = GAME.name
    actions = OneOf(
        "a Wichita action is one of draw, lay; none is set",
        draw=alone(DrawOn, "more"),
        lay=message(Lay, stacks=CARD_TUPLES),
    )
    events = OneOf(
        "a Wichita event has one kind; none is set",
        rolled_for_first=message(RolledForFirst, seat=PLAIN, dice=DICE),
        rolled=message(Rolled, seat=PLAIN, dice=DICE),
        drew=message(Drew, seat=PLAIN, count=PLAIN, cards=unless_none(CARD_TUPLE)),
        laid=message(Laid, seat=PLAIN, stacks=CARD_TUPLES, points=PLAIN),
        turned_up=message(TurnedUp, seat=PLAIN, card=CARD),
    )

    def write_options(self, options: WichitaOptions, message: game_pb2.GameOptions) -> None:
        message.wichita.decks = options.decks

    def read_options(self, message: game_pb2.GameOptions) -> WichitaOptions:
        return WichitaOptions(message.wichita.decks)

    def write_view(self, view: WichitaView, message: game_pb2.GameView) -> None:
        out = message.wichita
        out.seat = view.seat
        out.kind = _KIND_NUMBER[view.kind]  # type: ignore[assignment]  # enum fields take their number
        out.player = view.player
        out.dice = bytes(view.dice)
        out.hand = bytes(view.hand)
        out.hand_sizes.extend(view.hand_sizes)
        out.points.extend(view.points)
        out.stock_size = view.stock_size
        out.laid = bytes(view.laid)
        out.decks = view.decks

    def read_view(self, message: game_pb2.GameView) -> WichitaView:
        sent = message.wichita
        if sent.kind not in _KIND_NAME:
            raise MalformedMessage(f"kind: there is no question number {sent.kind}")
        return WichitaView(  # by position: names cost a tenth
            sent.seat,
            _KIND_NAME[sent.kind],
            sent.player,
            read_two(sent.dice, "dice"),
            read_cards(sent.hand, "hand"),
            tuple(sent.hand_sizes),
            tuple(sent.points),
            sent.stock_size,
            tuple(sent.laid),
            sent.decks,
        )


WIRE: Final = WichitaWire()
