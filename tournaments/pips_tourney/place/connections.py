"""Connections: how many there may be, and how long one may take to ask.

Whoever comes is let in: where there are too many, the oldest makes room.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, ClassVar, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

with suppress(ImportError):  # Windows has none
    import resource

MOST: Final = 1000
"""Open connections at most."""
SILENT: Final = 400
"""Connections at most without a request: new ones, and those that are kept open."""
HEAD_S: Final = 2.0
"""How long the first lines of a first request may take to arrive."""
NEXT_S: Final = 10.0
"""The same for a further request; uvicorn closes a connection without any sooner."""
SPARE: Final = 500
"""Descriptors for files, pipes, and connections that are being refused."""


class Guarded(H11Protocol):
    """A connection that is closed if it is slow to ask, or the oldest of too many."""

    _open: ClassVar[dict[Guarded, None]] = {}
    """All of them, the oldest first."""
    _silent: ClassVar[dict[Guarded, asyncio.TimerHandle]] = {}
    """When those will be closed that have nothing to be answered, the oldest first."""

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
        if self in self._open and cycle.response_complete:  # else the next request came with this one
            self._wait(NEXT_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        super().connection_lost(exc)

    def leave(self) -> None:
        """Count no longer."""
        self._open.pop(self, None)
        self._stop_waiting()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._silent[self] = self.loop.call_later(seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if (late := self._silent.pop(self, None)) is not None:
            late.cancel()


def make_room() -> None:
    """Allow as many descriptors as the connections need, as far as one may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST + SPARE
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
