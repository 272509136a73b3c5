"""Marks in a bot's output: the current question, and the bridge's own lines.

With the environment variable `PIPS_LOG_QUESTIONS`, a line on standard error names every
question before the bot is asked: character 30, the seat, and the question's number.
`pips-bot watch` sets it.
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
"""The prefix of the bridge's own lines."""
STRAY: Final = "a stray line"
_MARK: Final = re.compile(r"\x1e(\d{1,9}) (\d{1,9})")
Asked = tuple[int, int]
"""A seat, and the number of its question."""


def mark(seat: int, number: int) -> None:
    """Name a question on standard error, after everything printed before."""
    with suppress(OSError, ValueError):  # a bot may have closed its streams
        sys.stdout.flush()
        print(f"\x1e{seat} {number}", file=sys.stderr, flush=True)


def by_question(lines: Iterable[str]) -> dict[Asked | None, list[str]]:
    """The printed lines by question; under None those before the first question."""
    found: dict[Asked | None, list[str]] = {}
    asked: Asked | None = None
    for line in lines:
        if marked := _MARK.fullmatch(line):
            asked = int(marked[1]), int(marked[2])
        else:
            found.setdefault(asked, []).append(line)
    return found
