"""An arena: a keeper, a referee and the bots for its matches, all on one core."""

from __future__ import annotations

import asyncio
import os
import shutil
from asyncio import Future
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any, Final, Self

from pips.v1 import referee_pb2
from pips_referee.service.tokens import OrganiserDoor, issue_token, organiser_token
from pips_referee.timing.standstill import patience
from pips_tourney.arena.doors import ArenaDoors, DoorError
from pips_tourney.arena.exchange import ArenaLost, Exchange, NotBegun, VoidMatch, bots_at, to_its_end
from pips_tourney.arena.folder import BOTS, GRACE_STARTS, ORGANISER, REFEREE
from pips_tourney.arena.ground import THIS_MACHINE, Ground
from pips_tourney.arena.launcher import Launcher
from pips_tourney.arena.refusals import MOST_STARTS, Refusals
from pips_tourney.arena.roster import BotProcess, Roster
from pips_tourney.arena.starting import REFUSED_S, StartClock, StartFailure, is_surely_over, restart_delay_s
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.process_name import ProcessName, guest_name
from pips_tourney.sandbox.counting.shortage import is_refusal, shortage, why_not_started
from pips_tourney.sandbox.pack import PackError
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox, Tier

REFEREE_START_S: Final = 30.0
LOOK_S: Final = 0.02
"""Interval at which the hellos of starting bots are checked."""
SHOW_S: Final = 1.0
"""Timeout for the end of a process's output."""
STARTING_AT_ONCE: Final = 4

ProgramOf = Callable[[str], Executable]
"""Returns how to start a process, by its name `BOT/CONTEST/ROTATION`."""


