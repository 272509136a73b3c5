"""The next message to a bot, filled until the bot is free to read it."""

from __future__ import annotations

import asyncio
from collections import deque

from pips.v1 import player_pb2
from pips_referee.service.asked import Asked


class Outbox:
    """The next message to a bot.

    `queue` has the bot's open questions, the current one first.
    """

    __slots__ = ("_message", "_queue", "unsent", "wake")

    def __init__(self, queue: deque[Asked]) -> None:
        self._queue = queue
        self._message = player_pb2.PlayResponse()
        self.unsent = False
        """There is a message to send."""
        self.wake = asyncio.Event()
        """Set when the message is to be sent now."""

    @property
    def message(self) -> player_pb2.PlayResponse:
        """The message being filled; reading this marks it for sending."""
        if not self.unsent:
            self.unsent = True
            self.stir()
        return self._message

    def stir(self) -> None:
        """Send the message as soon as the bot has nothing left to answer.

        A bot has one thread, and could only store what it gets while it is busy. So
        everything that becomes ready meanwhile goes into one message. With many tables
        a message carries many questions.
        """
        if self.unsent and not (self._queue and self._queue[0].sent):
            self.wake.set()

    def knock(self) -> None:
        """Send a message, even an empty one."""
        self.unsent = True
        self.stir()

    def take(self) -> player_pb2.PlayResponse:
        """Return the message to send now; its questions count as sent."""
        message, self._message = self._message, player_pb2.PlayResponse()
        self.unsent = False
        self.wake.clear()
        for asked in self._queue:
            asked.sent = True
        return message

    def begin(self) -> player_pb2.PlayResponse:
        """Start the first message of a new stream, and drop the unsent one."""
        self.unsent = True
        self._message = player_pb2.PlayResponse()
        return self._message

    def drop_questions(self, table_number: int) -> None:
        """Remove a table's questions from the message."""
        kept = [question for question in self._message.questions if question.table != table_number]
        del self._message.questions[:]
        self._message.questions.extend(kept)
