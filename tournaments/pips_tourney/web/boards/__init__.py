"""The tables of the games as they are drawn.

Each is built up event by event, from the full truth or what a seat sees.

Events come as JSON values (`to_json` of `pips_referee.records.record_json`). What is
drawn is JSON too: cards as `QS`, None for a card that lies face down. A replay, a
person's seat and the tests all use the same boards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from pips_referee.game import Options
from pips_tourney.web.boards.dominion import DominionBoard
from pips_tourney.web.boards.pippip import PippipBoard
from pips_tourney.web.boards.serpent import SerpentBoard
from pips_tourney.web.boards.wichita import WichitaBoard


class Board(Protocol):
    """One game's table. Each class says what its `table` holds."""

    table: dict[str, Any]

    def tell(self, event: dict[str, Any]) -> None: ...


_BOARDS: Final[Mapping[str, Any]] = {
    "serpent": SerpentBoard,
    "wichita": WichitaBoard,
    "pippip": PippipBoard,
    "dominion": DominionBoard,
}


def new_board(game: str, seats: int, options: Options) -> Board:
    """The empty table of a game."""
    board: Board = _BOARDS[game](seats, options)
    return board
