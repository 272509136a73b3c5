"""Hearts on a page: what each seat holds, what it has played, and its points."""

from typing import Any

from hearts import HeartsOptions
from pips_tourney.web.boards.hands import by_suit, dealt, take


class HeartsBoard:
    """`facts` has the hand's number; a seat `plays` a card until the next trick."""

    def __init__(self, seats: int, options: HeartsOptions) -> None:
        self.table: dict[str, Any] = {
            "plain": True, "facts": {"hand": 0, "of": options.hands}, "seats": [{"points": 0} for _ in range(seats)]
        }  # fmt: skip
        self.lying = 0

    def tell(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        facts, seats = self.table["facts"], self.table["seats"]
        own: dict[str, Any] = seats[event.get("seat", 0)]
        match event["kind"]:
            case "dealt":
                facts["hand"] += event["seat"] == 0
                own.update(plays=None, hand=by_suit(dealt(event["cards"], 13)), taken=0)
            case "passed":
                take(own["hand"], event["cards"] or [None] * 3)
            case "received":
                own["hand"] = by_suit([*own["hand"], *(event["cards"] or [None] * 3)])
            case "played":
                if self.lying % 4 == 0:
                    for each in seats:
                        each["plays"] = None
                self.lying += 1
                take(own["hand"], [event["card"]])
                own["plays"] = event["card"]
            case "took":
                own["taken"] += event["points"]
            case "scored":
                for each, points in zip(seats, event["points"], strict=True):
                    each["points"] += points


BOARD = HeartsBoard
