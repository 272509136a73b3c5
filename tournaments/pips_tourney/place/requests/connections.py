"""Connections: how many there may be, and how slow a request may be.

New connections are always accepted: if there are too many, the oldest is closed.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, ClassVar, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

with suppress(ImportError):  # Windows has none
    import resource

MOST: Final = 1000
"""The most open connections."""
SILENT: Final = 400
"""The most connections without a request: new ones, and those kept open."""
HEAD_S: Final = 2.0
"""How long the head of a first request may take to arrive, in seconds."""
NEXT_S: Final = 10.0
"""How long the head of a later request may take; uvicorn waits less for its start."""
UNSENT_BYTES: Final = 1 << 16
"""The most of an answer that the kernel holds for a client that is slow to read."""
SPARE: Final = 500
"""Descriptors for files, pipes, and connections being refused."""


class Guarded(H11Protocol):
    """A connection that is closed if it is slow, or if it is the oldest of too many."""

    _open: ClassVar[dict[Guarded, None]] = {}
    """All connections, the oldest first."""
    _silent: ClassVar[dict[Guarded, asyncio.TimerHandle]] = {}
    """The timers that close connections without a request, the oldest first."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._open[self] = None
        self._wait(HEAD_S)
        for group, most in ((self._silent, SILENT), (self._open, MOST)):
            if len(group) > most:
                oldest = next(iter(group))
                oldest.leave()
                oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle = cast("Any", self.cycle)
        if cycle is not None and not cycle.response_complete:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        cycle = cast("Any", self.cycle)
        if self in self._open and cycle.response_complete:  # otherwise the next request came with this one
            self._wait(NEXT_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        super().connection_lost(exc)

    def leave(self) -> None:
        """Remove the connection from the counts."""
        self._open.pop(self, None)
        self._stop_waiting()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._silent[self] = self.loop.call_later(seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if (late := self._silent.pop(self, None)) is not None:
            late.cancel()


def make_room() -> None:
    """Allow as many descriptors as the connections need, up to the system's limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST + SPARE
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
