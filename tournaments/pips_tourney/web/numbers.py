"""Numbers in addresses and forms."""

from __future__ import annotations

from typing import Final

MOST_DIGITS: Final = 15
"""Longer numbers count nothing here, and fit in no database."""


def number_of(text: str) -> int | None:
    """The number that a text is, in up to 15 digits from 0 to 9; else None."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None
