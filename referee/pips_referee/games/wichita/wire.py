"""Wichita's values as messages of wichita.proto."""

from __future__ import annotations

from typing import Final

from pips_referee.games.wichita.rules import GAME
from pips_referee.games.wichita.values import DrawOn, WichitaAction, WichitaEvent, WichitaOptions, WichitaView
from pips_referee.wire import GameWire


class WichitaWire(GameWire[WichitaOptions, WichitaView, WichitaAction, WichitaEvent]):
    """All but one of Wichita's members are named after their classes."""


WIRE: Final = WichitaWire(GAME, names={DrawOn: "draw"})
