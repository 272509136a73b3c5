"""The tables of the games as they are drawn.

Each is built up event by event, from the full truth or what a seat sees.

Events come as JSON values (`to_json` of `pips_referee.records.record_json`). What is
drawn is JSON too: cards as `QS`, None for a card that lies face down. A replay, a
person's seat and the tests all use the same boards.
"""

from __future__ import annotations

from typing import Any, Protocol

from pips_referee.game import Options, get_game
from pips_tourney.web.boards import plain


class Board(Protocol):
    """One game's table. Each class says what its `table` holds."""

    table: dict[str, Any]

    def tell(self, event: dict[str, Any]) -> None: ...


def new_board(game: str, seats: int, options: Options) -> Board:
    """The empty table of a game: as its part `board` draws it, or plain."""
    module = get_game(game).part("board") or plain
    board: Board = module.BOARD(seats, options)
    return board
