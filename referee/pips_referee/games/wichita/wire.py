"""Wichita's values as messages of wichita.proto."""

from __future__ import annotations

from typing import Final, assert_never

from pips.v1 import game_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.games.wichita.rules import GAME
from pips_referee.games.wichita.values import (
    Dice,
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
from pips_referee.wire import GameWire, read_card, read_cards

_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}


class WichitaWire(GameWire[WichitaOptions, WichitaView, WichitaAction, WichitaEvent]):
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
            _read_dice(sent.dice),
            read_cards(sent.hand, "hand"),
            tuple(sent.hand_sizes),
            tuple(sent.points),
            sent.stock_size,
            tuple(sent.laid),
            sent.decks,
        )

    def write_action(self, action: WichitaAction, message: game_pb2.GameAction) -> None:
        out = message.wichita
        if isinstance(action, DrawOn):
            out.draw = action.more
        else:
            out.lay.SetInParent()
            out.lay.stacks.extend(map(bytes, action.stacks))

    def read_action(self, message: game_pb2.GameAction) -> WichitaAction:
        sent = message.wichita
        match sent.WhichOneof("kind"):
            case "draw":
                return DrawOn(sent.draw)
            case "lay":
                return Lay(tuple([read_cards(stack, "stacks") for stack in sent.lay.stacks]))
            case _:
                raise MalformedMessage("a Wichita action is one of draw, lay; none is set")

    def write_event(self, event: WichitaEvent, message: game_pb2.GameEvent) -> None:
        out = message.wichita
        match event:
            case Rolled(seat, dice):
                out.rolled.seat = seat
                out.rolled.dice = bytes(dice)
            case Drew(seat, count, cards):
                drew = out.drew
                drew.seat = seat
                drew.count = count
                if cards is not None:
                    drew.cards = bytes(cards)
            case Laid(seat, stacks, points):
                laid = out.laid
                laid.seat = seat
                laid.stacks.extend(map(bytes, stacks))
                laid.points = points
            case TurnedUp(seat, card):
                out.turned_up.seat = seat
                out.turned_up.card = bytes((card,))
            case RolledForFirst(seat, dice):
                out.rolled_for_first.seat = seat
                out.rolled_for_first.dice = bytes(dice)
            case _:
                assert_never(event)

    def read_event(self, message: game_pb2.GameEvent) -> WichitaEvent:
        sent = message.wichita
        match sent.WhichOneof("kind"):
            case "rolled":
                return Rolled(sent.rolled.seat, _read_dice(sent.rolled.dice))
            case "drew":
                drew = sent.drew
                return Drew(drew.seat, drew.count, read_cards(drew.cards, "cards") if drew.HasField("cards") else None)
            case "laid":
                laid = sent.laid
                stacks = tuple([read_cards(stack, "stacks") for stack in laid.stacks])
                return Laid(laid.seat, stacks, laid.points)
            case "turned_up":
                return TurnedUp(sent.turned_up.seat, read_card(sent.turned_up.card, "card"))
            case "rolled_for_first":
                return RolledForFirst(sent.rolled_for_first.seat, _read_dice(sent.rolled_for_first.dice))
            case _:
                raise MalformedMessage("a Wichita event has one kind; none is set")


WIRE: Final = WichitaWire()


def _read_dice(data: bytes) -> Dice:
    if len(data) != 2:
        raise MalformedMessage(f"dice: a roll is two bytes, not {len(data)}")
    return data[0], data[1]
