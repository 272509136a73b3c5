"""Which bot processes an arena has, which sit at a table, and which may be ended."""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Final

from pips_tourney.arena.refusals import said_by_wrapper
from pips_tourney.arena.starting import StartClock, StartFailure

MOST_ALIVE: Final = 32
"""How many bot processes an arena keeps alive."""


@dataclass(eq=False, slots=True)
class BotProcess:
    """A living process of a bot; `hello` is done after its hello or its failure."""

    hello: Future[StartFailure | None]
    clock: StartClock
    launch: int
    """The number of this launch under its name, from 0."""
    end: asyncio.Event = field(default_factory=asyncio.Event)
    launched: bool = False
    late: bool = False
    kept_s: float = 0.0
    """How long a late process could not run; 0 if it had its full time anyway."""
    unwanted: bool = False
    told: bool = False
    """Whether the referee knows how it ends."""

    def is_too_late(self, now: float) -> None:
        """Fail its hello because its time is over; `now` in seconds."""
        self.late = True
        self.kept_s = self.clock.kept_s(now) if self.clock.is_starved(now) else 0.0

    def how_ended(self, how: str, output: str, lack: str) -> tuple[str, str]:
        """Return how the process ended, as text, and what the machine lacked.

        The second is "" if the bot caused the end.
        """
        if self.late:
            how = f"said no hello within {self.clock.limit_s:g} s"
            lack = f"its core was at work for others for {self.kept_s:.1f} s meanwhile" if self.kept_s else ""
        elif not self.hello.done():
            lack = lack or said_by_wrapper(output)
        return f"{how} ({lack})" if lack else how, lack


@dataclass(eq=False, slots=True)
class Use:
    """What the arena knows of a process name over all its starts."""

    seated: int = 0
    playing: int = 0
    """How many of its matches have begun."""
    failures: int = 0
    launches: int = 0
    table: asyncio.Lock = field(default_factory=asyncio.Lock)
    """The lock of its current match, if a process plays one match at a time."""
    seats: asyncio.Semaphore | None = None
    """One permit per table, if its hello said at how many tables it can sit."""


class Roster:
    """Processes by name, `BOT/CONTEST/ROTATION`."""

    def __init__(self) -> None:
        self.bots: dict[str, BotProcess] = {}
        """The living processes."""
        self._uses: dict[str, Use] = {}
        """In order of their last seat, the most recent last."""

    def use(self, process: str) -> Use:
        """Return the use of a process that lives, has lived or will live."""
        if process not in self._uses:
            self._uses[process] = Use()
        return self._uses[process]

    def seat(self, process: str, by: int) -> None:
        """Count a process in at a table (1), or out (-1)."""
        use = self.use(process)
        use.seated += by
        if by > 0:
            self._uses[process] = self._uses.pop(process)

    @contextmanager
    def playing(self, processes: Iterable[str]) -> Iterator[None]:
        """Mark these processes as playing, until their match ends."""
        uses = [*map(self.use, processes)]
        for use in uses:
            use.playing += 1
        try:
            yield
        finally:
            for use in uses:
                use.playing -= 1

    def limit(self, process: str, most_tables: int) -> None:
        """Store at how many tables a process can sit at once; 0 for any number."""
        use = self.use(process)
        if most_tables and use.seats is None:
            use.seats = asyncio.Semaphore(most_tables)

    @asynccontextmanager
    async def at_table(self, processes: Iterable[str], *, alone: bool = False) -> AsyncIterator[None]:
        """Wait until all have room for a table; with `alone`, until they have no other.

        They are awaited in a fixed order, so that no two matches wait for each other.
        """
        async with AsyncExitStack() as tables:
            for use in map(self.use, sorted(set(processes))):
                if (room := use.table if alone else use.seats) is not None:
                    await tables.enter_async_context(room)
            yield

    def too_many(self) -> list[str]:
        """Return the idle processes beyond `MOST_ALIVE`, the longest idle first."""
        if len(self.bots) <= MOST_ALIVE:
            return []
        alive = [process for process in self._uses if process in self.bots and not self.bots[process].unwanted]
        idle = [process for process in alive if not self.use(process).seated and self.bots[process].hello.done()]
        return idle[: max(0, len(alive) - MOST_ALIVE)]
