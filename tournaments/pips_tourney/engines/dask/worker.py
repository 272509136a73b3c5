"""A worker's side: one arena, which lives from batch to batch with its bots.

The functions here are Dask's tasks. A batch may be played twice, here or elsewhere: it
gives the same records.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeVar

from distributed import get_worker, secede

from pips.v1 import referee_pb2
from pips_referee.loop import fast_loop
from pips_tourney.arena.arena import Arena, ProgramOf
from pips_tourney.arena.exchange import ArenaLost
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.executable import Executable
from pips_tourney.engines import PlayedMatch
from pips_tourney.engines.dask.parcel import Parcel, place
from pips_tourney.engines.played import play
from pips_tourney.errors import TourneyError
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import ALL_TRUSTED, COPY_MB, Sandbox, Shelter, Tier, WhoPlays, choose
from pips_tourney.system import claim_core

IDLE_S: Final = 60.0
"""An arena without work for this long is ended, because its driver must be gone."""
PACKAGE: Final = "pips-tourney"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Team:
    """What a worker knows of a night, without its secrets."""

    version: str
    parcel_sha256: str
    """The hash of the packed programs' files; empty before they are packed."""
    programs: Mapping[str, Executable]
    """By `BOT/CONTEST`, packed for travel."""
    startup_s: float
    tables: int
    alone: bool
    tier: Tier | None
    limits: Limits
    copy_mb: int = COPY_MB
    who: WhoPlays = ALL_TRUSTED


class Order(NamedTuple):
    """A match to play: the referee's order, and which bot sits in which seat."""

    match: bytes
    seating: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Orders:
    """The matches of a batch, in their order.

    Dask inspects every element of the lists and tuples that it sends. It does not look
    into this class.
    """

    matches: Sequence[Order]


class Batch(NamedTuple):
    """A worker's result: the outcomes of the orders, and the time taken."""

    played: Sequence[PlayedMatch]
    seconds: float


class Checked(NamedTuple):
    """The results for processes that were started for the check."""

    failures: Sequence[StartFailure]
    games: Mapping[str, tuple[str, ...]]
    """For processes that said hello, the games that they can play."""
    fenced: bool = True
    """Whether the worker can fence bots in."""


def play_batch(team: Team, parcel: Parcel, orders: Orders) -> Batch:
    """Play matches in their order, as many at the same time as the league has tables.

    When the last of them has begun, the worker takes its next task, whose matches begin
    as tables become free.
    """
    crew, begun, seated = _crew(team, parcel), perf_counter(), threading.Event()
    playing = crew.begin(crew.play(orders.matches, seated.set))
    playing.add_done_callback(lambda _: seated.set())
    seated.wait()
    secede()
    here = str(get_worker().name)
    return Batch([played._replace(arena=here) for played in playing.result()], perf_counter() - begun)


def check_bots(team: Team, parcel: Parcel, processes: Sequence[str]) -> Checked:
    """Start processes and wait for their hellos."""
    crew = _crew(team, parcel)
    return crew.begin(crew.check(processes)).result()


def end_bots() -> None:
    """End the bots of this worker; its arena stays."""
    with _lock:
        if _crews:
            _crews[0].begin(_crews[0].end_bots()).result()


def end_arena() -> None:
    """End everything that this worker still runs."""
    with _lock:
        if _crews:
            _crews.pop().end()


class LastingArena:
    """An arena that lives from batch to batch, on one event loop.

    `program_of` returns how to start a process, by its name.
    """

    def __init__(self, team: Team, program_of: ProgramOf, sandbox: Sandbox, core: int) -> None:
        self.team = team
        self._program_of, self._sandbox, self._core = program_of, sandbox, core
        self._arena: Arena | None = None
        self._door = asyncio.Lock()
        """Held while an arena begins or ends, so that there is never a second one."""
        self._tables = asyncio.Semaphore(team.tables)
        self._busy = 0
        self._timer: asyncio.TimerHandle | None = None

    async def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run one of this class's coroutines; if none follows, the arena soon ends."""
        self._busy += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            return await work
        finally:
            self._busy -= 1
            if not self._busy:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(IDLE_S, lambda: asyncio.ensure_future(self._close()))

    async def play(self, orders: Sequence[Order], all_seated: Callable[[], object]) -> list[PlayedMatch]:
        """See `play_batch`."""
        arena, standing = await self._open(), len(orders)

        async def one(order: Order) -> PlayedMatch:
            nonlocal standing
            async with self._tables:
                standing -= 1
                if not standing:
                    all_seated()
                return await play(arena, referee_pb2.MatchOrder.FromString(order.match), order.seating)

        return await asyncio.gather(*map(one, orders))

    async def check(self, processes: Sequence[str]) -> Checked:
        """See `check_bots`."""
        arena = await self._open()
        failures = await arena.start(processes)
        if arena.why_lost:
            raise ArenaLost(arena.why_lost)
        games = {process: arena.games.get(process, ()) for process in processes}
        return Checked(failures, games, self._sandbox.fence is not None)

    async def end_bots(self) -> None:
        """See `end_bots`. A lost arena cannot end only its bots, so it ends itself."""
        async with self._door:
            if self._arena is not None and self._arena.why_lost:
                await self._leave()
            elif self._arena is not None:
                await self._arena.end_bots()

    async def _open(self) -> Arena:
        async with self._door:
            if self._arena is not None and self._arena.why_lost:
                await self._leave()
            if self._arena is None:
                arena = Arena(self._core, self._program_of, self.team.startup_s, self.team.alone, self._sandbox)
                self._arena = await arena.__aenter__()
            return self._arena

    async def _close(self) -> None:
        async with self._door:
            await self._leave()

    async def _leave(self) -> None:
        arena, self._arena = self._arena, None
        if arena is not None:
            await arena.__aexit__()


class Crew(LastingArena):
    """A `LastingArena` whose event loop has a thread of its own.

    A worker's tasks run in any thread that Dask chooses.
    """

    def __init__(self, team: Team, parcel: Parcel) -> None:
        folder = parcel.unpack(Path(get_worker().local_directory))
        programs = {name: place(program, folder) for name, program in team.programs.items()}
        files = [file for program in programs.values() for file in program.files]
        sandbox = choose(team.tier, team.limits, Shelter((), files, team.copy_mb, files, team.who))
        core, self._claim = claim_core()
        super().__init__(team, lambda process: programs[process.rpartition("/")[0]], sandbox, core)
        self._loop = (fast_loop() or asyncio.new_event_loop)()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pips-arena", daemon=True)
        self._thread.start()

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run one of the `LastingArena`'s coroutines."""
        return asyncio.run_coroutine_threadsafe(self.do(work), self._loop)

    def end(self) -> None:
        """End the arena and its thread."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._claim.close()


_lock: Final = threading.Lock()
_crews: Final[list[Crew]] = []
"""This worker's crew, if it has one."""


def _crew(team: Team, parcel: Parcel) -> Crew:
    """Return this night's crew; end a crew of another night first."""
    if team.version != (here := version(PACKAGE)):
        raise TourneyError(f"the night is played by Pips {team.version}, but this worker has {here}: install the same")
    with _lock:
        if _crews and _crews[0].team != team:
            _crews.pop().end()
        if not _crews:
            _crews.append(Crew(team, parcel))
        return _crews[0]
