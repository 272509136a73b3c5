"""Streams and connections without a hello: how many may wait, and how long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import grpc
import pytest

from pips_referee.service.bots import BotService, bot_server
from pips_referee.service.entrance import UNKNOWN_S, Threshold, Turnstile, home_of, peer_of
from pips_referee.service.sessions import SessionRegistry
from pips_referee.service.tokens import issue_token
from tests.faults.strangers import alive, crowd, streams
from tests.patience import PATIENCE_S
from tests.pips_referee.house import KEY, BareBot
from tests.pips_referee.service.test_ports import a_port


@pytest.mark.parametrize(
    ("peer", "known", "home"),
    [
        ("ipv4:1.2.3.4:567", ("1.2.3.4", 567), "1.2.3.4"),
        ("ipv6:%5B2001:db8::1:2%5D:567", ("2001:db8::1:2", 567), "2001:0db8:0000:0000"),
        ("ipv6:%5B::ffff:1.2.3.4%5D:567", ("1.2.3.4", 567), "1.2.3.4"),
        ("ipv6:[fe80::1%eth0]:567", ("fe80::1", 567), "fe80:0000:0000:0000"),
        ("nonsense:somewhere:x", ("somewhere", 0), "somewhere"),
        ("unix:", ("", 0), "unix"),
        ("unix:/a/b", ("", 0), "unix"),
    ],
)
def test_where_somebody_dials_from(peer: str, known: tuple[str, int], home: str) -> None:
    assert home_of(peer) == home
    assert peer.startswith("unix") or peer_of(peer) == known


class Waiting:
    """The streams that wait on a threshold."""

    def __init__(self, threshold: Threshold) -> None:
        self.threshold = threshold
        self.tasks: dict[str, asyncio.Task[str]] = {}

    async def come(self, name: str, peer: str) -> None:
        """Add a stream that waits for good."""
        self.tasks[name] = asyncio.create_task(self._wait(peer))
        for _ in range(4):
            await asyncio.sleep(0)

    async def _wait(self, peer: str) -> str:
        try:
            async with self.threshold.crossing(peer):
                await asyncio.Event().wait()
        except TimeoutError:
            return "sent away"
        return "never"

    def gone(self) -> list[str]:
        return [name for name, task in self.tasks.items() if task.done()]

    def leave(self) -> None:
        for task in self.tasks.values():
            task.cancel()


async def test_of_one_address_the_oldest_has_to_go() -> None:
    waiting = Waiting(Threshold(PATIENCE_S, most=10, most_each=2))
    await waiting.come("honest", "ipv4:1.1.1.1:1")
    for number in range(4):
        await waiting.come(f"hog {number}", f"ipv4:6.6.6.6:{number}")
    assert waiting.gone() == ["hog 0", "hog 1"]
    waiting.leave()


async def test_of_too_many_in_all_one_goes_of_the_address_that_has_most() -> None:
    waiting = Waiting(Threshold(PATIENCE_S, most=4, most_each=3))
    await waiting.come("honest", "ipv4:1.1.1.1:1")
    for number in range(3):
        await waiting.come(f"hog {number}", f"ipv4:6.6.6.6:{number}")
    await waiting.come("second", "ipv4:2.2.2.2:1")
    assert waiting.gone() == ["hog 0"]
    waiting.leave()


async def test_who_says_nothing_has_to_go() -> None:
    threshold = Threshold(0.0)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            async with threshold.crossing("unix:"):
                await asyncio.Event().wait()
    assert not threshold._waiting


@asynccontextmanager
async def turnstile(most_each: int) -> AsyncIterator[tuple[Turnstile, tuple[str, int]]]:
    """The turnstile and address of a server in this process."""
    address = ("127.0.0.1", a_port())
    service = BotService(SessionRegistry(KEY))
    service.turnstile = Turnstile(most_each)
    service.turnstile.port = address[1]
    server = bot_server(service, f"{address[0]}:{address[1]}")
    await server.start()
    try:
        yield service.turnstile, address
    finally:
        await server.stop(None)


async def until(holds: Callable[[], object]) -> None:
    """Wait, because the kernel and gRPC's threads are not at once ready."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - sockets are no events
            await asyncio.sleep(0.01)


async def accepted(turnstile: Turnstile, count: int) -> None:
    """Wait until there are that many connections."""
    await until(lambda: turnstile.look(0.0) or len(turnstile._since) == count)


async def test_connections_on_which_nobody_is_known_end() -> None:
    async with (
        turnstile(most_each=100) as (gate, address),
        grpc.aio.insecure_channel(f"{address[0]}:{address[1]}") as channel,
    ):
        bot = BareBot(channel)
        await bot.hello(issue_token(KEY, "a/0"))
        idle, begun = crowd(address, 3), crowd(address, 3, streams(4))
        await accepted(gate, 6)
        assert gate.look(UNKNOWN_S - 0.1) == 0 and alive(idle + begun) == 6
        assert gate.look(UNKNOWN_S + 0.1) == 6
        await until(lambda: not alive(idle + begun))
        await until(lambda: not gate.look(UNKNOWN_S + 0.2) and not gate._since)
        assert len(gate._known) == 1
        for stranger in idle + begun:
            stranger.close()
        bot.leave()
        await until(lambda: not gate._known)


async def test_of_too_many_strangers_of_one_address_the_oldest_go() -> None:
    async with turnstile(most_each=2) as (gate, address):
        old = crowd(address, 3)
        await until(lambda: gate.look(1.0) or len(gate._since) == 3)
        new = crowd(address, 2)
        assert gate.look(2.0) == 0
        await until(lambda: gate.look(3.0) or not alive(old))
        assert alive(new) == 2
        for stranger in (*old, *new):
            stranger.close()


async def test_who_comes_at_once_with_a_crowd_has_two_looks() -> None:
    """All are new at the same look: nothing says who came last. A guest may have."""
    async with turnstile(most_each=2) as (gate, address):
        together = crowd(address, 5)
        await until(lambda: gate.look(1.0) or len(gate._since) == 5)
        for looked_s in (1.0, 2.0):
            assert gate.look(looked_s) == 0 and alive(together) == 5
        assert gate.look(3.0) == 3
        await until(lambda: alive(together) == 2)
        for stranger in together:
            stranger.close()


def test_other_sockets_are_none_of_its_business() -> None:
    gate = Turnstile()
    gate.port = a_port()
    with socket.create_server(("127.0.0.1", 0)) as other, socket.create_connection(other.getsockname()):
        assert gate.look(0.0) == 0 and not gate._since
