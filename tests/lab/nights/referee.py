"""A simulated referee's process: the real services, without gRPC below them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pips.v1 import player_pb2, referee_pb2
from pips_referee.records.record import Header
from pips_referee.service.bots import BotService, bot_service
from pips_referee.service.organiser import OrganiserService
from pips_referee.service.sessions import SessionRegistry
from pips_referee.service.timekeeper import keep_time
from pips_tourney.arena.ground import OrganiserChannel
from tests.lab.nights.network import Aborted, Cut, Line, rpc_error

if TYPE_CHECKING:
    from tests.lab.nights.machine import Machine


class Referee:
    """The process that a referee is, with what its command says."""

    def __init__(self, machine: Machine, key: bytes, command: Sequence[str]) -> None:
        self._machine, network = machine, machine.network
        said = dict(pairwise(command))
        grace_s = float(said["--grace-s" if "--grace-s" in said else "{fd}"])  # an arena's has no names
        self.registry = SessionRegistry(key)
        self.service = OrganiserService(self.registry, self, grace_s)
        self._network = network
        self._doors: set[str] = set()
        self._attending: set[asyncio.Future[Any]] = set()
        self._common: BotService | None = None
        self.address = said.get("--bots", "")
        """Where guests dial in, if anywhere."""
        if self.address:
            self._common = bot_service(self.registry, self.address)
            network.listen(self.address, self._common.Play)
            self._doors.add(self.address)
        self.clock = asyncio.create_task(keep_time(self.registry, grace_s))
        self.dead: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def open(self, process: str, address: str) -> None:
        """Open a door, as `Doors` of the real referee does with a server."""
        try:
            Path(address.removeprefix("unix:")).touch()  # noqa: ASYNC240 - it takes no time
        except OSError as error:
            raise RuntimeError(str(error)) from None
        self._network.listen(address, BotService(self.registry, door=process).Play)
        self._doors.add(address)

    async def close(self, address: str) -> None:
        self._network.close(address)
        self._doors.discard(address)
        Path(address.removeprefix("unix:")).unlink(missing_ok=True)  # noqa: ASYNC240 - it takes no time

    async def attend(
        self, token: bytes, peer: str, delay_s: float, silence: asyncio.Future[None]
    ) -> AsyncIterator[player_pb2.AttendResponse]:
        """News for a guest, as gRPC would bring them; raises as gRPC does.

        `TimeoutError` at its `silence`, which its own clock has noticed.
        """
        assert self._common is not None
        context: Any = Line(self._network.delay_s, peer=peer)
        news = self._common.Attend(player_pb2.AttendRequest(token=token), context)
        try:
            while True:
                following: asyncio.Future[Any] = asyncio.ensure_future(anext(news))
                waited: list[asyncio.Future[Any]] = [following, self.dead, silence]
                self._attending.add(following)
                try:
                    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    self._attending.discard(following)
                    if not following.done():
                        following.cancel()
                if self.dead.done():
                    raise Cut
                if silence.done():
                    raise TimeoutError
                await asyncio.sleep(delay_s + self._network.delay_s())
                try:
                    yield following.result()
                except StopAsyncIteration:
                    return
        except Aborted as error:
            raise rpc_error(error.details, error.code) from None

    def end(self) -> None:
        """The process ends: its doors close, and its organiser's calls fail."""
        self._machine.look_at_drops(self.registry.sessions.values())
        self.clock.cancel()
        for address in self._doors:
            self._network.close(address)
        for task in self._attending:
            task.cancel()
        if not self.dead.done():
            self.dead.set_result(None)


class Channel(OrganiserChannel):
    """A way to a referee's organiser socket."""

    def __init__(self, machine: Machine, address: str) -> None:
        self.stub: Any = Stub(machine, machine.referees[address])

    async def close(self) -> None:
        """There is nothing to close: its calls end by themselves."""


class Stub:
    """What the organiser calls, in place of gRPC's stub."""

    def __init__(self, machine: Machine, referee: Referee) -> None:
        self._machine, self._referee = machine, referee
        self._network, self._passes = machine.network, machine.passes

    async def OpenDoor(self, request: referee_pb2.OpenDoorRequest, **_: object) -> Any:  # noqa: N802 - its name in the contract
        return await self._call(self._referee.service.OpenDoor, request)

    async def CloseDoor(self, request: referee_pb2.CloseDoorRequest, **_: object) -> Any:  # noqa: N802 - its name in the contract
        return await self._call(self._referee.service.CloseDoor, request)

    async def ListBots(self, request: referee_pb2.ListBotsRequest, **_: object) -> Any:  # noqa: N802 - its name in the contract
        return await self._call(self._referee.service.ListBots, request)

    async def _call(self, method: Any, request: Any) -> Any:
        self._passes("called")
        await asyncio.sleep(self._network.delay_s())
        if self._referee.dead.done():
            raise rpc_error("failed to connect to all addresses")
        try:
            answer = await method(request, Line(self._network.delay_s))
        except Aborted as error:
            raise rpc_error(error.details, error.code) from None
        await asyncio.sleep(self._network.delay_s())
        if self._referee.dead.done():
            raise rpc_error("Socket closed")
        return answer

    async def RunMatch(  # noqa: N802 - its name in the contract
        self, requests: AsyncIterator[referee_pb2.RunMatchRequest], **_: object
    ) -> AsyncIterator[referee_pb2.RunMatchResponse]:
        line: Any = Line(self._network.delay_s)
        results = self._referee.service.RunMatch(self._as_sent(requests), line)
        dead = self._referee.dead
        try:
            while True:
                following: asyncio.Future[Any] = asyncio.ensure_future(anext(results))
                waited: list[asyncio.Future[Any]] = [following, dead]
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                if dead.done():
                    following.cancel()
                    with suppress(BaseException):
                        await following
                    raise rpc_error("Socket closed")
                self._passes("result")
                try:
                    yield following.result()
                except StopAsyncIteration:
                    return
        finally:
            if not dead.done():
                following.cancel()

    async def _as_sent(
        self, requests: AsyncIterator[referee_pb2.RunMatchRequest]
    ) -> AsyncIterator[referee_pb2.RunMatchRequest]:
        """Messages as they arrive: no object is shared by two processes."""
        async for request in requests:
            self._passes("ordered")
            if request.HasField("order"):
                self._machine.witness.ordered(header := Header.read(request.order.header))
                seated = self._machine.keeper_of(self._referee).children
                names = set(request.order.processes) & seated.keys()
                self._machine.seats((header.seed, *sorted(header.names)), [seated[name] for name in names])
            if request.order.header.match_id in self._machine.acknowledged:
                self._machine.witness.breaks(f"match {request.order.header.match_id} is played again, though stored")
            await asyncio.sleep(self._network.delay_s())
            yield referee_pb2.RunMatchRequest.FromString(request.SerializeToString())
