"""How long a search goes on: for a number of rounds, or for a time.

The default is a number, because a bot then answers the same on a slow machine and in a
replay. Two environment variables change this. PIPS_SEARCH_WORLDS is another number of
rounds; PIPS_SEARCH_MS is a time for each question, in milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import monotonic
from typing import Final

WORLDS_VARIABLE: Final = "PIPS_SEARCH_WORLDS"
TIME_VARIABLE: Final = "PIPS_SEARCH_MS"


def rounds(worlds: int) -> Iterator[int]:
    """Count a search's rounds: `worlds`, or what the environment says; at least 1."""
    limit_ms = _number(TIME_VARIABLE)
    if limit_ms is None:
        yield from range(_number(WORLDS_VARIABLE) or worlds)
        return
    end, done = monotonic() + limit_ms / 1000, 0
    while not done or monotonic() < end:
        yield done
        done += 1


def _number(variable: str) -> int | None:
    """The variable's value, None if unset; `ValueError` says what it has to be."""
    text = os.environ.get(variable, "")
    if not text:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{variable} is {text!r}, but has to be a whole number from 1")
    return int(text)
