"""Simulated bots."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pips.v1 import player_pb2
from pips_referee.game import Action
from pips_referee.wire import get_wire
from pips_sample_bots.serpent.greedy_bot import GreedyBot
from tests.lab.nights.network import Cut, Line
from tests.lab.nights.witness import Heard

if TYPE_CHECKING:
    from tests.lab.nights.machine import Machine

DIALS: Final = 50
"""A bot tries to come back so often after it lost its stream."""
AGAIN_S: Final = 0.05
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
    last_pid: int = 0
    """The last process that was born before it ended; 0 while it lives."""

    @property
    def turn(self) -> str:
        """The rotation that it plays."""
        return self.name.rpartition("/")[2].partition(".")[0]


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
