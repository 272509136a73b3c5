"""The host of a night with bots on other machines.

These bots dial in to the referee of one arena.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from pips_tourney.arena.arena import Arena
from pips_tourney.engines import Job
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.people.presence import forget_guests
from pips_tourney.remote.lobby import Hosting, WaitingRoom


@dataclass(frozen=True, slots=True)
class GuestHost:
    """Opens an arena to invited bots, and runs their waiting room while it plays."""

    hosting: Hosting
    queue: MatchQueue
    say: Callable[[str], None]
    """Shows a line to the organiser."""
    is_all_played: Callable[[], bool]
    """Whether no match of the night is left, by the decisions and results so far."""

    def opened(self, arena: Arena) -> Arena:
        hosting = self.hosting
        words = ["--bots", hosting.listen, "--tls-cert", hosting.certificate, "--tls-key", hosting.key]
        return replace(arena, remote=frozenset(hosting.games), serve_also=tuple(words))

    @asynccontextmanager
    async def attend(self, arena: Arena, job: Job) -> AsyncIterator[Job]:
        """Run the waiting room while the arena plays."""
        room = WaitingRoom(arena, self.hosting, self.queue, self.say)
        keeping = asyncio.create_task(room.keep())
        over = False
        try:
            await room.begin()
            yield replace(job, results=partial(room.hear, job.results))
            over = not arena.why_lost and (not self.queue.is_closed or await self._ends_the_night())
        finally:
            if not arena.why_lost:
                await room.end(over=over)
            if self.hosting.database is not None:
                forget_guests(self.hosting.database)
            keeping.cancel()
            await asyncio.wait([keeping])
            if not keeping.cancelled():
                keeping.result()

    async def _ends_the_night(self) -> bool:
        """Whether no match is left to play after the decisions.

        If so, no other arena opens, and the guests may leave.
        """
        await self.queue.settled()
        return self.is_all_played()
