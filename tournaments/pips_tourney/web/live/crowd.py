"""Spectators: all get the same news at the same time, as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Final

A_SPECTATOR_S: Final = 0.1
"""Seconds that each spectator adds to the pause between two messages.

One message takes a quarter of a millisecond of a core per spectator.
"""
SLOWEST_S: Final = 4.0
"""The longest pause between two messages, in seconds, for any number of spectators."""
PING_S: Final = 15.0
"""Seconds of silence before a comment is sent, because proxies cut idle connections."""
PING: Final = b": nothing new\r\n\r\n"
QUEUED: Final = 64
"""A spectator with this many unread messages is disconnected.

Their browser reconnects and gets everything again.
"""

Message = tuple[str, str]
"""An event's name, and its data as JSON."""


def encoded(messages: Iterable[Message]) -> bytes:
    """Encode messages as server-sent events, once for all spectators."""
    return "".join(f"event: {name}\r\ndata: {data}\r\n\r\n" for name, data in messages).encode()


class Crowd:
    """The spectators of one stream of news."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[bytes | None]] = set()
        self._somebody = asyncio.Event()

    def __len__(self) -> int:
        return len(self._queues)

    async def somebody(self) -> None:
        """Wait until there is a spectator."""
        await self._somebody.wait()

    def pause_s(self, least: float) -> float:
        """Seconds until the next message."""
        return max(least, min(SLOWEST_S, A_SPECTATOR_S * len(self)))

    def join(self) -> asyncio.Queue[bytes | None]:
        """Add a spectator; returns the queue of their news. None in it is the end."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUED)
        self._queues.add(queue)
        self._somebody.set()
        return queue

    def leave(self, queue: asyncio.Queue[bytes | None]) -> None:
        self._queues.discard(queue)
        if not self._queues:
            self._somebody.clear()

    async def news(self, queue: asyncio.Queue[bytes | None]) -> AsyncGenerator[bytes, None]:
        """The news of one spectator, until the end. Then the spectator is removed."""
        try:
            while True:
                try:
                    async with asyncio.timeout(PING_S):
                        news = await queue.get()
                except TimeoutError:
                    news = PING
                if news is None:
                    return
                yield news
        finally:
            self.leave(queue)

    def tell(self, news: bytes) -> None:
        """Send news to everybody. Spectators who cannot keep up are disconnected."""
        for queue in [*self._queues]:
            if queue.full():
                self._queues.discard(queue)
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)
            else:
                queue.put_nowait(news)

    def send_home(self) -> None:
        """End the news for all spectators."""
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(None)
