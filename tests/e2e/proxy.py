"""A network between two ends that can be slow, cut, stalled or gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

MOST_BYTES = 1 << 16


class Proxy:
    """Passes on what comes at `port` to another local port, from its own thread."""

    def __init__(self, to_port: int, delay_s: float = 0.0) -> None:
        self.port = 0
        self.taken = 0
        """Number of connections so far."""
        self._to_port, self._delay_s = to_port, delay_s
        self._writers: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._is_gone = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=[ready])
        self._thread.start()
        ready.wait()

    def cut(self) -> None:
        """Lose every connection at once; new ones are accepted."""
        self._do(self._cut)

    def leave(self) -> None:
        """Lose every connection, and accept no new ones."""
        self._is_gone = True
        self._do(self._cut)

    def stall(self) -> None:
        """Stop passing anything on, without informing either end."""
        self._do(self._flows.clear)

    def flow(self) -> None:
        """Pass on new connections again; data under way is lost with its connection."""
        self._do(self._flow_again)

    def close(self) -> None:
        self._do(self._loop.stop)
        self._thread.join()

    def _do(self, what: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(what)

    def _serve(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._take, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._flows.set()
        self._loop.call_soon(ready.set)
        self._loop.run_forever()
        server.close()
        self._cut()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.01))
        self._loop.close()

    def _cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def _flow_again(self) -> None:
        self._cut()
        self._flows.set()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.taken += 1
        self._writers.add(writer)
        if self._is_gone:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(far_writer)
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = self._loop.create_task(self._pass_on(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Pass data on in order, each piece after its delay, at any volume."""
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        reading = self._loop.create_task(self._read(source, pieces))
        try:
            while True:
                at, data = await pieces.get()
                await asyncio.sleep(at - self._loop.time())
                await self._flows.wait()
                if not data:
                    break
                sink.write(data)
        finally:
            reading.cancel()
            sink.close()

    async def _read(self, source: asyncio.StreamReader, pieces: asyncio.Queue[tuple[float, bytes]]) -> None:
        data: Any = b"begun"
        while data:
            data = b""
            with suppress(ConnectionError):
                data = await source.read(MOST_BYTES)
            pieces.put_nowait((self._loop.time() + self._delay_s, data))
