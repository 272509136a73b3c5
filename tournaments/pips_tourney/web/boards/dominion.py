"""The board of Dominion: the playfield with its armies, and the last action.

The last action is the turned card, the battle or the move just made.
"""

from __future__ import annotations

from typing import Any, Final

from pips_sdk.dominion import DominionOptions, is_vertical

PACK: Final = 52


class DominionBoard:
    """`table` has `cells`, `upright`, `owners` and `armies` by cell.

    `battle` and `move` are the last action.
    """

    def __init__(self, seats: int, options: DominionOptions) -> None:
        size = options.size_for(seats)
        cells = size * size
        self.table: dict[str, Any] = {
            "size": size, "cells": [], "upright": [is_vertical(cell, size) for cell in range(cells)],
            "owners": [None] * cells, "armies": [0] * cells, "round": 0, "rounds": options.rounds_for(seats),
            "turn": 0, "turned": None, "stock": PACK, "battle": None, "move": None, "dice": None,
            "resigned": [False] * seats,
        }  # fmt: skip

    def tell(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        table = self.table
        table.update(battle=None, move=None)
        match event["kind"]:
            case "playfield_dealt":
                table["cells"] = event["playfield"]
            case "turn_began":
                table.update(round=event["round"], turn=event["seat"], turned=None, dice=None)
            case "resigned":
                table["resigned"][event["seat"]] = True
            case "card_turned":
                table.update(turned=event["card"], stock=PACK - 1 if event["reshuffled"] else table["stock"] - 1)
            case "reinforced":
                self._add(event["cell"], event["seat"], 1)
            case "removed":
                self._add(event["cell"], event["seat"], -1)
            case "fought":
                self._add(event["source"], event["attacker"], -event["attacker_losses"])
                self._add(event["target"], event["defender"], -event["defender_losses"])
                table["battle"] = {key: value for key, value in event.items() if key != "kind"}
            case "conquered" | "advanced":
                self._add(event["source"], event["seat"], -event["count"])
                self._add(event["target"], event["seat"], event["count"])
                table["move"] = [event["source"], event["target"], event["count"]]
            case "deployment_rolled":
                table["dice"] = event["dice"]
            case "deployed":
                self._add(event["cell"], event["seat"], event["count"])
                table["move"] = [None, event["cell"], event["count"]]

    def _add(self, cell: int, seat: int, count: int) -> None:
        """Add this number of a seat's armies; a negative number removes them."""
        if not count:
            return
        left = self.table["armies"][cell] + count
        self.table["armies"][cell] = left
        self.table["owners"][cell] = seat if left else None


BOARD: Final = DominionBoard
