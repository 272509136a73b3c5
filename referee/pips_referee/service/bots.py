"""The bots' gRPC servicer, `Play` and `Attend`: decode, one domain call, encode."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from logging import getLogger
from time import monotonic
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from pips.v1 import player_pb2
from pips_referee.match import FaultKind
from pips_referee.service.entrance import Threshold, Turnstile
from pips_referee.service.inbox import close, take
from pips_referee.service.ports import DOOR_CALLS, MOST_CONNECTIONS, OTHER_CALLS, UNIX, Tls, handler_of, new_server
from pips_referee.service.session import Session
from pips_referee.service.sessions import SessionRegistry
from pips_referee.timing.clock import Lateness
from pips_referee.versions import KEY, difference

MOST_MESSAGE_BYTES: Final = 1 << 20
HELLO_S: Final = 10.0
GUEST_HELLO_S: Final = 2.0
"""Seconds before a stream without a hello is closed, also on this machine.

An SDK on another machine says hello at once.
"""
MOST_KNOCKS: Final = 64
"""A bot process's socket is closed after this many streams without a hello."""
NEWS_S: Final = 2.0
"""Heartbeat interval of `Attend`, in seconds."""
NOT_INVITED: Final = (
    "this invite is not known here: it was revoked, or it is for another league. Ask the organiser for a new one"
)

_LOG: Final = getLogger(__name__)


class BotService:
    """The calls for bots: `Play` and `Attend`.

    Messages arrive as bytes, so that a malformed one is a fault and does not end the
    stream.
    """

    def __init__(
        self,
        registry: SessionRegistry,
        hello_s: float = HELLO_S,
        most_connections: int = MOST_CONNECTIONS,
        door: str = "",
    ) -> None:
        self._registry = registry
        self.door = door
        self.most_connections = most_connections
        self._connections = self._knocks = 0
        self.threshold = Threshold(hello_s)
        self.turnstile = Turnstile()

    async def Play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        hello = await self._hello(requests, context)
        with suppress(grpc.aio.BaseError):  # the writer will see that the stream is lost
            # Unread bytes after a truncated first message would keep gRPC from ending.
            await context.send_initial_metadata(())
        if self._connections >= self.most_connections:
            why = f"this referee has its {self.most_connections} connections: try again when one is free"
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, why)
        self._connections += 1
        try:
            session = await self._welcome(hello, context)
            with self.turnstile.known(context.peer()):
                await self._play(session, requests, context)
        finally:
            self._connections -= 1

    async def _play(
        self, session: Session, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        writer = asyncio.create_task(_write(session, context))
        session.hang_up = writer.cancel
        reader = asyncio.create_task(_read(session, requests, self._registry.lateness, writer))
        try:
            await asyncio.wait([reader, writer], return_when=asyncio.FIRST_COMPLETED)
        finally:
            why = _why_closed(session, reader, writer)
            reader.cancel()
            writer.cancel()
            session.disconnect(monotonic(), self._registry.lateness.late_s)
        if why:
            await context.abort(grpc.StatusCode.ABORTED, why)

    async def _hello(
        self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> player_pb2.Hello:
        """Read the hello that begins a stream; until then the other end is unknown."""
        self._knocks += 1
        if self.door and self._knocks > MOST_KNOCKS:
            why = f"this process has opened {MOST_KNOCKS} streams that were not let in, which is enough"
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, why)
        try:
            async with self.threshold.crossing(context.peer()):
                return player_pb2.PlayRequest.FromString(await anext(requests)).hello
        except TimeoutError:
            why = f"no hello for {self.threshold.hello_s:g} s, or too many others of this address wait"
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, why)
        except (DecodeError, StopAsyncIteration):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream is a hello")

    async def _welcome(self, hello: player_pb2.Hello, context: grpc.aio.ServicerContext[bytes, bytes]) -> Session:
        # The referee may not have noticed yet that the previous stream was lost.
        while (before := self._registry.before(hello, self.door)) is not None and before.connected.is_set():
            before.send_away("another process has taken this bot's seat")
            await before.gone.wait()
        session = self._registry.welcome(hello, self.door)
        if isinstance(session, str):
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, session)
        self._knocks = 0
        return session

    async def Attend(
        self,
        request: player_pb2.AttendRequest,
        context: grpc.aio.ServicerContext[player_pb2.AttendRequest, player_pb2.AttendResponse],
    ) -> AsyncIterator[player_pb2.AttendResponse]:
        if not self._registry.has_invited:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the host is not ready yet")
        guest = self._registry.guest(request.token)
        if guest is None:
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, NOT_INVITED)
        listener = guest.listen()
        try:
            if note := difference(str(dict(context.invocation_metadata() or ()).get(KEY, "")), "This host"):
                yield player_pb2.AttendResponse(process=guest.process, games=guest.games, news=note)
            with self.turnstile.known(context.peer()):
                while isinstance(news := await _next_news(listener), player_pb2.AttendResponse):
                    yield news
        finally:
            guest.stop_listening(listener)
        await context.abort(grpc.StatusCode.ABORTED, news)


