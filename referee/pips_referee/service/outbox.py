"""What a bot is sent next: one message, filled until the bot is free to read it."""

from __future__ import annotations

import asyncio
from collections import deque

from pips.v1 import player_pb2
from pips_referee.service.asked import Asked


class Outbox:
    """The message that a bot is sent next.

    `queue` has the bot's open questions, the one it is at first.
    """

    __slots__ = ("_message", "_queue", "unsent", "wake")

    def __init__(self, queue: deque[Asked]) -> None:
        self._queue = queue
        self._message = player_pb2.PlayResponse()
        self.unsent = False
        """There is something to send."""
        self.wake = asyncio.Event()
        """Set when the message is to be sent now."""

    @property
    def message(self) -> player_pb2.PlayResponse:
        """The message being filled; whoever writes into it has it sent."""
        if not self.unsent:
            self.unsent = True
            self.stir()
        return self._message

    def stir(self) -> None:
        """Have the message sent as soon as the bot has nothing left to answer.

        A bot is one thread: what it is sent while it is busy it could only put on a
        heap. What becomes ready in the meantime travels in one message. With many
        tables a message carries many questions.
        """
        if self.unsent and not (self._queue and self._queue[0].sent):
            self.wake.set()

    def knock(self) -> None:
        """Have a message sent, even an empty one."""
        self.unsent = True
        self.stir()

    def take(self) -> player_pb2.PlayResponse:
        """The message to send now; its questions count as sent."""
        message, self._message = self._message, player_pb2.PlayResponse()
        self.unsent = False
        self.wake.clear()
        for asked in self._queue:
            asked.sent = True
        return message

    def begin(self) -> player_pb2.PlayResponse:
        """The first message of a new stream, in place of what the last one
        was to get.
        """
        self.unsent = True
        self._message = player_pb2.PlayResponse()
        return self._message

    def drop_questions(self, table_number: int) -> None:
        """Take back the question of a table, so that it is not sent."""
        kept = [question for question in self._message.questions if question.table != table_number]
        del self._message.questions[:]
        self._message.questions.extend(kept)
