"""An open question of a bot, and who asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

from pips.v1 import player_pb2
from pips_referee.match import NO_TIME, FaultKind, Spent
from pips_referee.timing.clock import SeatClock

QuestionName = tuple[int, int]
"""The table's number on the stream, and the question's number there."""


class Asker(Protocol):
    """A table, as a bot's session knows it: it hears of answers, faults and returns.

    None of these raises: a table whose game fails becomes void.
    """

    is_open: bool
    """Its bots are there, or were waited for long enough."""

    def answered(self, asked: Asked, answer: player_pb2.Answer, spent: Spent) -> None:
        """The answer to this table's open question."""

    def fault(
        self,
        seat: int,
        kind: FaultKind,
        reason: str = "",
        detail: str = "",
        evidence: str = "",
        spent: Spent = NO_TIME,
    ) -> None:
        """A fault of a seat that is no action."""

    def resume(self, seat: int) -> None:
        """Tell a new process of a seat's bot what the seat had been told."""

    def put_again(self, asked: Asked) -> None:
        """Put the open question to a process that has come back."""

    def void(self, why: str) -> None:
        """The match cannot go on, through no bot's fault."""


@dataclass(slots=True)
class Asked:
    """An open question of a session."""

    table: Asker
    seat: int
    name: QuestionName
    clock: SeatClock
    """The seat's clock, which pays for the answer."""
    sent: bool = False
    order: int = field(default_factory=count().__next__)
    """The question with the smaller number was put first and is to be
    answered first.
    """
    withdrawn: bool = False
    """The match went on without the answer, through no doing of this bot's.

    A question that was sent stays in the queue, since the bot is at it or will be. Its
    answer is dropped, and its time is charged to no other question.
    """
