"""The table of a game without its own board: the values in its last events.

A seat's facts are the fields of the events that name the seat; all others are the
table's.
"""

from __future__ import annotations

from typing import Any, Final

from pips_referee.game import Options


class PlainBoard:
    """`table` has `facts`, and `seats`: the facts of each seat; `plain` is true."""

    def __init__(self, seats: int, options: Options) -> None:
        self.table: dict[str, Any] = {"plain": True, "facts": {}, "seats": [{} for _ in range(seats)]}

    def tell(self, event: dict[str, Any]) -> None:
        """Take the next event; a list with a value a seat is split among the seats."""
        seats, seat = self.table["seats"], event.get("seat")
        for name, value in event.items():
            if name in {"kind", "seat"} or value is None:
                continue
            if isinstance(value, list) and len(value) == len(seats) and seat is None:
                for facts, part in zip(seats, value, strict=True):
                    facts[name] = part
            elif type(seat) is int and 0 <= seat < len(seats):
                seats[seat][name] = value
            else:
                self.table["facts"][name] = value


BOARD: Final = PlainBoard
