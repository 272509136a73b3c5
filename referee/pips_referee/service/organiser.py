"""The calls for the organiser, on a socket of its own."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol

import grpc

from pips.v1 import referee_pb2
from pips_referee.chance import SEED_BYTES
from pips_referee.errors import OptionsError, PipsError
from pips_referee.failure import why_failed
from pips_referee.records.record import Header
from pips_referee.service.ports import SERVICE, UNIX, handler_of, new_server
from pips_referee.service.sessions import GRACE_S, SessionRegistry
from pips_referee.service.table import Table
from pips_referee.service.tokens import AUTHORIZATION
from pips_referee.timing.clock import TimeControl
from pips_referee.timing.standstill import patience

ORGANISER_ONLY = (
    "only the organiser calls this: send the organiser's token, as `authorization: Bearer TOKEN` in the call's metadata"
)


class DoorKeeper(Protocol):
    """Opens and closes the sockets of bot processes."""

    async def open(self, process: str, address: str) -> None:
        """Open a socket for the process; `RuntimeError` if the address is unusable."""

    async def close(self, address: str) -> None:
        """Close the socket, if it exists."""


class OrganiserService:
    """The calls for the organiser, on a socket that bots cannot reach.

    Its matches wait `grace_s` seconds for bots.
    """

    def __init__(self, registry: SessionRegistry, doors: DoorKeeper, grace_s: float = GRACE_S) -> None:
        self._registry = registry
        self._doors = doors
        self._grace_s = grace_s
        self._tables: dict[str, Table] = {}
        """The tables of matches under way, by match id."""

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

    async def OpenDoor(
        self,
        request: referee_pb2.OpenDoorRequest,
        context: grpc.aio.ServicerContext[referee_pb2.OpenDoorRequest, referee_pb2.OpenDoorResponse],
    ) -> referee_pb2.OpenDoorResponse:
        if not request.address.startswith(UNIX):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"a door is at unix:PATH, not {request.address}")
        try:
            await self._doors.open(request.process, request.address)
        except RuntimeError as error:
            await context.abort(grpc.StatusCode.UNAVAILABLE, f"no door for {request.process}: {error}")
        return referee_pb2.OpenDoorResponse()

    async def CloseDoor(
        self,
        request: referee_pb2.CloseDoorRequest,
        context: grpc.aio.ServicerContext[referee_pb2.CloseDoorRequest, referee_pb2.CloseDoorResponse],
    ) -> referee_pb2.CloseDoorResponse:
        await self._doors.close(request.address)
        return referee_pb2.CloseDoorResponse()

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
                    most_tables=session.most_tables,
                )
                for session in self._registry.sessions.values()
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
        """Open tables until there are no more orders and all their matches are over."""
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
                open_matches[request.order.header.match_id] = request.order.processes
                all_over.clear()
                table = self._new_table(request.order, over, void)
                if table is not None and all(session.is_here for session in table.sessions):
                    table.open()
                elif table is not None:
                    waiting.create_task(self._open_later(table))
        await all_over.wait()

    def _new_table(
        self, order: referee_pb2.MatchOrder, over: Callable[[str, bytes], None], void: Callable[[str, str], None]
    ) -> Table | None:
        """The table for an order; None, with a void match, if it cannot be played."""
        match_id = order.header.match_id
        try:
            table = self._tables[match_id] = self._table(order, over, void)
        except PipsError as error:
            void(match_id, str(error))
        except Exception as error:  # noqa: BLE001 - a mistake in a game's rules costs its match, not the referee
            void(match_id, why_failed(error))
        else:
            return table
        return None

    def _hear(self, request: referee_pb2.RunMatchRequest) -> bool:
        """Process a report on a process or guests; False if the request is an order."""
        kind = request.WhichOneof("request")
        if kind == "ended":
            self._registry.session(request.ended.process).process_ended(request.ended)
        elif kind == "started":
            started = request.started
            session = self._registry.session(started.process)
            session.process_started(started.pid, may_ponder=not started.stop_out_of_turn, group=started.group)
        elif kind == "invited":
            self._registry.invite(request.invited, monotonic())
        elif kind == "news":
            guest = self._registry.session(request.news.process).guest
            if guest is not None:
                guest.tell(request.news.line, over=request.news.over)
        return kind != "order"

    def _out_of_turn(self, processes: Sequence[str]) -> list[int]:
        """CPU time used out of turn since last reported, by process; empty if none."""
        sessions = [self._registry.session(process) for process in processes]
        burnt_us = [session.out_of_turn_us for session in sessions]
        for session in sessions:
            session.out_of_turn_us = 0
        return burnt_us if any(burnt_us) else []

    def _table(
        self, order: referee_pb2.MatchOrder, over: Callable[[str, bytes], None], void: Callable[[str, str], None]
    ) -> Table:
        """The table for an order; `PipsError` if the order cannot be played."""
        header = Header.read(order.header)
        seats = len(header.names)
        if len(order.processes) != seats or [len(seed) for seed in order.rng_seeds] != [SEED_BYTES] * seats:
            raise OptionsError(
                f"an order for {seats} seats names {seats} processes, and {seats} rng seeds of {SEED_BYTES} bytes"
            )
        sessions = [self._registry.session(process) for process in order.processes]
        return Table(header, sessions, order.rng_seeds, TimeControl.read(order.clock), over, void)

    async def _open_later(self, table: Table) -> None:
        """Open a table when all its bots are connected, or after the wait for them."""
        missing = [session for session in table.sessions if not session.is_here]
        for session in missing:
            session.await_next()
        grace_s = max((session.grace_s(self._grace_s) for session in missing), default=self._grace_s)  # all have come
        with suppress(TimeoutError):
            async with patience(grace_s):
                # A session may leave while another comes; then the wait goes on.
                while undecided := [session for session in table.sessions if not session.decided.is_set()]:
                    await undecided[0].decided.wait()
        table.open_without(f"not connected for {grace_s:g} s")


class AsksForToken(grpc.aio.ServerInterceptor):
    """Refuses every call to the service without the organiser's token.

    The folder's mode keeps other users out. The token keeps out processes of the same
    user that have found the socket. Health reveals nothing and stays open.
    """

    def __init__(self, token: str) -> None:
        self._authorization = f"Bearer {token}".encode()
        self._refusal: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(_refuse)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        said = dict(handler_call_details.invocation_metadata).get(AUTHORIZATION, "")
        known = hmac.compare_digest(said.encode() if isinstance(said, str) else said, self._authorization)
        if known or not handler_call_details.method.startswith(f"/{SERVICE}/"):
            return await continuation(handler_call_details)
        return self._refusal


async def _refuse(_: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, ORGANISER_ONLY)


def organiser_server(service: OrganiserService, address: str, token: str) -> grpc.aio.Server:
    """The server to which the organiser connects with this token."""
    methods = ("RunMatch", "ListBots", "Watch", "OpenDoor", "CloseDoor")
    handlers = {name: handler_of(service, name) for name in methods}
    return new_server(address, handlers, -1, interceptors=[AsksForToken(token)])
