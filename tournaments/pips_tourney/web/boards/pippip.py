"""The board of Pip-Pip!: the trick, the trumps, every seat's hand and calls."""

from __future__ import annotations

from typing import Any, Final

from pips_sdk.pippip import PippipOptions
from pips_tourney.web.boards.hands import by_suit, dealt, take

PACKS: Final = 104
HAND: Final = 7
CALL_POINTS: Final = 50


class PippipBoard:
    """`table` has `trick`, `won` and `drawn`.

    `trick` is a list of seats and cards. `won` is the seat that took the last trick,
    until the next card. `drawn` are the cards drawn for the deal.
    """

    def __init__(self, seats: int, options: PippipOptions) -> None:
        self._last_call_rules = options.rules == "fosdick"
        self.table: dict[str, Any] = {
            "hand": 0, "hands": options.hands_for(seats), "dealer": None, "trumps": None, "next": None,
            "hidden": [[] for _ in range(seats)], "open": [[] for _ in range(seats)], "trick": [], "won": None,
            "stock": PACKS, "rest": [], "points": [0] * seats, "tricks": [0] * seats, "drawn": [], "call": None,
        }  # fmt: skip

    def tell(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        table, seat = self.table, event.get("seat")
        table["call"] = None
        match event["kind"]:
            case "drawn_for_deal":
                table["drawn"] = [list(pair) for pair in zip(event["seats"], event["cards"], strict=True)]
            case "cut":
                table.update(drawn=[[seat, event["card"]]], trick=[], won=None)
            case "dealt":
                hands = [by_suit(dealt(hand, HAND)) for hand in event["hands"]]
                seats = len(hands)
                table.update(hand=event["hand_number"], dealer=event["dealer"], trumps=event["trumps"], hidden=hands)
                table.update(next=None, open=[[] for _ in hands], trick=[], won=None, rest=[], tricks=[0] * seats)
                table["stock"] = PACKS - HAND * seats
            case "called":
                self._called(event["seat"], event["suits"])
            case "trumps_changed":
                table.update(trumps=event["trumps"], next=None)
            case "played":
                take(table["open" if event["face_up"] else "hidden"][seat], [event["card"]])
                before = [] if table["won"] is not None else table["trick"]
                table.update(trick=[*before, [seat, event["card"]]], won=None, drawn=[])
            case "drew":
                table["hidden"][seat] = by_suit([*table["hidden"][seat], event["card"]])
                table["stock"] -= 1
            case "trick_won":
                table["won"] = seat
                table["points"][seat] += event["points"]
                table["tricks"][seat] += 1
            case "stock_turned":
                table.update(stock=0, rest=event["cards"])
            case "hand_ended":
                table["points"] = event["points"]

    def _called(self, seat: int, suits: list[str]) -> None:
        table = self.table
        for suit in suits:
            pair = [f"K{suit}", f"Q{suit}"]
            take(table["hidden"][seat], pair)
            table["open"][seat] += pair
            if self._last_call_rules or table["next"] is None:
                table["next"] = suit
        table["points"][seat] += CALL_POINTS * len(suits)
        table["call"] = [seat, suits]


BOARD: Final = PippipBoard
