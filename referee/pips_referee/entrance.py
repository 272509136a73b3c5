"""The way in for bots: who has dialled and not yet said who they are.

Whoever dials may open connections and streams before it proves anything. Streams
without a hello have little time, and few of one address may wait at once: a newer one
takes the place of the oldest, so that nobody can keep others out by waiting.
Connections on which nobody is known have little time too.
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

MOST_STRANGERS: Final = 256
"""Streams without a hello, at once."""
MOST_STRANGERS_EACH: Final = 64
"""The same, of one address: a class may sit behind one, and all its bots
dial at once.
"""
LOOK_S: Final = 1.0
"""How often connections are looked at."""
UNKNOWN_S: Final = 5.0
"""How long a connection may last on which nobody is known."""

Peer = tuple[str, int]
"""Address and port of the other end of a connection."""


class Threshold:
    """Streams that have not said hello: how long they may take, and how many
    may wait.
    """

    def __init__(self, hello_s: float, most: int = MOST_STRANGERS, most_each: int = MOST_STRANGERS_EACH) -> None:
        self.hello_s = hello_s
        self._most, self._most_each = most, most_each
        self._waiting: defaultdict[str, dict[asyncio.Timeout, None]] = defaultdict(dict)
        """By address, the oldest first."""

    @asynccontextmanager
    async def crossing(self, peer: str) -> AsyncIterator[None]:
        """For the time from a stream's begin to its hello; `TimeoutError` if it takes
        too long, or has to go.

        `peer` is as gRPC writes it.
        """
        address = home_of(peer)
        async with asyncio.timeout(self.hello_s) as patience:
            self._waiting[address][patience] = None
            if len(self._waiting[address]) > self._most_each:
                self._dismiss(address)
            elif sum(map(len, self._waiting.values())) > self._most:
                self._dismiss(max(self._waiting, key=lambda address: len(self._waiting[address])))
            try:
                yield
            finally:
                self._waiting[address].pop(patience, None)
                if not self._waiting[address]:
                    del self._waiting[address]

    def _dismiss(self, address: str) -> None:
        oldest = next(iter(self._waiting[address]))
        del self._waiting[address][oldest]
        oldest.reschedule(asyncio.get_running_loop().time())


class Turnstile:
    """The connections to one TCP port. It hangs up on those that have shown no token in
    time.

    gRPC does not count connections by their address. This process sees them among its
    open descriptors; shutting one down ends the connection as if the other end had done
    so.
    """

    def __init__(self, most_each: int = MOST_STRANGERS_EACH) -> None:
        self.port = 0
        self._most_each = most_each
        self._known: Counter[Peer] = Counter()
        self._since: dict[Peer, float] = {}

    @contextmanager
    def known(self, peer: str) -> Iterator[None]:
        """For as long as a call lasts that has shown a token; `peer` is as gRPC writes
        it.
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
        """Hang up on strangers that are too many or have been here too long; how many
        they were.
        """
        strangers = {end: number for end, number in _connections(self.port) if end not in self._known}
        self._since = {end: self._since.get(end, now) for end in strangers}
        homes: defaultdict[str, list[Peer]] = defaultdict(list)
        for end in sorted(strangers, key=self._since.__getitem__, reverse=True):
            homes[_home(end[0])].append(end)
        too_many = {end for ends in homes.values() for end in ends[self._most_each :]}
        gone = [end for end in strangers if end in too_many or now - self._since[end] > UNKNOWN_S]
        for end in gone:
            _hang_up(strangers[end], end)
        return len(gone)

    async def keep_looking(self) -> None:
        """For ever."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.look(monotonic())


def peer_of(peer: str) -> Peer:
    """Address and port, from what gRPC says of a call's other end (`ipv4:1.2.3.4:5`,
    `ipv6:%5B::1%5D:5`).
    """
    address, _, port = unquote(peer.partition(":")[2]).rpartition(":")
    return _plain(address.strip("[]")), int(port) if port.isdecimal() else 0


def home_of(peer: str) -> str:
    """Where somebody dials from: an IPv4 address, an IPv6 network of 64 bits, or a Unix
    socket.
    """
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
    """The other ends of this process's connections to that port of its own, and their
    descriptors.
    """
    with suppress(OSError):
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - a quarter of the price of paths
            with suppress(OSError), _duplicate(int(name)) as duplicate:
                if duplicate.getsockname()[1] == port:
                    address, end = duplicate.getpeername()[:2]
                    yield (_plain(address), end), int(name)


@contextmanager
def _duplicate(number: int) -> Iterator[socket.socket]:
    """A descriptor of this process as a TCP socket of its own; `OSError` if
    it is none.
    """
    if not S_ISSOCK(os.fstat(number).st_mode):
        raise OSError
    with socket.socket(fileno=os.dup(number)) as duplicate:
        if duplicate.family not in (socket.AF_INET, socket.AF_INET6):
            raise OSError
        yield duplicate


def _hang_up(number: int, end: Peer) -> None:
    """Only if the descriptor still is that connection's: it may have been closed and
    given to another.
    """
    with suppress(OSError), _duplicate(number) as duplicate:
        address, port = duplicate.getpeername()[:2]
        if (_plain(address), port) == end:
            duplicate.shutdown(socket.SHUT_RDWR)