async def _next_news(listener: asyncio.Queue[player_pb2.AttendResponse | str]) -> player_pb2.AttendResponse | str:
    """The next news, or an empty message after `NEWS_S`.

    The empty message shows the other end that the network still works.
    """
    try:
        async with asyncio.timeout(NEWS_S):
            return await listener.get()
    except TimeoutError:
        return player_pb2.AttendResponse()


async def _read(
    session: Session, requests: AsyncIterator[bytes], lateness: Lateness, writer: asyncio.Task[None]
) -> None:
    """Read a bot's messages until its stream ends; then stop the writer."""
    try:
        async for data in requests:
            if session.closing:
                return
            try:
                message = player_pb2.PlayRequest.FromString(data)
            except DecodeError:
                close(session, FaultKind.MALFORMED, f"{len(data)} bytes that are no PlayRequest")
            else:
                take(session, message, len(data), monotonic(), lateness.late_s)
    except grpc.aio.BaseError:
        return  # the stream is lost
    finally:
        writer.cancel()  # it may be blocked by a bot that does not read


async def _write(session: Session, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
    """Send all ready messages in one go, until the stream is lost."""
    wake = session.outbox.wake
    wake.set()
    while True:
        await wake.wait()
        data = session.take_out(monotonic()).SerializeToString()
        session.is_sending = True
        try:
            await context.write(data)
        except grpc.aio.BaseError:
            return  # the stream is lost
        session.is_sending = False


def _why_closed(session: Session, *tasks: asyncio.Task[None]) -> str:
    """Why the referee is ending the stream; "" if the bot ended it."""
    for task in tasks:
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("the stream of %s failed", session.process, exc_info=error)
            return f"the stream failed: {error!r}"
    return session.closing


def bot_service(registry: SessionRegistry, address: str) -> BotService:
    """The service at a shared address, to which any bot connects."""
    is_unix = address.startswith(UNIX)
    service = BotService(registry, HELLO_S if is_unix else GUEST_HELLO_S)
    port = address.rpartition(":")[2]
    service.turnstile.port = int(port) if not is_unix and port.isdecimal() else 0
    return service


def bot_server(service: BotService, address: str, tls: Tls | None = None) -> grpc.aio.Server:
    """The server for bots; `address` in gRPC's form (unix:PATH or HOST:PORT)."""
    play: Any = grpc.stream_stream_rpc_method_handler(service.Play)  # no serialisers: bytes in, bytes out
    handlers = {"Play": play} if service.door else {"Play": play, "Attend": handler_of(service, "Attend")}
    most_calls = DOOR_CALLS if service.door else service.most_connections + OTHER_CALLS
    return new_server(address, handlers, MOST_MESSAGE_BYTES, most_calls, tls, is_door=bool(service.door))


class Doors:
    """Unix sockets, one for each bot process that the organiser starts.

    A process's connections, calls and messages use up only its own limits.
    """

    def __init__(self, registry: SessionRegistry) -> None:
        self._registry = registry
        self._servers: dict[str, grpc.aio.Server] = {}
        """The servers by address."""

    async def open(self, process: str, address: str) -> None:
        """Open a socket for the process; `RuntimeError` if the address is unusable."""
        server = bot_server(BotService(self._registry, door=process), address)
        await server.start()
        self._servers[address] = server

    async def close(self, address: str) -> None:
        """Close the socket, if it exists, and every connection through it."""
        if (server := self._servers.pop(address, None)) is not None:
            await server.stop(None)

    async def close_all(self) -> None:
        for address in list(self._servers):
            await self.close(address)
