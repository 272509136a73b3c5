"""`pips-bot join`: run a bot on this machine in a night hosted on another."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final

import grpc

from pips.v1 import player_pb2
from pips_referee.printable import plain_block
from pips_referee.timing.standstill import patience
from pips_tourney.bots.executable import Executable, program
from pips_tourney.bots.found import BotProblem, FoundBot, Sample
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.people.codes import Code
from pips_tourney.remote.road import GuestProcess, JoinError, Road, RoadToHost

AGAIN_S: Final = 0.5
"""Seconds before dialling the host or starting the bot again."""
QUICK_S: Final = 5.0
MOST_FAILURES: Final = 3
"""How many times in a row a bot may end by itself within `QUICK_S`."""
SILENCE_S: Final = 8.0
"""Seconds without news after which the host counts as lost.

The connection may not report a lost host. The host sends news every two seconds.
"""
_FINAL: Final = (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.ABORTED, grpc.StatusCode.UNIMPLEMENTED)

Say = Callable[[str], None]


def join(address: str, code: Code, bot: FoundBot, say: Say) -> bool:
    """Take part until a signal comes or the night ends; return whether it is over."""
    with tempfile.TemporaryDirectory(prefix="pips-join-") as folder:
        joined = Joined(address, bot, say, RoadToHost(address, code, Path(folder)))
        try:
            asyncio.run(_until_signalled(joined))
        except (asyncio.CancelledError, KeyboardInterrupt):
            say("You have left. Join again with the same line, and the bot takes its seat again.")
            return False
        return True


async def _until_signalled(joined: Joined) -> None:
    staying = asyncio.current_task()
    assert staying is not None
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError):  # Windows has neither signals nor handlers
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), staying.cancel)
    await joined.stay()


def program_of_sample(sample: Sample, games: Sequence[str]) -> Executable:
    """One process of a sample bot that plays all of these games.

    Raises `BotProblem` if a game has no sample bot of that name.
    """
    if len(games) == 1:
        return sample.program(games[0])
    classes = [sample.bot_class(game) for game in games]
    imported = [f"from {bot.__module__} import {bot.__name__} as bot{n}" for n, bot in enumerate(classes)]
    runs = f"run({', '.join(f'bot{n}' for n in range(len(classes)))})"
    return program(["python", "-P", "-c", "; ".join(["from pips_sdk import run", *imported, runs])], Path.cwd(), {})


class Joined:
    """Receives the host's news, and keeps the bot's process running."""

    def __init__(self, address: str, bot: FoundBot, say: Say, road: Road) -> None:
        self._address, self._bot, self._road = address, bot, road
        self._say: Say = lambda line: say(plain_block(line))  # a line may quote the host
        self._is_here = asyncio.Event()
        """Set while the host is connected."""
        self._was_here = False
        self._process: GuestProcess | None = None
        self._since = 0.0

    async def stay(self) -> None:
        """Stay until the night is over, or until cancelled."""
        running: asyncio.Task[None] | None = None
        hearing = asyncio.create_task(self._hear())
        first = asyncio.create_task(self._is_here.wait())
        try:
            waiting: list[asyncio.Task[Any]] = [hearing, first]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if not hearing.done():
                running = asyncio.create_task(self._run(self._program()))
                await asyncio.wait([hearing, running], return_when=asyncio.FIRST_COMPLETED)
            if hearing.done():
                hearing.result()
            elif running is not None:
                running.result()
        finally:
            waiting = [hearing, first, *([] if running is None else [running])]
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _hear(self) -> None:
        """Print the host's news until the night is over; dial again if it is lost."""
        told = False
        while True:
            try:
                if await self._attend():
                    return
            except grpc.aio.AioRpcError as error:
                if error.code() in _FINAL:
                    raise JoinError(f"the host at {self._address} says: {error.details()}") from None
                self._miss(told, error.details())
            except TimeoutError:
                if self._process is not None:  # its stream is stuck too: another process takes its place
                    self._process.end()
            except OSError as error:
                self._miss(told, error)
            if self._is_here.is_set():
                self._say("The connection to the host is lost. Trying again; the bot goes on where it was ...")
            self._is_here.clear()
            told = True
            await asyncio.sleep(AGAIN_S)

    def _miss(self, told: bool, why: object) -> None:
        """Say once that the host is not there yet."""
        if not told and not self._was_here:
            self._say(f"There is no host at {self._address} yet ({why}). Trying again ...")

    async def _attend(self) -> bool:
        """Read the news of one call. Return whether the night is over."""
        async with aclosing(self._road.news()) as heard:
            while True:
                async with patience(SILENCE_S):
                    news = await anext(heard, None)
                if news is None:
                    return False
                if not self._is_here.is_set():
                    self._greet(news)
                if news.news:
                    self._say(news.news)
                if news.over:
                    return True

    def _greet(self, news: player_pb2.AttendResponse) -> None:
        self._games: Sequence[str] = tuple(news.games)
        who = ProcessName.parse(news.process).bot
        again = "again " if self._was_here else ""
        self._say(f"Connected {again}to {self._address}: the bot plays as {who}, in {', '.join(self._games)}.")
        self._was_here, self._since = True, monotonic()
        self._is_here.set()

    def _program(self) -> Executable:
        """The command that starts the bot for all its games."""
        plays = self._bot.games()
        if missing := [game for game in self._games if plays and game not in plays]:
            raise BotProblem(f"the night is played in {', '.join(self._games)}, but the bot does not play {missing[0]}")
        if isinstance(self._bot, Sample):
            return program_of_sample(self._bot, self._games)
        return self._bot.program(self._games[0])

    async def _run(self, program: Executable) -> None:
        """Start the bot again and again.

        A bot ends when its stream is lost. After its next start it resumes its matches.
        """
        failures = 0
        while True:
            await self._is_here.wait()
            begun, process = monotonic(), await self._road.start(program)
            self._process = process
            try:
                status = await process.wait()
            finally:
                self._process = None
                process.end()
                await process.wait()
            await asyncio.sleep(AGAIN_S)
            is_own_doing = self._is_here.is_set() and self._since < begun
            quick = monotonic() - begun < QUICK_S + AGAIN_S
            failures = failures + 1 if quick and is_own_doing and status else 0
            if failures == MOST_FAILURES:
                raise JoinError(
                    f"the bot ended {failures} times just after its start, the last time with status {status}; "
                    "what it printed stands above. Fix it and join again with the same line"
                )
            if self._is_here.is_set():
                self._say(f"The bot has ended (status {status}): it is started again.")
