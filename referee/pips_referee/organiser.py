"""What the organiser may call, on a socket of its own. Decode, one domain call, encode."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from traceback import format_exc

import grpc

from pips.v1 import referee_pb2
from pips_referee.chance import SEED_BYTES
from pips_referee.clock import TimeControl
from pips_referee.errors import OptionsError, PipsError
from pips_referee.lobby import GRACE_S, Lobby
from pips_referee.ports import new_server
from pips_referee.record import Header
from pips_referee.table import Table


class OrganiserService:
    """What the organiser may call, on a socket that bots never see."""

    def __init__(self, lobby: Lobby, grace_s: float = GRACE_S, most_tables: int | None = None) -> None:
        self._lobby = lobby
        self._grace_s = grace_s
        self._most_tables = most_tables
        self._tables: dict[str, Table] = {}
        """Under way, by match."""

    async def RunMatch(
        self,
        requests: AsyncIterator[referee_pb2.RunMatchRequest],
        context: grpc.aio.ServicerContext[referee_pb2.RunMatchRequest, referee_pb2.RunMatchResponse],
    ) -> AsyncIterator[referee_pb2.RunMatchResponse]:
        results: asyncio.Queue[referee_pb2.RunMatchResponse | None] = asyncio.Queue()
        orders = _Orders(self._lobby, self._grace_s, self._most_tables, self._tables, results.put_nowait)
        reader = asyncio.create_task(orders.take(requests))
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


@dataclass(eq=False)
class _Orders:
    """What one organiser orders, and what becomes of it: `report` is told of every match."""

    lobby: Lobby
    grace_s: float
    most_tables: int | None
    tables: dict[str, Table]
    """All that are under way, by match."""
    report: Callable[[referee_pb2.RunMatchResponse], None]
    ahead: deque[referee_pb2.MatchOrder] = field(default_factory=deque)
    """Ordered, and waiting for a table."""
    open: dict[str, Sequence[str]] = field(default_factory=dict)
    """By match that is under way, the processes that play it."""
    all_over: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)

    async def take(self, requests: AsyncIterator[referee_pb2.RunMatchRequest]) -> None:
        """Open a table for every order, as soon as there is room, until there are no more and all matches are over."""
        try:
            async with self.waiting:
                async for request in requests:
                    if not self._hear(request):
                        self.ahead.append(request.order)
                        self._begin()
                while self.open:
                    self.all_over.clear()
                    await self.all_over.wait()
        finally:
            self.ahead.clear()  # the organiser may have left: nobody waits for these

    def _hear(self, request: referee_pb2.RunMatchRequest) -> bool:
        """Take the launcher's word on a process, or the organiser's on guests, if it is one."""
        kind = request.WhichOneof("request")
        if kind == "ended":
            self.lobby.session(request.ended.process).process_ended(request.ended)
        elif kind == "started":
            started = request.started
            session = self.lobby.session(started.process)
            session.process_started(started.pid, may_ponder=not started.stop_out_of_turn)
        elif kind == "invited":
            self.lobby.invite(request.invited, monotonic())
        elif kind == "news":
            guest = self.lobby.session(request.news.process).guest
            if guest is not None:
                guest.tell(request.news.line, over=request.news.over)
        return kind != "order"

    def _begin(self) -> None:
        """As many of those that wait as there is room for."""
        while self.ahead and (self.most_tables is None or len(self.open) < self.most_tables):
            order = self.ahead.popleft()
            match_id = order.header.match_id
            self.open[match_id] = order.processes
            try:
                table = self.tables[match_id] = self._table(order)
            except (PipsError, ValueError) as error:
                self._void(match_id, str(error))
            except Exception:  # noqa: BLE001 - a mistake in a game's rules costs its match, not the referee
                self._void(match_id, format_exc())
            else:
                if all(session.connected.is_set() for session in table.sessions):
                    table.open()
                else:
                    self.waiting.create_task(self._open_later(table))

    def _over(self, match_id: str, record: bytes) -> None:
        out_of_turn_us = self._out_of_turn(self.open.get(match_id, ()))
        self._end(referee_pb2.RunMatchResponse(match_id=match_id, record=record, out_of_turn_us=out_of_turn_us))

    def _void(self, match_id: str, why: str) -> None:
        self._end(referee_pb2.RunMatchResponse(match_id=match_id, void=why))

    def _end(self, response: referee_pb2.RunMatchResponse) -> None:
        self.report(response)
        self.open.pop(response.match_id, None)
        self.tables.pop(response.match_id, None)
        self._begin()
        if not self.open:
            self.all_over.set()

    def _out_of_turn(self, processes: Sequence[str]) -> list[int]:
        """What they computed out of turn and was not told of yet; empty when that is nothing."""
        sessions = [self.lobby.session(process) for process in processes]
        burnt_us = [session.out_of_turn_us for session in sessions]
        for session in sessions:
            session.out_of_turn_us = 0
        return burnt_us if any(burnt_us) else []

    def _table(self, order: referee_pb2.MatchOrder) -> Table:
        """The table of an order; `PipsError` when it cannot be played as it stands."""
        header = Header.read(order.header)
        seats = len(header.names)
        if len(order.processes) != seats or [len(seed) for seed in order.rng_seeds] != [SEED_BYTES] * seats:
            raise OptionsError(
                f"an order for {seats} seats names {seats} processes, and {seats} rng seeds of {SEED_BYTES} bytes"
            )
        sessions = [self.lobby.session(process) for process in order.processes]
        return Table(header, sessions, order.rng_seeds, TimeControl.read(order.clock), self._over, self._void)

    async def _open_later(self, table: Table) -> None:
        """Open a table when all its bots are here, or let the missing ones' absence be their fault."""
        missing = [session for session in table.sessions if not session.connected.is_set()]
        grace_s = max((session.grace_s(self.grace_s) for session in missing), default=self.grace_s)  # all came by now
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                # Who was here may be gone again by the time that another comes: it is waited for anew.
                while undecided := [session for session in table.sessions if not session.decided.is_set()]:
                    await undecided[0].decided.wait()
        table.open_without(f"not connected for {grace_s:g} s")


def organiser_server(
    lobby: Lobby, address: str, grace_s: float = GRACE_S, most_tables: int | None = None
) -> grpc.aio.Server:
    """The server the organiser dials; its matches wait for bots as long as `grace_s`, and beyond `most_tables`
    for those before them."""
    service = OrganiserService(lobby, grace_s, most_tables)
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
