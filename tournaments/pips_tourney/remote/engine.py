"""The engine of a night with bots on other machines: one arena, whose referee they dial in to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from pips_tourney.arena.arena import Arena
from pips_tourney.engines import Job
from pips_tourney.engines.local import LocalEngine
from pips_tourney.night.programme import Fixture
from pips_tourney.remote.lobby import Hosting, WaitingRoom


@dataclass(frozen=True, kw_only=True)
class HostEngine(LocalEngine):
    """A local engine with guests."""

    hosting: Hosting
    say: Callable[[str], None]

    def new_arena(self, number: int) -> Arena:
        hosting = self.hosting
        words = ["--also", hosting.listen, "--tls-cert", hosting.certificate, "--tls-key", hosting.key]
        return replace(super().new_arena(number), remote=frozenset(hosting.games), serve_also=tuple(words))

    @asynccontextmanager
    async def around(self, arena: Arena, job: Job) -> AsyncIterator[Job]:
        """The lobby is open while the arena plays."""
        lobby = WaitingRoom(arena, self.hosting, job, self.say)
        keeping = asyncio.create_task(lobby.keep())
        over = False

        def on_record(fixture: Fixture, record: bytes) -> None:
            lobby.record(fixture, record)
            job.on_record(fixture, record)

        try:
            await lobby.begin()
            yield replace(job, on_record=on_record)
            over = not arena.why_lost and (not job.feed.is_closed or await _ends_the_night(job))
        finally:
            if not arena.why_lost:
                await lobby.end(over=over)
            keeping.cancel()
            await asyncio.wait([keeping])
            if not keeping.cancelled():
                keeping.result()


async def _ends_the_night(job: Job) -> bool:
    """Whether what was decided leaves nothing to play, so that no other arena opens and the guests may go home."""
    await job.feed.settled()
    return job.is_all_played()
