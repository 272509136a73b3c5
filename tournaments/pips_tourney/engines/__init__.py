"""Where arenas run. An engine takes matches from a feed and hands back what became of them; it decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from pips.v1 import referee_pb2
from pips_referee.printable import plain
from pips_referee.tokens import OrganiserDoor
from pips_tourney.arena.advice import what_to_do
from pips_tourney.arena.starting import StartFailure
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.errors import TourneyError
from pips_tourney.night.programme import Fixture

LAST_LINES: Final = 12
LINE_WIDTH: Final = 200


@dataclass(frozen=True, slots=True)
class Job:
    """What an engine is to play."""

    feed: MatchQueue
    order: Callable[[Fixture], referee_pb2.MatchOrder]
    on_record: Callable[[Fixture, bytes], None]
    on_void: Callable[[Fixture, str], None]
    check: Sequence[str]
    """Processes that must say hello before any match is played."""
    on_output: Callable[[Fixture, dict[str, str]], None] = lambda *_: None
    """By bot that made a mistake in a match, the end of what its process had printed then."""
    on_out_of_turn: Callable[[Fixture, dict[str, int]], None] = lambda *_: None
    """By bot, the CPU time in microseconds that it used out of turn."""
    on_arena: Callable[[Fixture, str], None] = lambda *_: None
    """Where a match was played whose record comes next."""
    games: Mapping[str, str] = field(default_factory=dict)
    """By contest, what a bot must play that is checked for it."""
    do_without: Callable[[Sequence[StartFailure]], Sequence[StartFailure]] = lambda failures: failures
    """Told of the bots that did not start; gives back those that the night cannot be played without."""
    referees: set[OrganiserDoor] = field(default_factory=set)
    """Those on this machine that play it now: where each hears the organiser, who may ask what it sees."""
    is_all_played: Callable[[], bool] = lambda: False
    """Whether nothing is left to play of the night, as it is decided now and stored by now."""


class Engine(Protocol):
    """What plays a job."""

    async def play(self, job: Job) -> None:
        """Until the feed has no more. `BotsDidNotStart` before any match, `EngineError` when it cannot go on."""


class EngineError(TourneyError):
    """The night cannot go on; what was played is kept."""


class BotsDidNotStart(EngineError):
    """Bots that never said hello, with the last lines of what they printed."""

    def __init__(self, failures: Sequence[StartFailure]) -> None:
        self.failures = tuple(sorted(failures))
        told = [line for failure in self.failures for line in _told(failure)]
        super().__init__("\n".join(["no match was played, for these bots did not start:", *told]))


def of_another_game(plays: Mapping[str, Sequence[str]], job: Job) -> list[StartFailure]:
    """By process, the bots that have said what they play, and it is not what they are here for."""
    wrong = []
    for process, games in plays.items():
        game = job.games.get(process.split("/")[1])
        if game is not None and games and game not in games:
            wrong.append(StartFailure(process, f"it plays {', '.join(games)}, not {game}", ""))
    return wrong


def _told(failure: StartFailure) -> list[str]:
    bot, contest, _ = failure.process.split("/")
    lines = failure.last_output.rstrip().splitlines()[-LAST_LINES:]
    said = [f"    | {plain(line[:LINE_WIDTH])}" for line in lines] or ["    (it printed nothing)"]
    return [f"  {bot} ({contest}): {plain(failure.how)}", *said, f"    What to do: {what_to_do(failure)}"]
