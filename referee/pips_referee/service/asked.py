"""A bot's open question, and the table that asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

from pips.v1 import player_pb2
from pips_referee.match import NO_TIME, FaultKind, Spent
from pips_referee.timing.clock import SeatClock

QuestionName = tuple[int, int]
"""The table's number on the stream, and the number of the question at that table."""


class Asker(Protocol):
    """A table as a bot's session uses it: for answers, faults and reconnections.

    None of its methods raises: a table becomes void if its game fails.
    """

    is_open: bool
    """The match has begun: its bots are present, or the wait for them is over."""

    def answered(self, asked: Asked, answer: player_pb2.Answer, spent: Spent) -> None:
        """Take the answer to this table's open question."""

    def fault(
        self,
        seat: int,
        kind: FaultKind,
        reason: str = "",
        detail: str = "",
        evidence: str = "",
        spent: Spent = NO_TIME,
    ) -> None:
        """Record a fault of a seat that is no action."""

    def resume(self, seat: int) -> None:
        """Send everything a seat has seen to its bot's new process."""

    def put_again(self, asked: Asked) -> None:
        """Repeat the open question to a process that has come back."""

    def void(self, why: str) -> None:
        """End the match as void: it cannot go on, through no bot's fault."""


@dataclass(slots=True)
class Asked:
    """An open question of a session."""

    table: Asker
    seat: int
    name: QuestionName
    clock: SeatClock
    """The seat's clock, which is charged for the answer."""
    sent: bool = False
    order: int = field(default_factory=count().__next__)
    """The order in which questions were put; the lowest is to be answered first."""
    withdrawn: bool = False
    """The match went on without the answer, for a reason outside this bot.

    A question that was sent stays in the queue, since the bot works on it or will do
    so. Its answer is dropped, and its time is charged to no other question.
    """
