"""Where arenas run. An engine takes matches from a queue and hands back what became of
them; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from pips.v1 import referee_pb2
from pips_referee.printable import plain
from pips_referee.tokens import OrganiserDoor
from pips_tourney.arena.advice import what_to_do
from pips_tourney.arena.refusals import Refusals
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.errors import TourneyError
from pips_tourney.night.programme import Fixture

LAST_LINES: Final = 12
LINE_WIDTH: Final = 200


class Queue(Protocol):
    """The matches still to be played. An arena is known by its number."""

    def take(self, arena: int = 0) -> Fixture | None:
        """The next match for that arena; None when there is none now."""

    async def more(self) -> bool:
        """After there was none: wait until it may be worth asking again. False when
        nothing will come.
        """

    def leave(self, arena: int) -> None:
        """An arena is gone."""


class Results(Protocol):
    """Is told what became of each match: the record last, or that the machine spoilt
    it.
    """

    def record(self, fixture: Fixture, record: bytes) -> None:
        """A match was played."""

    def void(self, fixture: Fixture, why: str) -> None:
        """The machine spoilt a match; it is to be played again."""

    def output(self, fixture: Fixture, output: dict[str, str]) -> None:
        """By bot that made a mistake, the end of what its process had
        printed by then.
        """

    def out_of_turn(self, fixture: Fixture, burnt_us: dict[str, int]) -> None:
        """By bot, the CPU time in microseconds that it used out of turn."""

    def arena(self, fixture: Fixture, arena: str) -> None:
        """Where a match was played whose record comes next."""


@dataclass(frozen=True, slots=True)
class Job:
    """What an engine is to play."""

    queue: Queue
    order: Callable[[Fixture], referee_pb2.MatchOrder]
    results: Results
    check: Sequence[str]
    """Processes that must say hello before any match is played."""
    games: Mapping[str, str] = field(default_factory=dict)
    """By contest, what a bot must play that is checked for it."""
    do_without: Callable[[Sequence[StartFailure]], Sequence[StartFailure]] = lambda failures: failures
    """Told of the bots that did not start; gives back those that the night cannot be
    played without.
    """
    refusals: Refusals = field(default_factory=Refusals)
    """What the machine refused to bots so far."""
    give_up: Callable[[StartFailure], None] = lambda _: None
    """Told of a bot whose process came to no hello again and again, in the middle of
    the night.
    """
    referees: set[OrganiserDoor] = field(default_factory=set)
    """Those on this machine that play it now: where each hears the organiser, who may
    ask what it sees.
    """


class Engine(Protocol):
    """What plays a job."""

    async def play(self, job: Job) -> None:
        """Until the queue has no more. `BotsDidNotStart` before any match,
        `EngineError` when it cannot go on.
        """


class EngineError(TourneyError):
    """The night cannot go on; what was played is kept."""


class BotsDidNotStart(EngineError):
    """Bots that never said hello, with the last lines of what they printed."""

    def __init__(self, failures: Sequence[StartFailure]) -> None:
        self.failures = tuple(sorted(failures))
        told = [line for failure in self.failures for line in _told(failure)]
        super().__init__("\n".join(["no match was played, for these bots did not start:", *told]))


def of_another_game(plays: Mapping[str, Sequence[str]], job: Job) -> list[StartFailure]:
    """By process, the bots that have said what they play, and it is not what they are
    here for.
    """
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
