"""A referee process, its organiser and honest players, for tests that attack it."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import grpc
import psutil

from pips.v1 import player_pb2, record_pb2, referee_pb2, referee_pb2_grpc
from pips_referee.records.record import Header
from pips_referee.service.tokens import OrganiserDoor, issue_token, organiser_token
from pips_referee.wire import get_wire

PLAY = "/pips.v1.RefereeService/Play"
KEY = bytes(range(32))
SERVE = "from pips_referee.cli import main; main()"

Stream = grpc.aio.StreamStreamCall[bytes, player_pb2.PlayResponse]


class Referee:
    """A living referee: where to dial, what its bots are given."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self.bots_address, self.organiser_address = f"unix:{folder}/bots", f"unix:{folder}/organiser"
        self._launches: Counter[str] = Counter()

    def token(self, name: str) -> bytes:
        """Return a new token, valid for one hello."""
        self._launches[name] += 1
        return issue_token(KEY, name, self._launches[name])

    @property
    def resident_bytes(self) -> int:
        memory: int = psutil.Process(self.process.pid).memory_info().rss
        return memory

    @property
    def is_up(self) -> bool:
        return self.process.poll() is None


@asynccontextmanager
async def live_referee() -> AsyncIterator[Referee]:
    """Yield a referee that serves while the block runs."""
    folder = Path(tempfile.mkdtemp(prefix="pr-", dir="/tmp"))
    key_read, key_write = os.pipe()
    os.write(key_write, KEY)
    os.close(key_write)
    sockets = ["--bots", f"unix:{folder}/bots", "--organiser", f"unix:{folder}/organiser"]
    process = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
        [sys.executable, "-c", SERVE, "serve", "--key-fd", str(key_read), *sockets],
        stdout=subprocess.PIPE,
        pass_fds=(key_read,),
    )
    os.close(key_read)
    try:
        assert process.stdout is not None
        said = await asyncio.to_thread(process.stdout.readline)
        assert said == b"ready\n", said
        yield Referee(process, folder)
    finally:
        process.terminate()
        with process:
            await asyncio.to_thread(process.wait, 30)
        shutil.rmtree(folder, ignore_errors=True)


class Player:
    """An honest bot: at once and at random, but always alike to one question."""

    def __init__(self, referee: Referee, name: str, think_s: float = 0.0) -> None:
        self.name = name
        self.starts: dict[int, player_pb2.Start] = {}
        self._referee, self._think_s = referee, think_s

    async def play(self) -> None:
        """Play until the referee ends the stream."""
        async with open_channel(self._referee) as channel:
            stream = dial(channel)
            hello = player_pb2.Hello(
                protocol_version=1, bot_name=self.name, games=["serpent"], token=self._referee.token(self.name)
            )
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await stream.write(player_pb2.PlayRequest(hello=hello).SerializeToString())
                while isinstance(message := await stream.read(), player_pb2.PlayResponse):
                    self.starts |= {start.table: start for start in message.starts}
                    if message.questions:
                        await asyncio.sleep(self._think_s)
                        answers = [answer(self.starts[question.table], question) for question in message.questions]
                        await stream.write(player_pb2.PlayRequest(answers=answers).SerializeToString())
                    for finish in message.finishes:
                        del self.starts[finish.table]


def open_channel(referee: Referee) -> grpc.aio.Channel:
    """Return a new connection, as each process has: it takes only few streams."""
    return grpc.aio.insecure_channel(referee.bots_address, options=[("grpc.use_local_subchannel_pool", 1)])


def dial(channel: grpc.aio.Channel) -> Stream:
    """Open a stream of bytes to the referee, and of messages from it."""
    play: Any = channel.stream_stream(PLAY, response_deserializer=player_pb2.PlayResponse.FromString)
    stream: Stream = play()
    return stream


def answer(start: player_pb2.Start, question: player_pb2.Question) -> player_pb2.Answer:
    """Return a legal answer, drawn from the seat's own luck."""
    wire = get_wire(start.game)
    luck = Random(sha256(start.rng_seed + question.number.to_bytes(8, "big")).digest())
    made = player_pb2.Answer(table=question.table, number=question.number)
    wire.write_action(wire.read_view(question.view).random_action(luck), made.action)
    return made


class Organiser:
    """Orders matches and waits for their records."""

    def __init__(self, referee: Referee) -> None:
        self._channel = grpc.aio.insecure_channel(
            referee.organiser_address, options=[("grpc.max_receive_message_length", -1)]
        )
        self._stub = referee_pb2_grpc.RefereeServiceStub(self._channel)
        self._known = OrganiserDoor(referee.organiser_address, organiser_token(KEY)).metadata
        self._call = self._stub.RunMatch(metadata=self._known)
        self._open: dict[str, asyncio.Future[referee_pb2.RunMatchResponse]] = {}
        self._writing = asyncio.Lock()
        self._hearing = asyncio.create_task(self._hear())

    async def play(self, header: Header, players: Sequence[str], clock: referee_pb2.Clock) -> record_pb2.MatchRecord:
        """Return the record of a match; every match has one."""
        order = referee_pb2.MatchOrder(processes=players, clock=clock)
        header.write(order.header)
        order.rng_seeds.extend(bytes([seat + 1] * 32) for seat in range(len(players)))
        over = self._open[header.match_id] = asyncio.get_running_loop().create_future()
        async with self._writing:
            await self._call.write(referee_pb2.RunMatchRequest(order=order))
        response = await over
        assert not response.void, response.void
        return record_pb2.MatchRecord.FromString(response.record)

    async def tell_started(self, name: str, pid: int) -> None:
        """Report a process's start, as a launcher does."""
        async with self._writing:
            started = referee_pb2.ProcessStarted(process=name, pid=pid)
            await self._call.write(referee_pb2.RunMatchRequest(started=started))

    async def connected(self, *names: str) -> None:
        """Wait until all said hello."""
        there: set[str] = set()
        while not set(names) <= there:
            listed = await self._stub.ListBots(referee_pb2.ListBotsRequest(), metadata=self._known)
            there = {bot.process for bot in listed.bots}

    async def close(self) -> None:
        self._hearing.cancel()
        await self._channel.close()

    async def _hear(self) -> None:
        async for response in self._call:
            self._open.pop(response.match_id).set_result(response)
