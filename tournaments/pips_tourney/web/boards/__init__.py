"""The tables of the games, as they are drawn.

Each board is built up event by event, from the complete truth or from one seat's view.

Events are JSON values (`to_json` of `pips_referee.records.record_json`). Boards are
JSON too: cards as `QS`, None for a card that lies face down. A replay, a person's seat
and the tests all use the same boards.
"""

from __future__ import annotations

from typing import Any, Protocol

from pips_referee.game import Options, get_game
from pips_tourney.web.boards import plain


class Board(Protocol):
    """One game's table. Each class documents the content of its `table`."""

    table: dict[str, Any]

    def tell(self, event: dict[str, Any]) -> None: ...


def new_board(game: str, seats: int, options: Options) -> Board:
    """The empty table of a game: its own board, or a plain one if it has none."""
    module = get_game(game).part("board") or plain
    board: Board = module.BOARD(seats, options)
    return board
