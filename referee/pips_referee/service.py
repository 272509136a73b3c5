"""The gRPC servicer: decode, one domain call, encode. Bots and the organiser have a server each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from logging import getLogger
from time import monotonic
from traceback import format_exc
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from pips.v1 import player_pb2, referee_pb2
from pips_referee.chance import SEED_BYTES
from pips_referee.clock import WATCH_S, Lateness, TimeControl
from pips_referee.errors import OptionsError, PipsError
from pips_referee.lobby import STREAM_ENDED, Lobby, Session
from pips_referee.match import FaultKind
from pips_referee.ports import MOST_CONNECTIONS, OTHER_CALLS, Tls, new_server
from pips_referee.record import Header
from pips_referee.table import Table, close, late, take

MOST_MESSAGE_BYTES: Final = 1 << 20
GRACE_S: Final = 10.0
"""How long a match waits for a process that is to connect, or to come back."""
HELLO_S: Final = 10.0
"""How long a stream may last without a hello."""
ENDED_S: Final = 2.0
"""How long a lost stream may be that of a process about to end; then it has hung up. Of one that has ended the
launcher's word on how is waited for as long as for its return."""
TICKS_A_LOOK: Final = 10
"""After so many looks at the clocks what bots compute out of turn is looked at."""

NEWS_S: Final = 2.0
"""How often who attends hears something, be it nothing."""
NOT_INVITED: Final = (
    "this invite is not known here: it was revoked, or it is for another league. Ask the organiser for a new one"
)

_LOG: Final = getLogger(__name__)


class BotService:
    """What bots may call: `Play`. Messages come and go as bytes, so that garbage is a fault and not a lost stream."""

    def __init__(self, lobby: Lobby, hello_s: float = HELLO_S, most_connections: int = MOST_CONNECTIONS) -> None:
        self._lobby = lobby
        self._hello_s = hello_s
        self._most_connections = most_connections
        self._connections = 0

    async def Play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        if self._connections >= self._most_connections:
            why = f"this referee has its {self._most_connections} connections: try again when one is free"
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, why)
        self._connections += 1
        try:
            await self._play(requests, context)
        finally:
            self._connections -= 1

    async def _play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        session = await self._welcome(requests, context)
        writer = asyncio.create_task(_write(session, context))
        if session.guest is not None:
            session.guest.hang_up = writer.cancel
        reader = asyncio.create_task(_read(session, requests, self._lobby.lateness, writer))
        try:
            await asyncio.wait([reader, writer], return_when=asyncio.FIRST_COMPLETED)
        finally:
            why = _why_closed(session, reader, writer)
            reader.cancel()
            writer.cancel()
            session.disconnect(monotonic())
        if why:
            await context.abort(grpc.StatusCode.ABORTED, why)

    async def _welcome(
        self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> Session:
        try:
            async with asyncio.timeout(self._hello_s):
                hello = player_pb2.PlayRequest.FromString(await anext(requests)).hello
        except TimeoutError:
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"no hello for {self._hello_s:g} s")
        except (DecodeError, StopAsyncIteration):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream is a hello")
        if (guest := self._lobby.guest(hello.token)) is not None:  # a stream that was cut may not know it yet
            before = self._lobby.session(guest.process)
            while before.connected.is_set():
                before.send_away("another process has taken this bot's seat")
                await guest.gone.wait()
        session = self._lobby.welcome(hello)
        if isinstance(session, str):
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, session)
        return session

    async def Attend(
        self,
        request: player_pb2.AttendRequest,
        context: grpc.aio.ServicerContext[player_pb2.AttendRequest, player_pb2.AttendResponse],
    ) -> AsyncIterator[player_pb2.AttendResponse]:
        if not self._lobby.has_invited:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the host is not ready yet")
        guest = self._lobby.guest(request.token)
        if guest is None:
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, NOT_INVITED)
        listener = guest.listen()
        try:
            while isinstance(news := await _next_news(listener), player_pb2.AttendResponse):
                yield news
        finally:
            guest.stop_listening(listener)
        await context.abort(grpc.StatusCode.ABORTED, news)


