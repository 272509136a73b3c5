"""Simulated authors on machines of their own, with the real loop of `pips-bot join`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Final

from pips.v1 import player_pb2
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import Sample
from pips_tourney.bots.process_name import guest_name
from pips_tourney.remote.join import SILENCE_S, Joined
from pips_tourney.remote.road import JoinError
from tests.lab.nights.bots import Bot, Process
from tests.lab.nights.network import Cut, rpc_error

if TYPE_CHECKING:
    from tests.lab.nights.machine import Machine

FAR_S: Final = 0.02
"""How long a message takes to a guest, and back from it."""
AGAIN_S: Final = 5.0
"""So soon an author joins again whose bot ended again and again."""
LOST: Final = 1
"""The status with which a bot ends that has lost its stream."""


class GuestBot(Bot):
    """The bot of a guest: it ends when its stream does."""

    far_s = FAR_S

    def __init__(self, machine: Machine, process: Process, address: str, secret: bytes, peer: str) -> None:
        super().__init__(machine, process, address, secret)
        self.peer = peer

    async def run(self) -> None:
        await asyncio.sleep(self._machine.start_s())
        await self._play_once()


class GuestProcess:
    """The process of a guest's bot, as `join` knows it."""

    def __init__(self, machine: Machine, process: Process, bot: GuestBot) -> None:
        self._machine, self._process = machine, process
        self._playing = asyncio.create_task(bot.run())
        process.tasks.append(self._playing)

    async def wait(self) -> int:
        await asyncio.wait([self._playing])
        if not self._playing.cancelled():
            self._playing.result()
        return LOST

    def end(self) -> None:
        self._machine.remove(self._process)


class Author:
    """A person who runs a bot on another machine; the road from there to the host."""

    def __init__(self, machine: Machine, player: str, secret: bytes) -> None:
        self._machine, self._player, self._secret = machine, player, secret
        self.process_name = guest_name(player)
        self._peer = f"ipv4:10.0.0.{1 + sum(player.encode()) % 200}:4711"
        self._silence: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._away_s = 0.0
        self._staying: asyncio.Task[None] | None = None

    async def live(self) -> None:
        """Join, and again after each end, until the night is over."""
        while True:
            joined = Joined(self._machine.listen, Sample("random", None), lambda _: None, self)
            self._staying = asyncio.create_task(joined.stay())
            try:
                await asyncio.wait([self._staying])
            finally:
                self._staying.cancel()
            if self._staying.cancelled():
                await asyncio.sleep(self._away_s)
                continue
            try:
                return self._staying.result()
            except JoinError as error:
                if "times just after its start" not in str(error):
                    self._machine.witness.breaks(f"{self._player} was sent away: {error}")
            await asyncio.sleep(AGAIN_S)

    def leave(self, seconds: float) -> bool:
        """Leave, and come back so much later; False if it is away already."""
        self._away_s = seconds
        return self._staying is not None and self._staying.cancel()

    def hears_nothing(self, seconds: float) -> None:
        """The host stands still for so long, and the guest's clock goes on."""
        if seconds > SILENCE_S and not self._silence.done():
            self._silence.set_result(None)

    async def news(self) -> AsyncGenerator[player_pb2.AttendResponse, None]:
        machine, player = self._machine, self._player
        self._silence = asyncio.get_running_loop().create_future()
        try:
            async for news in machine.attend(self._secret, self._peer, FAR_S, self._silence):
                if news.process and not news.process.startswith(f"{player}/"):
                    machine.witness.breaks(f"{player} heard the news of {news.process}")
                yield news
        except Cut as error:
            raise rpc_error(str(error)) from None

    async def start(self, program: Executable) -> GuestProcess:
        process = self._machine.add(self.process_name)
        bot = GuestBot(self._machine, process, self._machine.listen, self._secret, self._peer)
        return GuestProcess(self._machine, process, bot)
