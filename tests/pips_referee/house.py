"""A referee in this process on Unix sockets, with bare bots and an organiser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence, ValuesView
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import grpc

from pips.v1 import game_pb2, player_pb2, referee_pb2, referee_pb2_grpc
from pips_referee.records.record import Header, Record, replay, verify
from pips_referee.service.bots import BotService, Doors, bot_server
from pips_referee.service.organiser import OrganiserService, organiser_server
from pips_referee.service.session import Session
from pips_referee.service.sessions import SessionRegistry
from pips_referee.service.timekeeper import keep_time
from pips_referee.service.tokens import OrganiserDoor, issue_token, organiser_token
from pips_referee.wire import get_wire
from tests.patience import PATIENCE_S
from tests.records import new_header

KEY = bytes([42] * 32)
MOST_LAUNCHES = 1000
"""The most launches of any test."""
PLAY = "/pips.v1.RefereeService/Play"

Answerer = Callable[[player_pb2.Question, player_pb2.Answer], None]


class StreamEnded(Exception):
    """The referee ended a bot's stream: with which code, and why."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(f"{code.name}: {details}")
        self.code = code
        self.details = details


class BareBot:
    """A bot's end of a stream: bytes out, messages in."""

    def __init__(self, channel: grpc.aio.Channel, seed: int = 1) -> None:
        play: Any = channel.stream_stream(PLAY, response_deserializer=player_pb2.PlayResponse.FromString)
        self.stream: grpc.aio.StreamStreamCall[bytes, player_pb2.PlayResponse] = play()
        self.starts: dict[int, player_pb2.Start] = {}
        self.questions: list[player_pb2.Question] = []
        """All questions that were read and not answered by `reply`."""
        self.finishes: dict[int, player_pb2.Finish] = {}
        self.heard: dict[int, list[game_pb2.GameEvent]] = {}
        """By table, all events that this process was sent."""
        self.messages: list[player_pb2.PlayResponse] = []
        self.rng = Random(seed)

    async def send(self, data: bytes) -> None:
        """Send a message; `StreamEnded` if the referee has ended the stream."""
        try:
            await self.stream.write(data)
        except grpc.aio.AioRpcError as error:
            raise StreamEnded(error.code(), error.details() or "") from None

    async def read(self) -> player_pb2.PlayResponse:
        """The next message; `StreamEnded` when there is none."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                message = await self.stream.read()
        except grpc.aio.AioRpcError as error:
            raise StreamEnded(error.code(), error.details() or "") from None
        if not isinstance(message, player_pb2.PlayResponse):
            raise StreamEnded(await self.stream.code(), await self.stream.details())
        self.messages.append(message)
        self.starts |= {start.table: start for start in message.starts}
        self.heard |= {start.table: list(start.told) for start in message.starts}
        self.questions += message.questions
        self.finishes |= {finish.table: finish for finish in message.finishes}
        for question in message.questions:
            self.heard[question.table] += question.events
        for finish in message.finishes:
            self.heard[finish.table] += finish.events
        return message

    async def hello(self, token: bytes, session_key: bytes = b"", version: int = 1) -> player_pb2.Welcome:
        hello = player_pb2.Hello(protocol_version=version, bot_name="bare", games=["serpent"], token=token)
        hello.session_key = session_key
        await self.send(player_pb2.PlayRequest(hello=hello).SerializeToString())
        return (await self.read()).welcome

    async def asked(self, count: int = 1) -> list[player_pb2.Question]:
        """Answer and read until `count` questions are open at once.

        A busy bot is sent nothing more.
        """
        while len(self.questions) < count:
            if self.questions:
                await self.reply()
            await self.read()
        return self.questions

    def random_answer(self, question: player_pb2.Question, answer: player_pb2.Answer) -> None:
        wire = get_wire(self.starts[question.table].game)
        wire.write_action(wire.read_view(question.view).random_action(self.rng), answer.action)

    async def reply(self, answerer: Answerer | None = None) -> None:
        """Answer all questions that were read, in one message."""
        request = player_pb2.PlayRequest()
        for question in self.questions:
            answer = request.answers.add(table=question.table, number=question.number)
            (answerer or self.random_answer)(question, answer)
        self.questions.clear()
        await self.send(request.SerializeToString())

    async def play(self, answerer: Answerer | None = None, finishes: int = 1) -> None:
        """Answer everything until that many matches are over for this bot."""
        while len(self.finishes) < finishes:
            if self.questions:
                await self.reply(answerer)
            else:
                await self.read()

    async def ended(self) -> StreamEnded:
        """Wait until the referee ends the stream; return how."""
        while True:
            try:
                await self.read()
            except StreamEnded as end:
                return end

    def leave(self) -> None:
        """The process is gone."""
        self.stream.cancel()


class Orders:
    """An organiser's RunMatch call."""

    def __init__(self, stub: referee_pb2_grpc.RefereeServiceAsyncStub, door: OrganiserDoor) -> None:
        self.call = stub.RunMatch(metadata=door.metadata)
        self.results: dict[str, referee_pb2.RunMatchResponse] = {}

    async def order(
        self,
        header: Header,
        processes: Sequence[str],
        clock: referee_pb2.Clock | None = None,
        change: Callable[[referee_pb2.MatchOrder], object] = lambda _: None,
    ) -> None:
        message = referee_pb2.MatchOrder(processes=processes, clock=clock)
        header.write(message.header)
        message.rng_seeds.extend(bytes([seat] * 32) for seat in range(len(header.names)))
        change(message)
        await self.call.write(referee_pb2.RunMatchRequest(order=message))

    async def tell_ended(
        self, process: str, how: str, last_output: str, launch: int = MOST_LAUNCHES, *, refused: bool = False
    ) -> None:
        ended = referee_pb2.ProcessEnded(process=process, how=how, last_output=last_output, launch=launch)
        ended.refused = refused
        await self.call.write(referee_pb2.RunMatchRequest(ended=ended))

    async def tell_started(self, process: str, pid: int) -> None:
        started = referee_pb2.ProcessStarted(process=process, pid=pid)
        await self.call.write(referee_pb2.RunMatchRequest(started=started))

    async def result(self) -> referee_pb2.RunMatchResponse:
        """The next result."""
        async with asyncio.timeout(PATIENCE_S):
            response = await self.call.read()
        assert isinstance(response, referee_pb2.RunMatchResponse)
        self.results[response.match_id] = response
        return response

    async def record(self) -> Record:
        """The record of the next match that is over, verified."""
        response = await self.result()
        assert not response.void, response.void
        return verify(response.record)

    async def close(self) -> None:
        """Give no further orders; every match must have been reported."""
        await self.call.done_writing()
        async with asyncio.timeout(PATIENCE_S):
            assert await self.call.read() is grpc.aio.EOF


