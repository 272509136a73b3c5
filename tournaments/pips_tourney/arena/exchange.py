"""The messages between an arena and its referee: orders and news, and results."""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Any, Final

import grpc

from pips.v1 import referee_pb2, referee_pb2_grpc
from pips_referee.service.tokens import OrganiserDoor
from pips_referee.timing.standstill import patience


class VoidMatch(Exception):
    """The machine failed, so the match has to be played again."""

    def __init__(self, why: str, bot: str = "") -> None:
        super().__init__(why)
        self.bot = bot
        """The bot for which the machine failed, if it was only one."""


class NotBegun(Exception):
    """The night goes on otherwise: the match was not begun."""


class ArenaLost(Exception):
    """The referee or the keeper did not start, or has ended."""


LIST_S: Final = 10.0
"""The referee's timeout for listing the connected bots."""


class Exchange:
    """One RunMatch call; requests made before it begins are sent when it does."""

    def __init__(self) -> None:
        self._requests: asyncio.Queue[referee_pb2.RunMatchRequest] = asyncio.Queue()
        self._open: dict[str, Future[bytes]] = {}
        """By match, its future record."""
        self._out_of_turn_us: dict[str, Sequence[int]] = {}

    def tell(self, request: referee_pb2.RunMatchRequest) -> None:
        """Send the referee a request."""
        self._requests.put_nowait(request)

    async def result(self, order: referee_pb2.MatchOrder) -> bytes:
        """Have the referee play a match; return its record.

        `VoidMatch` if the machine failed.
        """
        match_id = order.header.match_id
        result: Future[bytes] = asyncio.get_running_loop().create_future()
        self._open[match_id] = result
        try:
            self.tell(referee_pb2.RunMatchRequest(order=order))
            return await result
        finally:
            del self._open[match_id]

    def out_of_turn_us(self, match_id: str) -> Sequence[int]:
        """Return by seat the CPU time used out of turn in a played match.

        In microseconds; empty if there was none. Each match can be asked for only once.
        """
        return self._out_of_turn_us.pop(match_id, ())

    def void(self, why: str) -> None:
        """Make all open matches void."""
        for result in self._open.values():
            if not result.done():
                result.set_exception(VoidMatch(why))

    async def hear(self, stub: referee_pb2_grpc.RefereeServiceAsyncStub, door: OrganiserDoor) -> str:
        """Receive results until the call ends; return why it ended."""
        try:
            async for response in stub.RunMatch(self._told(), metadata=door.metadata):
                self._take(response)
        except grpc.aio.AioRpcError as error:
            return f"the referee was lost: {error.details()}"
        return "the referee ended the stream of results"

    async def _told(self) -> AsyncIterator[referee_pb2.RunMatchRequest]:
        while True:
            yield await self._requests.get()

    def _take(self, response: referee_pb2.RunMatchResponse) -> None:
        result = self._open.get(response.match_id)
        if result is None or result.done():
            return
        if response.WhichOneof("result") == "record":
            if response.out_of_turn_us:
                self._out_of_turn_us[response.match_id] = response.out_of_turn_us
            result.set_result(response.record)
        else:
            result.set_exception(VoidMatch(response.void))


async def bots_at(
    stub: referee_pb2_grpc.RefereeServiceAsyncStub, door: OrganiserDoor
) -> list[referee_pb2.ConnectedBot]:
    """Return the bots connected to a referee; none if it does not answer."""
    try:
        async with patience(LIST_S):
            listed = await stub.ListBots(referee_pb2.ListBotsRequest(), metadata=door.metadata)
        return list(listed.bots)
    except (grpc.aio.AioRpcError, TimeoutError):
        return []


async def to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish the work even if this task is cancelled; then raise the cancellation."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
