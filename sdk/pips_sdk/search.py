"""How long a search goes on: for a number of rounds, or for a time.

By default a number, for then a bot answers the same on a slow machine and in a replay.
Two variables of the environment say otherwise: PIPS_SEARCH_WORLDS another number,
PIPS_SEARCH_MS so many milliseconds a question instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import monotonic
from typing import Final

WORLDS_VARIABLE: Final = "PIPS_SEARCH_WORLDS"
TIME_VARIABLE: Final = "PIPS_SEARCH_MS"


def rounds(worlds: int) -> Iterator[int]:
    """Counts the rounds of a search: that many, or what the environment says, but one
    at least.
    """
    limit_ms = _number(TIME_VARIABLE)
    if limit_ms is None:
        yield from range(_number(WORLDS_VARIABLE) or worlds)
        return
    end, done = monotonic() + limit_ms / 1000, 0
    while not done or monotonic() < end:
        yield done
        done += 1


def _number(variable: str) -> int | None:
    """What the variable holds; `ValueError` says what it should."""
    text = os.environ.get(variable, "")
    if not text:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{variable} is {text!r}, but has to be a whole number from 1")
    return int(text)
