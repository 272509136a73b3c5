"""Which bots' processes an arena has, who sits at a table, and who may go."""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pips_tourney.arena.refusals import said_by_wrapper
from pips_tourney.arena.starting import StartClock, StartFailure
from pips_tourney.bots.process_name import ProcessName

MOST_ALIVE: Final = 32
"""How many bot processes an arena keeps alive."""


@dataclass(eq=False, slots=True)
class BotProcess:
    """A living process of a bot. `hello` is done when it said hello, or could not."""

    hello: Future[StartFailure | None]
    clock: StartClock
    launch: int
    """Which of its name's, from 0."""
    end: asyncio.Event = field(default_factory=asyncio.Event)
    launched: bool = False
    late: bool = False
    kept_s: float = 0.0
    """For how long one that is late could not run; 0 if it had its time all
    the same.
    """
    unwanted: bool = False
    told: bool = False
    """The referee knows how it ends."""

    def is_too_late(self, now: float) -> None:
        """Its time for a hello is over; `now` in seconds."""
        self.late = True
        self.kept_s = self.clock.kept_s(now) if self.clock.is_starved(now) else 0.0

    def how_ended(self, how: str, output: str, lack: str) -> tuple[str, str]:
        """How it ended, in words, and what the machine lacked then; "" where it is the
        bot's doing.
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
    sat: bool = False
    """It has been at a table; else it was started to be checked, and is wanted in its
    contest.
    """
    failures: int = 0
    launches: int = 0
    table: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the match that it is at, where a process plays one at a time."""

    @property
    def is_done(self) -> bool:
        """Whether it has got up from every table it was at."""
        return self.sat and not self.seated


class Roster:
    """Processes by name, `BOT/CONTEST/ROTATION`."""

    def __init__(self) -> None:
        self.bots: dict[str, BotProcess] = {}
        """Those that live."""
        self._uses: dict[str, Use] = {}
        """The one that took a seat last is last."""
        self._contest = ""

    def use(self, process: str) -> Use:
        """Of a process that lives, has lived or will."""
        return self._uses.setdefault(process, Use())

    def seat(self, process: str, by: int) -> None:
        """It sits down (1) or gets up (-1)."""
        use = self.use(process)
        use.seated += by
        if by > 0:
            use.sat = True
            self._uses[process] = self._uses.pop(process)

    def enter(self, contest: str) -> list[str]:
        """Matches of that contest begin: who may go, since it has played in an earlier
        one and is done.
        """
        if contest == self._contest:
            return []
        self._contest = contest
        return self.left_over(self._uses)

    def left_over(self, processes: Iterable[str]) -> list[str]:
        """Those of them that live, have played, sit nowhere now and are not of the
        contest that is played.
        """
        return [
            process
            for process in processes
            if process in self.bots
            and ProcessName.parse(process).contest != self._contest
            and self.use(process).is_done
        ]

    def too_many(self) -> list[str]:
        """Idle ones beyond `MOST_ALIVE`, the one first that took its last seat longest
        ago.
        """
        if len(self.bots) <= MOST_ALIVE:
            return []
        alive = [process for process in self._uses if process in self.bots and not self.bots[process].unwanted]
        idle = [process for process in alive if not self.use(process).seated and self.bots[process].hello.done()]
        return idle[: max(0, len(alive) - MOST_ALIVE)]
