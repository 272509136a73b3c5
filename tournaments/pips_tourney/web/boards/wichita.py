"""The board of Wichita: the dice, the hands, and the stacks before every seat."""

from __future__ import annotations

from typing import Any, Final

from pips_sdk.wichita import WichitaOptions
from pips_tourney.web.boards.hands import by_rank, dealt, take

PACK = 52


class WichitaBoard:
    """`table` has `hands`, `stacks` and `fresh`.

    `hands` and `stacks` are by seat. `fresh` is how many of the player's stacks are
    new.
    """

    def __init__(self, seats: int, options: WichitaOptions) -> None:
        self.table: dict[str, Any] = {
            "player": 0, "dice": None, "hands": [[] for _ in range(seats)], "stacks": [[] for _ in range(seats)],
            "points": [0] * seats, "stock": PACK * options.decks_for(seats), "fresh": 0, "first": [None] * seats,
        }  # fmt: skip

    def tell(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        table, seat = self.table, event["seat"]
        table["fresh"] = 0
        match event["kind"]:
            case "rolled_for_first":
                table["first"][seat] = event["dice"]
            case "rolled":
                table.update(player=seat, dice=event["dice"], first=[None] * len(table["first"]))
            case "drew":
                table["hands"][seat] = by_rank(table["hands"][seat] + dealt(event["cards"], event["count"]))
                table["stock"] -= event["count"]
            case "laid":
                for stack in event["stacks"]:
                    take(table["hands"][seat], stack)
                table["stacks"][seat] += event["stacks"]
                table["points"][seat] += event["points"]
                table["fresh"] = len(event["stacks"])
            case "turned_up":
                table["stacks"][seat].append([event["card"]])
                table["points"][seat] += 1
                table["stock"] -= 1
                table["fresh"] = 1


BOARD: Final = WichitaBoard
