"""The budget of a search: a number of rounds, or a time.

The default is a number, because a bot then gives the same answers on a slow machine and
in a replay. Two environment variables override the bot's own choice. PIPS_SEARCH_WORLDS
is another number of rounds; PIPS_SEARCH_MS is a time for each question, in
milliseconds.
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
    """Count a search's rounds from 0; the environment may override `worlds`.

    With `ms` there is also a time limit. After the first round, another begins only if
    it would end in time while taking as long as the longest so far.
    """
    limit_ms, limit = _number(TIME_VARIABLE), _number(WORLDS_VARIABLE)
    if limit_ms is not None:
        yield from _in_time(limit_ms)
    elif limit is not None or ms is None:
        yield from range(limit or worlds)
    else:
        yield from islice(_in_time(ms, spare=True), worlds)


def _in_time(limit_ms: int, *, spare: bool = False) -> Iterator[int]:
    """Rounds until the time is over; `spare` leaves time for the longest of them."""
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
    """The variable's value, None if unset; `ValueError` says what is valid."""
    text = os.environ.get(variable, "")
    if not text:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{variable} is {text!r}, but has to be a whole number from 1")
    return int(text)
