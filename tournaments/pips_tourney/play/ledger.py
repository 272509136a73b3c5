"""Takes the results of an engine and stores them, many in one commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final

from pips_tourney.engines import PlayedMatch
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.night.log.kinds import OUT_OF_TURN, OUTPUT, PAUSE, REDEAL, REFUSED, VOID
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import Row, Store
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.play.signals import cancel_once, ending_on_signals

KEPT_OUTPUT: Final = 1 << 12
"""The most of a process's output that the log stores for a match, in characters."""
LEAST_BURNT_US: Final = 1000
GROUP_S: Final = 0.2
"""How long a result may wait for others before it is stored, in seconds."""


class Ledger:
    """Takes results and voids, and commits them.

    `keep` runs beside the engine, and fails if the database fails. `stored` is called
    with the results that are on the disk.
    """

    def __init__(self, store: Store, queue: MatchQueue, stored: Callable[[Sequence[Row]], None]) -> None:
        self._store, self._queue, self._stored = store, queue, stored
        self.count = 0
        """How many results it has stored."""
        self._rows: list[Row] = []
        self._entries: list[tuple[str, dict[str, Any]]] = []
        self._arenas: list[tuple[str, str]] = []
        self._something = asyncio.Event()
        self._closed = asyncio.Event()

    def take(self, fixture: Fixture, played: PlayedMatch) -> None:
        """Take the result of a match."""
        if not played.record:
            self._void(fixture, played.void, played.failed)
            return
        match = fixture.match_id
        if kept := {bot: text[-KEPT_OUTPUT:] for bot, text in played.output.items()}:
            self._entries.append((OUTPUT, {"match": match, "output": kept}))
        if burnt := {bot: us for bot, us in played.out_of_turn_us.items() if us >= LEAST_BURNT_US}:
            self._entries.append((OUT_OF_TURN, {"match": match, "us": burnt}))
        self._arenas.append((match, played.arena))
        self._rows.append(row := row_of(played.record))
        self._queue.played(fixture, [fixture.seating[fault.seat] for fault in row.seat_faults])
        self._something.set()

    def _void(self, fixture: Fixture, why: str, bot: str) -> None:
        """Put a void match back into the queue.

        If the machine failed only one bot, the match's block is dealt afresh.
        """
        if not why:  # it was not begun
            self._queue.set_aside(fixture)
            return
        match = fixture.match_id
        self._entries.append((VOID, {"match": match, "why": why}))
        if bot:
            about = {"match": match, "block": fixture.block, "bot": bot, "reason": why, "deal": fixture.redeal}
            self._entries.append((REDEAL, about))
            self._queue.set_aside(fixture)
        else:
            self._queue.put_back(fixture)
        self._something.set()

    def refused(self, bot: str, why: str) -> None:
        """Log that the machine refused something to a bot."""
        self._entries.append((REFUSED, {"bot": bot, "why": why}))
        self._something.set()

    def pause(self, why: str) -> None:
        """Pause the night, as the director would."""
        self._entries.append((PAUSE, {"reason": why}))
        self._something.set()

    def close(self) -> None:
        """Declare that no more results will come."""
        self._closed.set()
        self._something.set()

    async def keep(self) -> None:
        """Store results until closed. Everything is on the disk when it returns."""
        while not self._closed.is_set() or self._rows or self._entries:
            await self._something.wait()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), GROUP_S)
            self._something.clear()
            rows, self._rows = self._rows, []
            entries, self._entries = self._entries, []
            arenas, self._arenas = self._arenas, []
            await asyncio.to_thread(self._store.add, rows, entries, arenas)
            self.count += len(rows)
            self._queue.are_stored(row.id for row in rows)
            self._stored(rows)


async def side_by_side(
    playing_all: Coroutine[Any, Any, None], ledger: Ledger, watch: Coroutine[Any, Any, None]
) -> bool:
    """Play and store until all is played. Return whether a signal ended it early."""
    watching = asyncio.create_task(watch)
    keeping = asyncio.create_task(ledger.keep())
    playing = asyncio.create_task(playing_all)
    with ending_on_signals(playing):
        await asyncio.wait([keeping, playing], return_when=asyncio.FIRST_COMPLETED)
        cancel_once(playing)
        await asyncio.wait([playing])
        watching.cancel()
        await asyncio.wait([watching])
        ledger.close()
        await keeping
    for task in (playing, watching):
        if not task.cancelled():
            task.result()
    return playing.cancelled()