async def _next_news(listener: asyncio.Queue[player_pb2.AttendResponse | str]) -> player_pb2.AttendResponse | str:
    """What comes next; nothing, after a while, so that the other end knows that its network stands."""
    try:
        async with asyncio.timeout(NEWS_S):
            return await listener.get()
    except TimeoutError:
        return player_pb2.AttendResponse()


async def _read(
    session: Session, requests: AsyncIterator[bytes], lateness: Lateness, writer: asyncio.Task[None]
) -> None:
    """Every message of a bot until its stream ends; after that nothing is sent any more."""
    try:
        async for data in requests:
            try:
                message = player_pb2.PlayRequest.FromString(data)
            except DecodeError:
                close(session, FaultKind.MALFORMED, f"{len(data)} bytes that are no PlayRequest")
            else:
                take(session, message, len(data), monotonic(), lateness.late_s)
            if session.closing:
                return
    except grpc.aio.BaseError:
        return  # the stream is lost
    finally:
        writer.cancel()  # perhaps in the middle of a message that the bot does not read


async def _write(session: Session, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
    """Whatever is ready travels together, until the stream is lost."""
    session.wake.set()
    while True:
        await session.wake.wait()
        data = session.take_out(monotonic()).SerializeToString()
        session.is_sending = True
        try:
            await context.write(data)
        except grpc.aio.BaseError:
            return  # the stream is lost
        session.is_sending = False


def _why_closed(session: Session, *tasks: asyncio.Task[None]) -> str:
    """Why the referee ends the stream, empty when the bot has ended it."""
    for task in tasks:
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("the stream of %s failed", session.process, exc_info=error)
            return f"the stream failed: {error!r}"
    return session.closing


class OrganiserService:
    """What the organiser may call, on a socket that bots never see."""

    def __init__(self, lobby: Lobby, grace_s: float = GRACE_S) -> None:
        self._lobby = lobby
        self._grace_s = grace_s
        self._tables: dict[str, Table] = {}
        """Under way, by match."""

    async def RunMatch(
        self,
        requests: AsyncIterator[referee_pb2.RunMatchRequest],
        context: grpc.aio.ServicerContext[referee_pb2.RunMatchRequest, referee_pb2.RunMatchResponse],
    ) -> AsyncIterator[referee_pb2.RunMatchResponse]:
        results: asyncio.Queue[referee_pb2.RunMatchResponse | None] = asyncio.Queue()
        reader = asyncio.create_task(self._take_orders(requests, results))
        reader.add_done_callback(lambda _: results.put_nowait(None))
        try:
            while (result := await results.get()) is not None:
                yield result
            await reader
        finally:
            reader.cancel()

    async def ListBots(
        self,
        request: referee_pb2.ListBotsRequest,
        context: grpc.aio.ServicerContext[referee_pb2.ListBotsRequest, referee_pb2.ListBotsResponse],
    ) -> referee_pb2.ListBotsResponse:
        return referee_pb2.ListBotsResponse(
            bots=[
                referee_pb2.ConnectedBot(
                    process=session.process,
                    bot_name=session.bot_name,
                    games=session.games,
                    tables=len(session.seats),
                    rtt_us=0 if session.way is None else session.way.rtt_us,
                )
                for session in self._lobby.sessions.values()
                if session.connected.is_set()
            ]
        )

    async def Watch(
        self,
        request: referee_pb2.WatchRequest,
        context: grpc.aio.ServicerContext[referee_pb2.WatchRequest, referee_pb2.WatchResponse],
    ) -> referee_pb2.WatchResponse:
        response = referee_pb2.WatchResponse(under_way=self._tables)
        for watched in request.matches:
            if (table := self._tables.get(watched.match_id)) is not None:
                message = response.matches.add(match_id=watched.match_id)
                table.write_shown(watched.start, message, open_cards=request.open_cards)
        return response

    async def _take_orders(
        self,
        requests: AsyncIterator[referee_pb2.RunMatchRequest],
        results: asyncio.Queue[referee_pb2.RunMatchResponse | None],
    ) -> None:
        """Open a table for every order, until there are no more and all ordered matches are over."""
        open_matches: dict[str, Sequence[str]] = {}
        all_over = asyncio.Event()
        all_over.set()

        def report(response: referee_pb2.RunMatchResponse) -> None:
            results.put_nowait(response)
            open_matches.pop(response.match_id, None)
            self._tables.pop(response.match_id, None)
            if not open_matches:
                all_over.set()

        def over(match_id: str, record: bytes) -> None:
            out_of_turn_us = self._out_of_turn(open_matches.get(match_id, ()))
            report(referee_pb2.RunMatchResponse(match_id=match_id, record=record, out_of_turn_us=out_of_turn_us))

        def void(match_id: str, why: str) -> None:
            report(referee_pb2.RunMatchResponse(match_id=match_id, void=why))

        async with asyncio.TaskGroup() as waiting:
            async for request in requests:
                if self._hear(request):
                    continue
                order = request.order
                match_id = order.header.match_id
                open_matches[match_id] = order.processes
                all_over.clear()
                try:
                    table = self._tables[match_id] = self._table(order, over, void)
                except (PipsError, ValueError) as error:
                    void(match_id, str(error))
                    continue
                except Exception:  # noqa: BLE001 - a mistake in a game's rules costs its match, not the referee
                    void(match_id, format_exc())
                    continue
                if all(session.connected.is_set() for session in table.sessions):
                    table.open()
                else:
                    waiting.create_task(self._open_later(table))
        await all_over.wait()

    def _hear(self, request: referee_pb2.RunMatchRequest) -> bool:
        """Take the launcher's word on a process, or the organiser's on guests, if it is one."""
        kind = request.WhichOneof("request")
        if kind == "ended":
            self._lobby.session(request.ended.process).process_ended(request.ended)
        elif kind == "started":
            started = request.started
            session = self._lobby.session(started.process)
            session.process_started(started.pid, may_ponder=not started.stop_out_of_turn)
        elif kind == "invited":
            self._lobby.invite(request.invited, monotonic())
        elif kind == "news":
            guest = self._lobby.session(request.news.process).guest
            if guest is not None:
                guest.tell(request.news.line, over=request.news.over)
        return kind != "order"

    def _out_of_turn(self, processes: Sequence[str]) -> list[int]:
        """What they computed out of turn and was not told of yet; empty when that is nothing."""
        sessions = [self._lobby.session(process) for process in processes]
        burnt_us = [session.out_of_turn_us for session in sessions]
        for session in sessions:
            session.out_of_turn_us = 0
        return burnt_us if any(burnt_us) else []

    def _table(
        self, order: referee_pb2.MatchOrder, over: Callable[[str, bytes], None], void: Callable[[str, str], None]
    ) -> Table:
        """The table of an order; `PipsError` when it cannot be played as it stands."""
        header = Header.read(order.header)
        seats = len(header.names)
        if len(order.processes) != seats or [len(seed) for seed in order.rng_seeds] != [SEED_BYTES] * seats:
            raise OptionsError(
                f"an order for {seats} seats names {seats} processes, and {seats} rng seeds of {SEED_BYTES} bytes"
            )
        sessions = [self._lobby.session(process) for process in order.processes]
        return Table(header, sessions, order.rng_seeds, TimeControl.read(order.clock), over, void)

    async def _open_later(self, table: Table) -> None:
        """Open a table when all its bots are here, or let the missing ones' absence be their fault."""
        missing = [session for session in table.sessions if not session.connected.is_set()]
        grace_s = max((session.grace_s(self._grace_s) for session in missing), default=self._grace_s)  # all came by now
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                for session in table.sessions:
                    await session.decided.wait()
        table.open_without(f"not connected for {grace_s:g} s")


async def watch(lobby: Lobby, grace_s: float = GRACE_S) -> None:
    """The one clock of a referee: late answers, lost processes."""
    ticks = 0
    try:
        while True:
            await asyncio.sleep(WATCH_S)
            now = monotonic()
            ticks += 1
            lobby.lateness.tick(now)
            for session in list(lobby.sessions.values()):
                if session.connected.is_set():
                    _watch_clock(session, now, lobby.lateness)
                    session.ping(now)
                    if ticks % TICKS_A_LOOK == 0:
                        session.look_out_of_turn(now)
                elif session.lost_at is not None or session.queue:
                    _watch_lost(session, now, grace_s)
    finally:
        lobby.lateness.close()


def _watch_clock(session: Session, now: float, lateness: Lateness) -> None:
    spent = session.overdue(now, lateness.late_s)
    if spent is not None:
        head = session.queue[0]
        session.give_up()
        session.restart_clock(now)
        if not head.withdrawn:
            limit_us = head.table.clocks[head.seat].limit_us
            head.table.fault(head.seat, FaultKind.TIMEOUT, "late", late(spent.used_us, limit_us), spent=spent)
        session.stir()


def _watch_lost(session: Session, now: float, grace_s: float) -> None:
    """The head of a lost process's queue is faulted once; the other tables wait for the next process."""
    if session.lost_at is None:
        session.lost_at = now
    session.lose_process()
    if session.ended is None and now - session.lost_at > ENDED_S and not session.process_is_gone():
        session.lose(FaultKind.DISCONNECT, STREAM_ENDED)
    grace_s = session.grace_s(grace_s)
    if now - session.lost_at > grace_s:
        if session.guest is not None:
            session.decided.set()  # no other match waits for it
        for table, seat in list(session.seats.values()):
            if table.is_open:  # one that still waits for its bots finds out by itself
                table.fault(seat, FaultKind.DISCONNECT, detail=f"not connected for {grace_s:g} s")


def bot_server(
    lobby: Lobby,
    address: str,
    hello_s: float = HELLO_S,
    tls: Tls | None = None,
    most_connections: int = MOST_CONNECTIONS,
) -> grpc.aio.Server:
    """The server bots dial; `address` as gRPC writes it (unix:PATH or HOST:PORT)."""
    service = BotService(lobby, hello_s, most_connections)
    play: Any = grpc.stream_stream_rpc_method_handler(service.Play)  # no serialisers: bytes in, bytes out
    attend = grpc.unary_stream_rpc_method_handler(
        service.Attend, player_pb2.AttendRequest.FromString, player_pb2.AttendResponse.SerializeToString
    )
    return new_server(
        address, {"Play": play, "Attend": attend}, MOST_MESSAGE_BYTES, most_connections + OTHER_CALLS, tls
    )


def organiser_server(lobby: Lobby, address: str, grace_s: float = GRACE_S) -> grpc.aio.Server:
    """The server the organiser dials; its matches wait for bots as long as `grace_s`."""
    service = OrganiserService(lobby, grace_s)
    run_match = grpc.stream_stream_rpc_method_handler(
        service.RunMatch,
        referee_pb2.RunMatchRequest.FromString,
        referee_pb2.RunMatchResponse.SerializeToString,
    )
    list_bots = grpc.unary_unary_rpc_method_handler(
        service.ListBots,
        referee_pb2.ListBotsRequest.FromString,
        referee_pb2.ListBotsResponse.SerializeToString,
    )
    look_on = grpc.unary_unary_rpc_method_handler(
        service.Watch,
        referee_pb2.WatchRequest.FromString,
        referee_pb2.WatchResponse.SerializeToString,
    )
    return new_server(address, {"RunMatch": run_match, "ListBots": list_bots, "Watch": look_on}, -1)
