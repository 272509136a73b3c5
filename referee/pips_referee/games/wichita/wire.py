"""Wichita's values as messages of wichita.proto."""

from __future__ import annotations

from typing import Final

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
    BYTES,
    CARD,
    CARD_TUPLE,
    CARD_TUPLES,
    DICE,
    NUMBERS,
    PLAIN,
    GameWire,
    OneOf,
    alone,
    message,
    words,
)


class WichitaWire(GameWire[WichitaOptions, WichitaView, WichitaAction, WichitaEvent]):
    game = GAME.name
    options = message(WichitaOptions, decks=PLAIN)
    views = message(
        WichitaView,
        seat=PLAIN, kind=words("", *GAME.kinds), player=PLAIN, dice=DICE, hand=CARD_TUPLE,
        hand_sizes=NUMBERS, points=NUMBERS, stock_size=PLAIN, laid=BYTES, decks=PLAIN,
    )  # fmt: skip
    actions = OneOf(
        "a Wichita action is one of draw, lay; none is set",
        draw=alone(DrawOn, "more"),
        lay=message(Lay, stacks=CARD_TUPLES),
    )
    events = OneOf(
        "a Wichita event has one kind; none is set",
        rolled_for_first=message(RolledForFirst, seat=PLAIN, dice=DICE),
        rolled=message(Rolled, seat=PLAIN, dice=DICE),
        drew=message(Drew, seat=PLAIN, count=PLAIN, cards=CARD_TUPLE._replace(usual=None, unset=None)),
        laid=message(Laid, seat=PLAIN, stacks=CARD_TUPLES, points=PLAIN),
        turned_up=message(TurnedUp, seat=PLAIN, card=CARD),
    )


WIRE: Final = WichitaWire()