class WatchedSessions(dict[str, Session]):
    """A registry's sessions; reports each look at all, as the timekeeper's are."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_at = asyncio.Event()

    def values(self) -> ValuesView[Session]:  # type: ignore[override]  # dict_values is nothing to derive from
        self.looked_at.set()
        return super().values()


class House:
    """The referee and both its sockets."""

    def __init__(self, folder: Path, registry: SessionRegistry) -> None:
        self.registry = registry
        self.bots_address = f"unix:{folder}/bots"
        self.organiser_address = f"unix:{folder}/organiser"
        self.organiser_door = OrganiserDoor(self.organiser_address, organiser_token(KEY))
        self.bots = grpc.aio.insecure_channel(self.bots_address)
        self.organiser = grpc.aio.insecure_channel(self.organiser_address)
        self.stub = referee_pb2_grpc.RefereeServiceStub(self.organiser)
        self.registry.sessions = self._sessions = WatchedSessions()
        self._launches = 0

    def token(self, process: str) -> bytes:
        """A new token, good for one hello."""
        self._launches += 1
        return issue_token(KEY, process, self._launches)

    def bare_bot(self) -> BareBot:
        """A stream without any message yet."""
        return BareBot(self.bots)

    async def bot(self, process: str) -> BareBot:
        """A stream that has its welcome."""
        bot = self.bare_bot()
        assert (await bot.hello(self.token(process))).process == process
        return bot

    async def watched(self) -> None:
        """Wait for two more looks of the referee for late and lost bots."""
        for _ in range(2):
            self._sessions.looked_at.clear()
            await self._sessions.looked_at.wait()

    def orders(self) -> Orders:
        return Orders(self.stub, self.organiser_door)


def serpent_header(match_id: str = "a-match", seed: int = 0) -> Header:
    """A match of eight hands, never more."""
    header = new_header(seed=bytes([seed] * 32), max_tiebreaks=0)
    return Header(match_id, header.game, header.options, header.names, header.seed, header.nonce)


@asynccontextmanager
async def open_house(
    folder: Path, grace_s: float = 10.0, most_sessions: int = 1024, hello_s: float = 10.0
) -> AsyncIterator[House]:
    """A referee that serves while the block runs."""
    house = House(folder, SessionRegistry(KEY, most_sessions))
    doors = Doors(house.registry)
    servers = [
        bot_server(BotService(house.registry, hello_s), house.bots_address),
        organiser_server(OrganiserService(house.registry, doors, grace_s), *house.organiser_door),
    ]
    for server in servers:
        await server.start()
    clock = asyncio.create_task(keep_time(house.registry, grace_s))
    try:
        yield house
    finally:
        clock.cancel()
        await house.bots.close()
        await house.organiser.close()
        await doors.close_all()
        for server in servers:
            await server.stop(None)


def heard_all(bot: BareBot, record: Record) -> bool:
    """Whether the bot was sent exactly the events of the match that its seat may see.

    Events that went to a process before it are sent again.
    """
    match, wire = replay(record), record.header.wire
    (start,) = [start for start in bot.starts.values() if start.commitment == record.header.commitment]
    seen = [seen for event in match.log if (seen := event.seen_by(start.seat)) is not None]
    return [wire.read_event(event) for event in bot.heard[start.table]] == seen


def faults_of(record: Record) -> list[tuple[int, str]]:
    """Seat and kind of each fault."""
    return [(fault.seat, fault.kind.value) for fault in record.outcome.faults]


async def two_bots(house: House) -> tuple[BareBot, BareBot]:
    return await house.bot("a/0"), await house.bot("b/0")


async def asked_at_once(
    house: House, bot: BareBot, orders: Orders, count: int, clock: referee_pb2.Clock | None = None
) -> None:
    """Order `count` matches; a/0 gets a question of each in one message.

    The first match asks it twice. Its first question keeps the bot busy until all
    matches have begun, for a busy bot is sent nothing.
    """
    await orders.order(serpent_header("0", 0), ["a/0", "b/0"], clock)
    await bot.asked()
    for number in range(1, count):
        await orders.order(serpent_header(str(number), number), ["a/0", "b/0"], clock)
    queue = house.registry.session("a/0").queue
    for _ in range(int(1000 * PATIENCE_S)):
        if len(queue) == count:
            break
        await asyncio.sleep(0.001)
    await bot.reply()
    await bot.read()
    assert len(bot.questions) == count


async def gone(house: House, process: str) -> None:
    """Wait until the referee knows that a stream was lost."""
    await house.registry.session(process).gone.wait()


class FakeClock:
    """`monotonic` for the referee, moved by the test."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s
