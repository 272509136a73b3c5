"""Those who look on: each is told the same news, in one piece, as
server-sent events.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Final

A_SPECTATOR_S: Final = 0.1
"""The more look on the less often, by this for each of them: to tell one takes a
quarter of a millisecond of a core.
"""
SLOWEST_S: Final = 4.0
"""However many look on, there is news so often."""
QUEUED: Final = 64
"""A spectator who is so many messages behind is sent away; his browser comes again and
gets all anew.
"""

Message = tuple[str, str]
"""An event's name, and its data as JSON."""


def encoded(messages: Iterable[Message]) -> bytes:
    """As server-sent events, once for all spectators."""
    return "".join(f"event: {name}\r\ndata: {data}\r\n\r\n" for name, data in messages).encode()


class Crowd:
    """The spectators of one thing."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[bytes | None]] = set()
        self._somebody = asyncio.Event()

    def __len__(self) -> int:
        return len(self._queues)

    async def somebody(self) -> None:
        """Until there is one."""
        await self._somebody.wait()

    def pause_s(self, least: float) -> float:
        """How long to wait until they are told again."""
        return max(least, min(SLOWEST_S, A_SPECTATOR_S * len(self)))

    def join(self) -> asyncio.Queue[bytes | None]:
        """One more, and the news that he will be told; None when there will
        be no more.
        """
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUED)
        self._queues.add(queue)
        self._somebody.set()
        return queue

    def leave(self, queue: asyncio.Queue[bytes | None]) -> None:
        self._queues.discard(queue)
        if not self._queues:
            self._somebody.clear()

    async def news(self, queue: asyncio.Queue[bytes | None]) -> AsyncGenerator[bytes, None]:
        """What one of them is told, until it is over for him; then he has left."""
        try:
            while (news := await queue.get()) is not None:
                yield news
        finally:
            self.leave(queue)

    def tell(self, news: bytes) -> None:
        """To every one, in one piece; who cannot keep up is sent away."""
        for queue in [*self._queues]:
            if queue.full():
                self._queues.discard(queue)
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)
            else:
                queue.put_nowait(news)

    def send_home(self) -> None:
        """It is over for all of them."""
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(None)
