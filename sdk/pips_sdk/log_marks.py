"""Marks in what a bot prints: the question at which it did, and its bridge's words.

With the environment variable `PIPS_LOG_QUESTIONS` every question is named on standard
error before the bot is asked: a line of the character 30, the seat, and the question's
number. `pips-bot watch` sets it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

VARIABLE: Final = "PIPS_LOG_QUESTIONS"
IS_MARKED: Final = bool(os.environ.get(VARIABLE))
SAID: Final = "lines: "
"""How a line of the bridge of the line protocol begins."""
STRAY: Final = "a stray line"
_MARK: Final = re.compile(r"\x1e(\d{1,9}) (\d{1,9})")
Asked = tuple[int, int]
"""A seat, and the number of its question."""


def mark(seat: int, number: int) -> None:
    """Name a question on standard error; what was printed before comes before it."""
    with suppress(OSError, ValueError):  # a bot may have closed them
        sys.stdout.flush()
        print(f"\x1e{seat} {number}", file=sys.stderr, flush=True)


def by_question(lines: Iterable[str]) -> dict[Asked | None, list[str]]:
    """What was printed, by question; by None what came before the first."""
    found: dict[Asked | None, list[str]] = {}
    asked: Asked | None = None
    for line in lines:
        if marked := _MARK.fullmatch(line):
            asked = int(marked[1]), int(marked[2])
        else:
            found.setdefault(asked, []).append(line)
    return found
