"""Limits for bots that have connected but not yet said who they are.

Any program may open connections and streams before it proves anything. A stream must
send a hello soon, and only a few from one address may wait at once. A new stream
replaces the oldest, so nobody can block others by waiting. A connection must show a
known bot soon too.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from ipaddress import IPv6Address, ip_address
from stat import S_ISSOCK
from time import monotonic
from typing import Final
from urllib.parse import unquote

from pips_referee.timing.standstill import STILL_S, patience

MOST_STRANGERS: Final = 256
"""The most streams without a hello at once."""
MOST_STRANGERS_EACH: Final = 64
"""The most streams without a hello of one address.

A class may share one address, with all its bots connecting at once.
"""
LOOK_S: Final = 1.0
"""Interval of the checks of connections, in seconds."""
UNKNOWN_S: Final = 5.0
"""How long a connection may last without a known bot, in seconds."""

Peer = tuple[str, int]
"""Address and port of the other end of a connection."""


class Threshold:
    """The streams without a hello, with limits to their time and number."""

    def __init__(self, hello_s: float, most: int = MOST_STRANGERS, most_each: int = MOST_STRANGERS_EACH) -> None:
        self.hello_s = hello_s
        self._most, self._most_each = most, most_each
        self._waiting: defaultdict[str, dict[asyncio.Timeout, None]] = defaultdict(dict)
        """The waiting streams by address, the oldest first."""

    @asynccontextmanager
    async def crossing(self, peer: str) -> AsyncIterator[None]:
        """Limit the time from a stream's beginning to its hello.

        `TimeoutError` if it takes too long, or if a newer stream replaces it. `peer` is
        in gRPC's form.
        """
        address = home_of(peer)
        async with patience(self.hello_s) as limit:
            self._waiting[address][limit] = None
            if len(self._waiting[address]) > self._most_each:
                self._dismiss(address)
            elif sum(map(len, self._waiting.values())) > self._most:
                self._dismiss(max(self._waiting, key=lambda address: len(self._waiting[address])))
            try:
                yield
            finally:
                self._waiting[address].pop(limit, None)
                if not self._waiting[address]:
                    del self._waiting[address]

    def _dismiss(self, address: str) -> None:
        oldest = next(iter(self._waiting[address]))
        del self._waiting[address][oldest]
        oldest.reschedule(asyncio.get_running_loop().time())


class Turnstile:
    """The connections to one TCP port; those without a token in time are closed.

    gRPC does not count connections by address. But they are among the open descriptors
    of this process. The shutdown of such a descriptor ends the connection as if the
    other end had done so.
    """

    def __init__(self, most_each: int = MOST_STRANGERS_EACH) -> None:
        self.port = 0
        self._most_each = most_each
        self._known: Counter[Peer] = Counter()
        self._since: dict[Peer, float] = {}
        self._looked = 0.0

    @contextmanager
    def known(self, peer: str) -> Iterator[None]:
        """Mark the connection as known during a call with a valid token.

        `peer` is in gRPC's form.
        """
        end = peer_of(peer)
        self._known[end] += 1
        try:
            yield
        finally:
            self._known[end] -= 1
            if not self._known[end]:
                del self._known[end]

    def look(self, now: float) -> int:
        """Close unknown connections that are too many or too old; return how many.

        At its first two looks none counts as too many. A guest in a crowd is as new as
        the rest, and a machine that serves a crowd is slow to read its token.
        """
        strangers = {end: number for end, number in _connections(self.port) if end not in self._known}
        self._since = {end: self._since.get(end, now) for end in strangers}
        homes: defaultdict[str, list[Peer]] = defaultdict(list)
        for end in sorted(strangers, key=self._since.__getitem__, reverse=True):
            homes[_home(end[0])].append(end)
        beyond = {end for ends in homes.values() for end in ends[self._most_each :]}
        gone = [
            end
            for end, since in self._since.items()
            if (end in beyond and since < self._looked) or now - since > UNKNOWN_S
        ]
        for end in gone:
            _hang_up(strangers[end], end)
        self._looked = now
        return len(gone)

    async def keep_looking(self) -> None:
        """Check the connections at intervals, for ever."""
        while True:
            before = monotonic()
            await asyncio.sleep(LOOK_S)
            still_s = monotonic() - before - LOOK_S
            if still_s > STILL_S:  # no token could arrive while the machine stood still
                self._since = {end: since + still_s for end, since in self._since.items()}
                self._looked += still_s
                await asyncio.sleep(LOOK_S)  # time for unread messages to be read
            self.look(monotonic())


def peer_of(peer: str) -> Peer:
    """The address and port of a call's other end.

    gRPC writes them as `ipv4:1.2.3.4:5` or `ipv6:%5B::1%5D:5`.
    """
    address, _, port = unquote(peer.partition(":")[2]).rpartition(":")
    return _plain(address.strip("[]")), int(port) if port.isdecimal() else 0


def home_of(peer: str) -> str:
    """The origin of a call: an IPv4 address, an IPv6 /64 network, or a Unix socket."""
    return peer.partition(":")[0] if peer.startswith("unix") else _home(peer_of(peer)[0])


def _home(address: str) -> str:
    with suppress(ValueError):
        known = ip_address(address)
        return str(known) if known.version == 4 else known.exploded[:19]
    return address


def _plain(address: str) -> str:
    with suppress(ValueError):
        known = ip_address(address.partition("%")[0])
        mapped = known.ipv4_mapped if isinstance(known, IPv6Address) else None
        return str(mapped or known)
    return address


def _connections(port: int) -> Iterator[tuple[Peer, int]]:
    """The connections to this process's port: the other end, and a descriptor."""
    with suppress(OSError):
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - four times as fast as paths
            with suppress(OSError), _duplicate(int(name)) as duplicate:
                if duplicate.getsockname()[1] == port:
                    address, end = duplicate.getpeername()[:2]
                    yield (_plain(address), end), int(name)


@contextmanager
def _duplicate(number: int) -> Iterator[socket.socket]:
    """A duplicate of a descriptor, as a TCP socket; otherwise `OSError`."""
    if not S_ISSOCK(os.fstat(number).st_mode):
        raise OSError
    with socket.socket(fileno=os.dup(number)) as duplicate:
        if duplicate.family not in (socket.AF_INET, socket.AF_INET6):
            raise OSError
        yield duplicate


def _hang_up(number: int, end: Peer) -> None:
    """Shut down the connection, if the descriptor still belongs to it.

    It may have been closed and reused.
    """
    with suppress(OSError), _duplicate(number) as duplicate:
        address, port = duplicate.getpeername()[:2]
        if (_plain(address), port) == end:
            duplicate.shutdown(socket.SHUT_RDWR)
