"""How long a search goes on: for a number of rounds, or for a time.

The default is a number, because a bot then answers the same on a slow machine and in a
replay. Two environment variables change this. PIPS_SEARCH_WORLDS is another number of
rounds; PIPS_SEARCH_MS is a time for each question, in milliseconds. Both come before
what a bot asks for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from time import monotonic
from typing import Final

WORLDS_VARIABLE: Final = "PIPS_SEARCH_WORLDS"
TIME_VARIABLE: Final = "PIPS_SEARCH_MS"


def rounds(worlds: int, ms: int | None = None) -> Iterator[int]:
    """Count a search's rounds from 0: `worlds` of them, or as the environment says.

    With `ms` they also end in time: no round but the first begins that would be over
    after so many milliseconds if it took as long as the longest before it.
    """
    limit_ms, limit = _number(TIME_VARIABLE), _number(WORLDS_VARIABLE)
    if limit_ms is not None:
        yield from _in_time(limit_ms)
    elif limit is not None or ms is None:
        yield from range(limit or worlds)
    else:
        yield from islice(_in_time(ms, spare=True), worlds)


def _in_time(limit_ms: int, *, spare: bool = False) -> Iterator[int]:
    """Rounds until the time is over; to `spare` time for the longest of them."""
    began = last = monotonic()
    end, longest, done = began + limit_ms / 1000, 0.0, 0
    while not done or last + longest < end:
        yield done
        done += 1
        now = monotonic()
        if spare:
            longest = max(longest, now - last)
        last = now


def _number(variable: str) -> int | None:
    """The variable's value, None if unset; `ValueError` says what it has to be."""
    text = os.environ.get(variable, "")
    if not text:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{variable} is {text!r}, but has to be a whole number from 1")
    return int(text)
