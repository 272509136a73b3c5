"""Connections: how many there may be, and how long one may take to ask."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from contextlib import suppress
from typing import Any, ClassVar, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST: Final = 1000
"""Open connections; of others each gets 503 at once."""
OF_ADDRESS: Final = 500
"""Open connections of one address.

Where there are too many, the oldest makes room that has shown no cookie of a visit, or
whose account has more than its share. So who has a cookie is kept out by nobody.
"""
OF_ACCOUNT: Final = 30
"""Open connections of an account that need not make room."""
FIRST_S: Final = 2.0
"""How long a connection's first request may take to arrive."""
HEAD_S: Final = 10.0
"""How long the first lines of a further request may take."""
KNOWN: Final = "pips.known"
"""Set in the scope of a request that shows whose it is."""
SPARE: Final = 500
"""Descriptors for files, pipes, and connections that are being refused."""
BUSY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nretry-after: 10\r\n"
    b"content-length: 40\r\nconnection: close\r\n\r\nToo many are here: try again in a while\n"
)


class Guarded(H11Protocol):
    """A connection: refused where there are too many, and closed if it is slow."""

    _by_address: ClassVar[Counter[str]] = Counter()
    _admitted: ClassVar[dict[Guarded, None]] = {}
    """All that are open, oldest first."""
    address: str | None = None
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = str((transport.get_extra_info("peername") or ("",))[0])
        of_address = self._by_address[address] >= OF_ADDRESS
        if (of_address or len(self._admitted) >= MOST) and not self._make_room(address if of_address else None):
            transport.write(BUSY)
            transport.close()
            return
        self.address = address
        self._by_address[address] += 1
        self._admitted[self] = None
        self._wait_for_head(FIRST_S)

    @property
    def account(self) -> str:
        """Whose it is; empty if nobody is known at it."""
        return str((cast("Any", self.scope) or {}).get(KNOWN, ""))

    def _make_room(self, address: str | None) -> bool:
        """Close the oldest connection of nobody, or of somebody who has too many."""
        opened = Counter(other.account for other in self._admitted)
        for other in self._admitted:
            spare = not other.account or opened[other.account] > OF_ACCOUNT
            if spare and address in (None, other.address):
                other.leave()
                other.transport.abort()
                return True
        return False

    def leave(self) -> None:
        if self.address is not None:
            self._by_address[self.address] -= 1
            self.address = None
            del self._admitted[self]

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        self._hear_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle = cast("Any", self.cycle)
        if cycle is not None and not cycle.response_complete:
            self._hear_head()
        elif self._late is None:
            self._wait_for_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        cycle = cast("Any", self.cycle)
        if cycle is None or cycle.response_complete:
            self._wait_for_head()

    def _wait_for_head(self, seconds: float | None = None) -> None:
        self._hear_head()
        if not self.transport.is_closing():
            self._late = self.loop.call_later(HEAD_S if seconds is None else seconds, self.transport.close)

    def _hear_head(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def make_room() -> None:
    """Allow as many descriptors as the connections need, as far as one may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST + SPARE
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
