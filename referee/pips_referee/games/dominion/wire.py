"""Dominion's values as messages of dominion.proto."""

from __future__ import annotations

from operator import not_
from typing import Final

from pips.v1 import game_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.games.dominion.rules import GAME
from pips_referee.games.dominion.values import DominionAction, DominionEvent, DominionOptions, Pass
from pips_referee.games.dominion.view import DominionView
from pips_referee.wire import GameWire, Part

NOBODY: Final = 255


class DominionWire(GameWire[DominionOptions, DominionView, DominionAction, DominionEvent]):
    def read_view(self, message: game_pb2.GameView) -> DominionView:
        sent = message.dominion
        for name in ("playfield", "owners", "armies"):
            if (size := len(getattr(sent, name))) != sent.size**2:
                raise MalformedMessage(f"{name}: {sent.size**2} bytes, not {size}")
        return super().read_view(message)


WIRE: Final = DominionWire(
    GAME,
    parts={
        "owners": Part(
            lambda owners: bytes([NOBODY if owner is None else owner for owner in owners]),
            lambda data, _: tuple([None if byte == NOBODY else byte for byte in data]),
        ),
        "resigning": Part(not_, lambda no, _: not no, field="no_resigning"),
    },
    names={Pass: "passed"},
)
