"""Everything the referee raises on purpose.

    PipsError
    ├── IllegalAction        an answer against the rules: reason, action, a sentence
    ├── MalformedMessage     bytes or fields that no game can read
    ├── UnknownGame          no game of that name
    ├── GameProblem          a game that is installed, and cannot be played as it is
    ├── OptionsError         options or seats with which a game cannot be played
    ├── UnreadableAnswer     a reply in words that gives no legal answer, or several
    └── RecordError          a record that cannot be read, or does not replay

A bot's fault never travels as an exception: `Match` makes it a `Fault` in the outcome.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

MOST_SENTENCE: Final = 1000
"""The most characters kept from a sentence about an answer or from a bot."""


class PipsError(Exception):
    """The base class; its text is meant for a person."""


class IllegalAction(PipsError):
    """An answer against the rules. The state has not changed."""

    def __init__(self, reason: StrEnum, action: object, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.action = action
        self.sentence = sentence


class MalformedMessage(PipsError):
    """A message that no game can read; its text says what is wrong, and where."""


class UnreadableAnswer(PipsError, ValueError):
    """A text reply that does not give exactly one legal answer; its text says why."""


class UnknownGame(PipsError, LookupError):
    """No game of that name."""


class GameProblem(PipsError):
    """An installed game lacks something; the text says what, and where."""


class OptionsError(PipsError, ValueError):
    """Options, or a number of seats, with which the game cannot be played."""


class RecordError(PipsError, ValueError):
    """A record that cannot be read, or whose replay differs from it."""
