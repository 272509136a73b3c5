"""Simulated bots: those that keepers start, and guests on machines of their own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import grpc

from pips.v1 import player_pb2
from pips_referee.game import Action
from pips_referee.wire import get_wire
from pips_sample_bots.serpent.greedy_bot import GreedyBot
from tests.nights.network import Cut, Line
from tests.nights.witness import Heard

if TYPE_CHECKING:
    from tests.nights.machine import Machine

DIALS: Final = 50
"""A bot tries to come back so often after it lost its stream."""
AGAIN_S: Final = 0.05
FAR_S: Final = 0.02
"""How long a message takes to a guest, and back from it."""
GAME: Final = "serpent"
BEST: Final = "gil"
_BEST: Final = GreedyBot()


def steady(view: Any, player: str = "") -> Action:
    """A legal action that depends on the view alone, so that it can be asked again.

    One player is much better than the others.
    """
    if player == BEST:
        return _BEST.choose(view)
    legal = list(view.legal_actions())
    number = int.from_bytes(sha256(repr(view).encode()).digest()[:4], "big")
    action: Action = legal[number % len(legal)]
    return action


@dataclass(eq=False)
class Process:
    """A simulated process: its tasks, and how it ended."""

    name: str
    pid: int
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    ended: bool = False
    hangs: bool = False
    line: Line | None = None
    hello: player_pb2.Hello | None = None


class Bot:
    """A bot's process: it says hello and answers, and comes back to a lost stream."""

    peer = "unix:"
    far_s = 0.0

    def __init__(self, machine: Machine, process: Process, address: str, token: bytes) -> None:
        self._machine, self._process, self._address = machine, process, address
        self._hello = process.hello = player_pb2.Hello(protocol_version=1, bot_name="steady", games=[GAME], token=token)
        self._tables: dict[int, Heard] = {}

    async def run(self) -> None:
        """Play until the referee sends it away."""
        await asyncio.sleep(self._machine.start_s())
        for _ in range(DIALS):
            await self._play_once()
            await asyncio.sleep(AGAIN_S)

    async def _play_once(self) -> None:
        try:
            line = self._process.line = self._machine.network.dial(self._address, self.peer, self.far_s)
            line.to_referee.send(player_pb2.PlayRequest(hello=self._hello).SerializeToString())
            self._tables = {}
            await self._answer(line)
        except Cut:
            pass

    async def _answer(self, line: Line) -> None:
        wire, witness = get_wire(GAME), self._machine.witness
        player = self._process.name.partition("/")[0]
        async for data in line.to_bot:
            message = player_pb2.PlayResponse.FromString(data)
            witness.hears(self._tables, message)
            if message.HasField("welcome"):
                self._hello.session_key = message.welcome.session_key
            if message.ping:
                line.to_referee.send(player_pb2.PlayRequest(pong=message.ping).SerializeToString())
            if not message.questions:
                continue
            began_s = self._machine.now()
            await asyncio.sleep(self._machine.think_s())
            while self._process.hangs:  # noqa: ASYNC110 - it hangs
                await asyncio.sleep(1.0)
            request = player_pb2.PlayRequest()
            for question in message.questions:
                answer = request.answers.add(table=question.table, number=question.number)
                wire.write_action(steady(wire.read_view(question.view), player), answer.action)
            names = [(question.table, question.number) for question in message.questions]
            witness.thought(self._tables, names, self._machine.now() - began_s, self.far_s)
            line.to_referee.send(request.SerializeToString())


class Guest(Bot):
    """An author's machine: it hears the news, and its bot dials in until it is over."""

    far_s = FAR_S

    def __init__(self, machine: Machine, player: str, process: Process, address: str, secret: bytes) -> None:
        super().__init__(machine, process, address, secret)
        self.peer = f"ipv4:10.0.0.{1 + sum(player.encode()) % 200}:4711"
        self._player, self._secret = player, secret
        self._over = False

    async def run(self) -> None:
        """Stay until the night is over; the runner may come and go."""
        hearing = asyncio.create_task(self._hear())
        try:
            await asyncio.sleep(self._machine.start_s())
            while not self._over:
                await self._play_once()
                await asyncio.sleep(10 * AGAIN_S)
        finally:
            hearing.cancel()

    async def _hear(self) -> None:
        while not self._over:
            try:
                async for news in self._machine.attend(self._address, self._secret, self.peer, self.far_s):
                    if news.process and not news.process.startswith(f"{self._player}/"):
                        self._machine.witness.breaks(f"{self._player} heard the news of {news.process}")
                    if news.over:
                        self._over = True
                        if self._process.line is not None:
                            self._process.line.cut()
                        return
            except (Cut, grpc.aio.AioRpcError):
                pass
            await asyncio.sleep(10 * AGAIN_S)
