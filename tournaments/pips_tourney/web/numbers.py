"""Numbers in addresses, forms and JSON."""

from __future__ import annotations

from typing import Final

from pips_tourney.errors import TourneyError

MOST_DIGITS: Final = 15
"""Numbers with more digits are refused: none is needed, and none fits a database."""


class NoNumber(TourneyError):
    """A field without a whole number."""


def number_of(text: str) -> int | None:
    """The number in a text of up to 15 digits from 0 to 9; else None."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


def whole(value: object, name: str, usual: int = 0) -> int:
    """The number in a field of JSON; `usual` if there is none, or an empty text.

    It may be a text. Raises `NoNumber`, which names the field, for anything else.
    """
    if value is None or value == "":
        return usual
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**MOST_DIGITS:
        return value
    number = number_of(value) if isinstance(value, str) else None
    if number is None:
        raise NoNumber(f"`{name}` is a whole number from 0 on, of {MOST_DIGITS} digits at most")
    return number
