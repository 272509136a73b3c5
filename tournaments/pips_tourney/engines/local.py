"""Arenas on this machine, each pinned to one of the cores this process may use."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol

from pips_tourney.arena.arena import Arena, ProgramOf
from pips_tourney.arena.exchange import ArenaLost
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.described import hints_in
from pips_tourney.engines import BotsDidNotStart, EngineError, Job, of_another_game
from pips_tourney.engines.kept import KeptArenas
from pips_tourney.engines.played import play
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox
from pips_tourney.system import own_cores

MOST_LOSSES: Final = 10
"""After this many losses without a match in between, an arena is not replaced."""


class Host(Protocol):
    """Lets bots on other machines play in an arena."""

    def opened(self, arena: Arena) -> Arena:
        """Return the arena, not begun, with a door for guests."""

    def attend(self, arena: Arena, job: Job) -> AbstractAsyncContextManager[Job]:
        """Look after guests while the arena plays; get the results of their matches."""


@dataclass(frozen=True)
class LocalEngine:
    """Plays in `arenas` arenas, each with `tables` matches at a time.

    `startup_s` is the timeout for a bot's hello.
    """

    arenas: int
    tables: int
    startup_s: float
    program_of: ProgramOf
    alone: bool = False
    """A bot's process plays one table at a time."""
    sandbox: Sandbox = NO_SANDBOX
    ponder: bool = True
    """Whether a bot may compute while it is not its turn."""
    host: Host | None = None
    kept: KeptArenas | None = None
    """Arenas of earlier sessions, and for later ones; None: of this one alone."""

    async def play(self, job: Job) -> None:
        """Play all matches of the job; see `Engine`."""
        failures: list[StartFailure] = []
        together = asyncio.Barrier(self.arenas)
        try:
            async with KeptArenas() as own, asyncio.TaskGroup() as group:
                for number in range(self.arenas):
                    playing = self._keep_playing(number, job, failures, together, self.kept or own)
                    group.create_task(playing)
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        if failures:
            raise BotsDidNotStart(failures)

    def new_arena(self, number: int) -> Arena:
        """Return a new arena, not begun."""
        cores = own_cores()
        core = cores[number % len(cores)]
        arena = Arena(core, self.program_of, self.startup_s, self.alone, self.sandbox, self.ponder)
        return arena if self.host is None else self.host.opened(arena)

    def _attended(self, arena: Arena, job: Job) -> AbstractAsyncContextManager[Job]:
        return nullcontext(job) if self.host is None else self.host.attend(arena, job)

    async def _keep_playing(
        self, number: int, job: Job, failures: list[StartFailure], together: asyncio.Barrier, kept: KeptArenas
    ) -> None:
        """Play in one arena on one core; replace the arena if it is lost.

        A shift begins when the bots of the previous one have ended in all arenas.
        """
        to_check: Sequence[str] = job.check[number :: self.arenas]
        losses, checked, why, shift = 0, False, "", 0
        while losses < MOST_LOSSES:
            arena = wanted = self.new_arena(number)
            try:
                async with kept.opened(number, wanted) as arena:
                    arena.refusals = job.refusals
                    if not checked:  # even if the night is to go on otherwise
                        found = await _check(arena, to_check, job)
                        if not arena.why_lost:
                            failures += found
                            checked = True
                            await together.wait()
                            failures[:] = job.do_without(failures)
                    if failures:
                        return
                    arena.on_hopeless, arena.is_over = job.give_up, lambda: job.queue.is_closed
                    async with self._attended(arena, job) as adapted:
                        with _known(arena, job):
                            while not arena.why_lost and await job.queue.begin(shift):
                                work = [_work(number, arena, adapted, table) for table in range(self.tables)]
                                await asyncio.gather(*work)
                                await arena.end_bots()
                                if not arena.why_lost:
                                    await together.wait()
                                    shift += 1
                    why = arena.why_lost
            except ArenaLost as lost:
                why = str(lost)
            if not why:
                return
            losses = 1 if arena.played else losses + 1
        raise EngineError(f"an arena was lost {MOST_LOSSES} times in a row: {why}")


async def _check(arena: Arena, processes: Sequence[str], job: Job) -> list[StartFailure]:
    """Start bots, and report what SDKs find odd in them; return those that failed."""
    found = await arena.start(processes)
    if arena.why_lost:
        return []
    for process, printed in zip(processes, await asyncio.gather(*map(arena.output, processes)), strict=True):
        for hint in hints_in(printed):
            job.hinted(process, hint)
    return [*found, *of_another_game({process: arena.games.get(process, ()) for process in processes}, job)]


@contextmanager
def _known(arena: Arena, job: Job) -> Iterator[None]:
    job.referees.add(arena.organiser)
    try:
        yield
    finally:
        job.referees.discard(arena.organiser)


async def _work(number: int, arena: Arena, job: Job, table: int) -> None:
    """Play a shift's matches, one after another, at one table of an arena.

    The first tables of all arenas begin before the second ones, so that all arenas
    share a small number of matches.
    """
    for _ in range(table):
        await asyncio.sleep(0)
    while not arena.why_lost:
        if (fixture := job.queue.take(number)) is None:
            if not await job.queue.more():
                return
            continue
        played = await play(arena, job.order(fixture), fixture.seating)
        job.results(fixture, played._replace(arena=str(number)))