@dataclass(eq=False)
class Arena:
    """An arena; `async with` begins and ends it.

    `startup_s` is the timeout for a bot's hello, not counting its waits for the core.
    """

    core: int
    program_of: ProgramOf
    startup_s: float
    alone: bool = False
    """A bot's process plays one table at a time."""
    sandbox: Sandbox = NO_SANDBOX
    ponder: bool = True
    """Whether a bot may compute while it is not its turn."""
    remote: frozenset[str] = frozenset()
    """Bots that dial in from other machines, each with one process for everything."""
    serve_also: tuple[str, ...] = ()
    """More arguments for the referee's command."""
    ground: Ground = THIS_MACHINE
    played: int = 0
    """How many matches the arena has finished."""
    why_lost: str = ""
    refusals: Refusals = field(default_factory=Refusals)
    """What the machine has refused to bots so far."""
    on_hopeless: Callable[[StartFailure], None] = lambda _: None
    """Called with a process that failed to reach its hello again and again."""
    games: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By process that said hello, the games that it can play."""
    is_over: Callable[[], bool] = lambda: False
    """Whether no match is to begin any more; those under way go on."""
    _key: bytes = field(default_factory=lambda: os.urandom(32))
    _folder: Path = Path()
    _roster: Roster = field(default_factory=Roster)
    _exchange: Exchange = field(default_factory=Exchange)
    _shown: dict[str, Future[str]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._ready: Future[None] = loop.create_future()
        self._starting = asyncio.Semaphore(STARTING_AT_ONCE)
        self._looking: Future[None] = loop.create_future()
        self._looking.set_result(None)
        self._folder = self.ground.folder()
        if self.sandbox.as_another_user:
            self._folder.chmod(0o711)
        keeper = await self.ground.begin_keeper(self._folder, self.core)
        self._launcher = Launcher.begin(keeper, self._on_event, lambda: self._lose("the keeper ended"))
        trusted = self.sandbox.tier is Tier.NONE and not self.serve_also
        grace_s = GRACE_STARTS * self.startup_s
        self._launcher.start_referee(self._folder, self._key, grace_s, self.serve_also, same_addresses=trusted)
        if self.sandbox.group:
            self._launcher.group(self.sandbox.group)
        try:
            async with patience(REFEREE_START_S):
                await self._ready
        except BaseException as error:
            await self._end_processes()
            if isinstance(error, TimeoutError):
                raise ArenaLost("the referee did not start in time") from None
            raise
        self._channel = self.ground.dial(self.organiser.address)
        self._stub = self._channel.stub
        self._doors = ArenaDoors(
            self._folder / BOTS, self._stub, self.organiser, for_others=self.sandbox.as_another_user
        )
        _ = self._spawn(self._hear_results())
        return self

    async def __aexit__(self, *_: object) -> None:
        await to_its_end(self._close())

    async def _close(self) -> None:
        self._lose("the arena was closed")
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._channel.close()
        await self._end_processes()

    async def _end_processes(self) -> None:
        await self._launcher.close()
        shutil.rmtree(self._folder, ignore_errors=True)  # the folder still exists if the keeper was killed

    @property
    def organiser(self) -> OrganiserDoor:
        """Return the address and token of the referee's organiser service."""
        return OrganiserDoor(f"unix:{self._folder / ORGANISER}", organiser_token(self._key))

    async def start(self, processes: Iterable[str]) -> list[StartFailure]:
        """Start processes and wait for their hellos; return those that failed.

        A start that the machine refuses is tried again.
        """
        failures = await self._start_once(processes)
        while (refused := [failure for failure in failures if failure.refused]) and not self.why_lost:
            await asyncio.sleep(REFUSED_S)
            again = await self._start_once(failure.process for failure in refused)
            failures = [*again, *(failure for failure in failures if not failure.refused)]
        return failures

    async def _start_once(self, processes: Iterable[str]) -> list[StartFailure]:
        processes = list(processes)
        for process in processes:  # a process that is being stopped must be gone before it starts anew
            while (bot := self._roster.bots.get(process)) is not None and bot.unwanted:
                await bot.end.wait()
        bots = [self._bot(process) for process in processes]
        awaited = [bot.hello for bot in bots if not bot.hello.done()]
        if awaited:
            await asyncio.wait(awaited)
        return [failure for bot in bots if (failure := bot.hello.result()) is not None]

    async def admit(self, bot: str) -> tuple[str, bytes]:
        """Return address and token for a bot of `remote` that is on this machine."""
        process = guest_name(bot)
        return f"unix:{await self._doors.open(process)}", issue_token(self._key, process)

    async def play(self, order: referee_pb2.MatchOrder) -> bytes:
        """Play a match and return its record; `VoidMatch` if the machine failed."""
        order.processes[:] = map(self._seated, order.processes)
        if not self.alone:
            return await self._play(order)
        async with self._roster.at_table(order.processes, alone=True):
            return await self._play(order)

    def _seated(self, process: str) -> str:
        """Return the name under which a process of the schedule plays."""
        bot = process.split("/", maxsplit=1)[0]
        return guest_name(bot) if bot in self.remote else process

    def tell(self, request: referee_pb2.RunMatchRequest) -> None:
        """Send the referee a request that is not a match."""
        self._exchange.tell(request)

    async def listed(self) -> list[referee_pb2.ConnectedBot]:
        """Return the connected bots; none if the referee does not answer."""
        return await bots_at(self._stub, self.organiser)

    async def end_bots(self) -> None:
        """End the arena's bot processes; return when none is left."""
        ends = [bot.end.wait() for bot in self._roster.bots.values()]
        self._stop(self._roster.bots)
        await asyncio.gather(*ends)

    async def _play(self, order: referee_pb2.MatchOrder) -> bytes:
        processes = [process for process in order.processes if ProcessName.parse(process).bot not in self.remote]
        for process in processes:
            self._seat(process, 1)
        try:
            await self.start(processes)  # the referee faults a bot that does not start
            async with self._roster.at_table(order.processes):
                if self.why_lost:
                    raise VoidMatch(self.why_lost)
                if self.is_over():
                    raise NotBegun
                with self._roster.playing(processes):
                    record = await self._exchange.result(order)
            refused, why = self.refusals.spoilt(record, lambda: shortage((str(self._folder),)))
            if refused:
                raise VoidMatch(why, refused)
            self.played += 1
            return record
        finally:
            for process in processes:
                self._seat(process, -1)
            self._stop(self._roster.too_many())

    def out_of_turn_us(self, match_id: str) -> Sequence[int]:
        """Return by seat the CPU time used out of turn in a played match.

        In microseconds; empty if there was none. Each match can be asked for only once.
        """
        return self._exchange.out_of_turn_us(match_id)

    async def output(self, process: str) -> str:
        """Return the end of what a bot's process has printed.

        It is empty if the process has ended or the keeper does not answer.
        """
        if process not in self._roster.bots or self.why_lost:
            return ""
        shown = self._shown.setdefault(process, asyncio.get_running_loop().create_future())
        self._launcher.show(process)
        try:
            async with patience(SHOW_S):
                return await asyncio.shield(shown)
        except TimeoutError:
            return ""

    def _stop(self, processes: Iterable[str]) -> None:
        for process in processes:
            self._roster.bots[process].unwanted = True
            self._launcher.stop(process)

    def _seat(self, process: str, by: int) -> None:
        """Seat a process at a table (1), or unseat it (-1)."""
        self._roster.seat(process, by)
        if self.sandbox.limits is not None and not self.why_lost:
            self._launcher.seat(process, by)

    def _bot(self, process: str) -> BotProcess:
        """Return the process of that name; start it first if it is not running."""
        if process not in self._roster.bots:
            bot = self._roster.bots[process] = BotProcess(
                asyncio.get_running_loop().create_future(),
                StartClock(self.startup_s, self.core),
                self._roster.use(process).launches,
            )
            if self.why_lost:
                bot.end.set()
                bot.hello.set_result(StartFailure(process, self.why_lost, ""))
            else:
                _ = self._spawn(self._bring_up(process, bot))
        return self._roster.bots[process]

    async def _bring_up(self, process: str, bot: BotProcess) -> None:
        """Start a bot's process and wait for its hello, or for its end."""
        async with self._starting:
            if bot.unwanted or self._is_needless(process):
                self._drop(process)
                return
            known, private = self.program_of(process), (self._folder / ORGANISER).parent
            try:
                use, socket = self._roster.use(process), str(await self._doors.open(process))
            except DoorError as error:
                self._lose(str(error))
                return
            env = {**known.env, "PIPS_REFEREE": f"unix:{socket}", "PIPS_TOKEN_FD": "{fd}"}
            try:
                enclosed = await asyncio.to_thread(self.sandbox.enclose, replace(known, env=env), socket, private)
            except (OSError, PackError) as error:
                lack = str(error) if is_refusal(error) else ""
                why = why_not_started(error, known.command[0], known.cwd, known.env)
                self._on_bot_ended(process, f"could not be started: {why}", "", lack)
                return
            if bot.unwanted:
                self._drop(process)
                return
            token = issue_token(self._key, process, bot.launch)
            self._launcher.start(process, enclosed, token, self.sandbox, door=socket)
            for _ in range(use.seated):
                self._launcher.seat(process, 1)
            use.launches += 1
            bot.clock.begin(monotonic())
            beats = self._spawn(bot.clock.leave_out_standstills())
            while not (bot.hello.done() or self._is_needless(process) or await is_surely_over(bot.clock)):
                if self._looking.done():
                    self._looking = self._spawn(self._look_for_hellos())
                await asyncio.wait([self._looking])
            beats.cancel()
            if not bot.hello.done():
                bot.unwanted |= self._is_needless(process)
                bot.is_too_late(monotonic())
                self._launcher.stop(process)

    def _is_needless(self, process: str) -> bool:
        return self.is_over() and not self._roster.use(process).playing

    def _drop(self, process: str) -> None:
        """Forget a process stopped before its launch: the keeper tells of no end."""
        bot = self._roster.bots.pop(process)
        bot.end.set()
        if not bot.hello.done():
            bot.hello.set_result(StartFailure(process, "was stopped before it was started", ""))

    async def _look_for_hellos(self) -> None:
        """Check for hellos on behalf of all processes that wait for one."""
        await asyncio.sleep(LOOK_S)
        for connected in await self.listed():
            bot = self._roster.bots.get(connected.process)
            self._roster.limit(connected.process, connected.most_tables)
            if bot is not None and bot.launched and not bot.hello.done():
                self._roster.use(connected.process).failures = 0
                self.games[connected.process] = tuple(connected.games)
                bot.hello.set_result(None)
                self._stop(self._roster.too_many())

    def _on_event(self, event: dict[str, Any]) -> None:
        """Handle a message from the keeper."""
        name = event["name"]
        match event["event"]:
            case "said" if name == REFEREE and not self._ready.done():
                self._ready.set_result(None)
            case "started" if name in self._roster.bots:
                self._roster.bots[name].launched = True
                self._roster.bots[name].clock.started(event["pid"], monotonic())
                started = referee_pb2.ProcessStarted(
                    process=name, pid=event["pid"], stop_out_of_turn=not self.ponder, group=event.get("group", "")
                )
                self.tell(referee_pb2.RunMatchRequest(started=started))
            case "shown" if name in self._shown:
                self._shown.pop(name).set_result(event["output"])
            case "condemned" if name in self._roster.bots:  # reported before its stream is lost
                self._tell_of_end(name, event["how"], event["output"])
            case "ended" if name == REFEREE:
                self._lose(f"the referee ended: {event['how']}\n{event['output']}".strip())
            case "ended" if name in self._roster.bots:
                self._on_bot_ended(name, event["how"], event["output"], event.get("lack", ""))

    def _tell_of_end(self, process: str, how: str, output: str, *, refused: bool = False) -> None:
        bot = self._roster.bots[process]
        if not bot.unwanted and not bot.told:
            bot.told = True
            ended = referee_pb2.ProcessEnded(process=process, how=how, last_output=output, launch=bot.launch)
            ended.refused = refused
            self.tell(referee_pb2.RunMatchRequest(ended=ended))

    def _on_bot_ended(self, process: str, how: str, output: str, lack: str = "") -> None:
        bot, use = self._roster.bots[process], self._roster.use(process)
        how, lack = bot.how_ended(how, output, lack)
        refused = bool(lack) and not bot.unwanted and self.refusals.forgives(ProcessName.parse(process).bot, lack)
        self._tell_of_end(process, how, output, refused=refused)
        del self._roster.bots[process]
        bot.end.set()
        if not self.why_lost:
            _ = self._spawn(self._doors.close(process))
        if not bot.hello.done():
            use.failures += not (refused or bot.unwanted)
            failure = StartFailure(process, how, output, refused)
            bot.hello.set_result(failure)
            if use.failures == MOST_STARTS and not refused and not bot.unwanted:
                self.on_hopeless(failure)
                use.failures = 0  # it may be reinstated
        if use.seated and not self.why_lost:
            asyncio.get_running_loop().call_later(restart_delay_s(use.failures), self._bot_if_seated, process)

    def _bot_if_seated(self, process: str) -> None:
        if self._roster.use(process).seated and not self.why_lost:
            self._bot(process)

    def _lose(self, why: str) -> None:
        """Mark the arena as lost: open matches become void, no start waits longer."""
        if self.why_lost:
            return
        self.why_lost = why
        if not self._ready.done():
            self._ready.set_exception(ArenaLost(why))
        self._exchange.void(why)
        for process, bot in self._roster.bots.items():
            bot.end.set()
            bot.unwanted = False
            if not bot.hello.done():
                bot.hello.set_result(StartFailure(process, why, ""))

    async def _hear_results(self) -> None:
        self._lose(await self._exchange.hear(self._stub, self.organiser))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
