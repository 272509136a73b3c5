"""The board of Serpent: both rows, both hands, the pairs and runs so far."""

from __future__ import annotations

from typing import Any, Final

from pips_referee.cards import parse_card
from pips_referee.game import Options
from pips_sdk.serpent import score_hand
from pips_tourney.web.boards.hands import by_suit, dealt, take

COLUMNS: Final = 6
DEALT: Final = {True: 9, False: 3}
"""How many cards a director and a defender get."""


class SerpentBoard:
    """`table` has `rows`, `hidden`, `open`, `pairs` and `runs`.

    `rows`, `hidden` and `open` (face up) are by seat. `pairs` and `runs` are cells, the
    director's row first.
    """

    def __init__(self, seats: int, options: Options) -> None:
        self.table: dict[str, Any] = {
            "hand": 0, "director": 0, "hidden": [[], []], "open": [[], []], "rows": [[], []], "totals": [0, 0],
            "pairs": [], "runs": [], "worth": 0, "last": None,
        }  # fmt: skip

    def tell(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        table, director = self.table, self.table["director"]
        table["last"] = None
        match event["kind"]:
            case "dealt":
                director = event["director"]
                hands = [by_suit(dealt(hand, DEALT[seat == director])) for seat, hand in enumerate(event["hands"])]
                table.update(hand=event["hand_number"], director=director, hidden=hands)
                table.update(open=[[], []], rows=[[], []], pairs=[], runs=[], worth=0)
            case "given":
                take(table["hidden"][director], event["cards"])
                table["open"][1 - director] = by_suit(event["cards"])
            case "revealed":
                take(table["hidden"][director], event["cards"])
                table["open"][director] = by_suit(event["cards"])
            case "played":
                self._played(event["seat"], event["card"])
                table["last"] = [event["seat"], event["column"]]
            case "hand_scored":
                table["totals"] = event["totals"]

    def _played(self, seat: int, card: str) -> None:
        table = self.table
        lies_open = card in table["open"][seat]
        take(table["open" if lies_open else "hidden"][seat], [card])
        table["rows"][seat].append(card)
        director = table["director"]
        rows = [[parse_card(code).rank for code in table["rows"][owner]] for owner in (director, 1 - director)]
        score = score_hand([rank for row in rows for rank in [*row, *[0] * (COLUMNS - len(row))]])
        table["pairs"] = [list(pair) for pair in score.pairs]
        table["runs"] = [list(run) for run in score.runs]
        table["worth"] = score.points


BOARD: Final = SerpentBoard
