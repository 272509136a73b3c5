"""Connections: how long one may take to ask, and how many may be silent."""

from __future__ import annotations

import asyncio
import resource
from contextlib import suppress
from typing import Any, ClassVar, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST: Final = 1000
"""Open connections; while there are so many, others are closed at once."""
SILENT: Final = 400
"""Of these, how many may not have asked yet. Then the oldest of them makes room."""
HEAD_S: Final = 2.0
"""How long the first lines of a request may take to arrive."""
SPARE: Final = 500
"""Descriptors for files, pipes, and connections that are being refused."""


class Guarded(H11Protocol):
    """A connection that is closed if it is slow to ask."""

    _silent: ClassVar[dict[Guarded, asyncio.TimerHandle]] = {}
    """When those will be closed that wait for a request, the oldest first."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self._silent) >= SILENT:
            next(iter(self._silent)).transport.abort()
        self._wait()
        if len(self.connections) > MOST:
            transport.close()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle = cast("Any", self.cycle)
        if cycle is not None and not cycle.response_complete:
            self._stop_waiting()
        elif self not in self._silent:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._silent[self] = self.loop.call_later(HEAD_S, self.transport.close)

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
