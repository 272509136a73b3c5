"""Arenas that stay open from one session of a night to the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, Self

from pips_tourney.arena.arena import Arena

MOST_SESSIONS: Final = 40
"""After so many sessions an arena is replaced: its referee remembers every bot."""


class KeptArenas:
    """Open arenas by number; `async with` closes them.

    A keeper and a referee need seconds to start. A newcomer, for whom a session begins,
    would wait for them.
    """

    def __init__(self) -> None:
        self._idle: dict[int, tuple[Arena, AsyncExitStack, int]] = {}
        """The third is how many sessions the arena has had."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the idle arenas, as in a break."""
        idle, self._idle = self._idle, {}
        await asyncio.gather(*(closing.aclose() for _, closing, _ in idle.values()))

    @asynccontextmanager
    async def opened(self, number: int, wanted: Arena) -> AsyncIterator[Arena]:
        """An open arena that is as `wanted`, which has not begun.

        It is kept unless it is lost, or the work in it fails. Raises `ArenaLost`.
        """
        arena, closing, sessions = self._idle.pop(number, (wanted, AsyncExitStack(), 0))
        if sessions == MOST_SESSIONS or (arena is not wanted and not _takes_over(arena, wanted)):
            await closing.aclose()
            arena, sessions = wanted, 0
        if arena is wanted:
            await closing.enter_async_context(arena)
        async with closing:
            yield arena
            await arena.end_bots()
            if not arena.why_lost:
                self._idle[number] = arena, closing.pop_all(), sessions + 1


def _takes_over(arena: Arena, wanted: Arena) -> bool:
    """Give an idle arena the settings of another; False if those need new processes."""
    if arena.why_lost or _begun_with(arena) != _begun_with(wanted):
        return False
    arena.program_of, arena.sandbox, arena.alone, arena.ponder = (
        wanted.program_of, wanted.sandbox, wanted.alone, wanted.ponder,
    )  # fmt: skip
    arena.on_hopeless, arena.is_over, arena.played = wanted.on_hopeless, wanted.is_over, 0
    arena.games.clear()
    return True


def _begun_with(arena: Arena) -> tuple[object, ...]:
    """What an arena's keeper and referee are told when they start."""
    box = arena.sandbox
    return arena.core, arena.startup_s, arena.remote, arena.serve_also, box.tier, box.group, box.as_another_user
