"""Estimate how long a night takes, before it is played."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from pips_referee.chance import Chance
from pips_referee.game import get_game
from pips_referee.match import Match
from pips_tourney.league.read import read_league
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.plan.programme import Contest
from pips_tourney.night.table.forecast import ContestForecast, forecasts
from pips_tourney.night.table.season import read_season
from pips_tourney.play.evening import RunConfig
from pips_tourney.secret import Secret
from pips_tourney.system import own_cores

TRIALS: Final = 5
DECISION_S: Final = 0.00025
"""The rough time of a decision without the bot's thinking, in seconds."""


@dataclass(frozen=True, slots=True)
class TimeEstimate:
    """How many matches, decisions and processes a night has.

    It takes `seconds` if bots answer at once, plus `per_ms` for every ms of thinking.
    """

    matches: int
    decisions: int
    arenas: int
    processes: int
    seconds: float
    per_ms: float

    def __str__(self) -> str:
        return (
            f"{self.matches} matches with about {self.decisions} decisions, on {self.arenas} arenas "
            f"with up to {self.processes} processes at once.\n"
            f"About {_time(self.seconds)} if the bots answer at once, and {_time(self.per_ms)} more for every "
            "millisecond they think about an answer."
        )


def estimate(config: RunConfig) -> TimeEstimate:
    """Estimate the time from a few matches of random players.

    Raises what a run would raise for its league file.
    """
    league = read_league(config.league).with_contents()
    programme = make_programme(league)
    arenas = config.arenas or league.file.arenas or len(own_cores())
    matches, decisions = 0, 0.0
    course = LiveSchedule(programme, Secret(b""), rehearsal=True)
    for contest in programme.contests:
        played = sum(isinstance(item, Fixture) for item in course.items(contest))
        matches += played
        decisions += played * _questions(contest)
    bots = max(len(programme.players(contest)) * contest.seats for contest in programme.contests)
    at_once = min(arenas, len(own_cores()))
    return TimeEstimate(
        matches,
        round(decisions),
        arenas,
        arenas * (bots + 2),
        decisions * DECISION_S / at_once,
        decisions / 1000 / at_once,
    )


def expected(config: RunConfig) -> list[ContestForecast]:
    """The forecast of the next night of a run, from the matches played before.

    Raises what a run would raise for its league file.
    """
    programme = make_programme(read_league(config.league).with_contents())
    if not config.database.exists() and not moved_aside(config.database):
        return []
    coming = None if _is_open(config) else programme
    return forecasts(read_season(config.database, coming), coming)


def _is_open(config: RunConfig) -> bool:
    """Whether a run would resume the night in the database."""
    if config.new or not config.database.exists():
        return False
    with read_store(config.database) as store:
        return not last_night(store).is_ended()


def _questions(contest: Contest) -> float:
    """The mean number of questions of a match."""
    game = get_game(contest.game)
    rng = Random(0)
    questions = 0
    for trial in range(TRIALS):
        match = Match(game, game.options(contest.options), contest.seats, Chance(bytes([trial]) * 32))
        while match.to_ask is not None:
            match.answer(match.state.sample_action(rng))
        questions += match.outcome.questions
    return questions / TRIALS


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"
