"""Engines run arenas.

**Invariant**: an engine plays what its queue gives out, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from pips.v1 import referee_pb2
from pips_referee.printable import plain
from pips_referee.service.tokens import OrganiserDoor
from pips_tourney.arena.advice import what_to_do
from pips_tourney.arena.refusals import Refusals
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.errors import TourneyError
from pips_tourney.night.plan.fixtures import Fixture

LAST_LINES: Final = 12
LINE_WIDTH: Final = 200


class Queue(Protocol):
    """The matches still to be played, in one shift or several."""

    @property
    def is_closed(self) -> bool:
        """Whether no match is to begin any more, not even one that was given out."""
        return False

    def take(self, arena: Hashable = 0) -> Fixture | None:
        """Return the next match for that arena; None if there is none now."""

    async def more(self) -> bool:
        """Wait until another `take` may succeed; return False if this shift is over."""

    async def begin(self, shift: int) -> bool:
        """Begin that shift, from 0, if it has not begun; False if nothing is left.

        All bots' processes of the previous shift have ended by then.
        """
        return shift == 0


class PlayedMatch(NamedTuple):
    """The outcome of a match: a record, or why the machine spoilt it.

    A spoilt match has to be played again. With neither, the match was not begun.
    """

    record: bytes = b""
    void: str = ""
    failed: str = ""
    """The bot on whose account the match is void, if it is only one.

    That bot may have had a hand in it.
    """
    arena: str = ""
    """The arena that played it."""
    output: Mapping[str, str] = {}
    """Last output by bot, for mistakes that left no evidence in the record."""
    out_of_turn_us: Mapping[str, int] = {}
    """By bot, the CPU time used out of turn, in microseconds; empty if none."""


Results = Callable[[Fixture, PlayedMatch], None]
"""Receives the outcome of each match."""


@dataclass(frozen=True, slots=True)
class Job:
    """What an engine has to play: matches, bots, and whom to notify."""

    queue: Queue
    order: Callable[[Fixture], referee_pb2.MatchOrder]
    results: Results
    check: Sequence[str]
    """Processes that must say hello before any match is played."""
    games: Mapping[str, str] = field(default_factory=dict)
    """By contest, the game that a checked bot must play."""
    do_without: Callable[[Sequence[StartFailure]], Sequence[StartFailure]] = lambda failures: failures
    """Receives the bots that did not start; returns those that the night needs."""
    refusals: Refusals = field(default_factory=Refusals)
    """What the machine has refused to bots so far."""
    give_up: Callable[[StartFailure], None] = lambda _: None
    """Called during the night with a bot that failed to start again and again."""
    hinted: Callable[[str, str], None] = lambda *_: None
    """Called before the first match with a checked process and a hint from its SDK."""
    unfenced: Callable[[], None] = lambda: None
    """Called if bots play without a fence on another machine."""
    referees: set[OrganiserDoor] = field(default_factory=set)
    """Addresses of the referees on this machine, which answer the organiser."""


class Engine(Protocol):
    """Something that plays a job."""

    async def play(self, job: Job) -> None:
        """Play until the queue is empty.

        Raises `BotsDidNotStart` before any match, and `EngineError` if it cannot go on.
        """


class EngineError(TourneyError):
    """The night cannot go on; played matches are kept."""


class BotsDidNotStart(EngineError):
    """Bots that never said hello, with the last lines of their output."""

    def __init__(self, failures: Sequence[StartFailure]) -> None:
        self.failures = tuple(sorted(failures))
        told = [line for failure in self.failures for line in _told(failure)]
        super().__init__("\n".join(["no match was played, for these bots did not start:", *told]))


def of_another_game(plays: Mapping[str, Sequence[str]], job: Job) -> list[StartFailure]:
    """Return the processes whose bots do not play the game of their contest."""
    wrong = []
    for process, games in plays.items():
        game = job.games.get(ProcessName.parse(process).contest)
        if game is not None and games and game not in games:
            wrong.append(StartFailure(process, f"it plays {', '.join(games)}, not {game}", ""))
    return wrong


def _told(failure: StartFailure) -> list[str]:
    name = ProcessName.parse(failure.process)
    lines = failure.last_output.rstrip().splitlines()[-LAST_LINES:]
    said = [f"    | {plain(line[:LINE_WIDTH])}" for line in lines] or ["    (it printed nothing)"]
    return [f"  {name.bot} ({name.contest}): {plain(failure.how)}", *said, f"    What to do: {what_to_do(failure)}"]
