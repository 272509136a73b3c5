"""A night in this process, on platforms where bots cannot have processes.

It plays the same matches as a night with processes, with the same luck, one after
another. There is no clock. So only trusted bots can play this way, and a bot that never
answers ends the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pips_sdk import Bot
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.found import BotProblem, PythonFile, Sample
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import BotsDidNotStart, EngineError, Job, PlayedMatch, of_another_game
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.league import League
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.programme import Programme
from pips_tourney.system import ELSEWHERE, need_linux
from pips_tourney.workshop.duels.in_process import PATIENCE_S, Listener, Stuck, Watchdog, play_order

ARENA: Final = "0"


@dataclass
class EngineHere:
    """Plays a job's matches in this process, one after another."""

    class_of: Callable[[str, str], type[Bot]]
    """The class of a bot in a contest; raises `BotProblem`."""
    patience_s: float = PATIENCE_S
    _listener: Listener = field(default_factory=Listener)

    async def play(self, job: Job) -> None:
        self._check(job)
        shift = 0
        while await job.queue.begin(shift):
            if (fixture := job.queue.take()) is None:
                shift += not await job.queue.more()
                continue
            try:
                record = await asyncio.to_thread(self._play, job, fixture)
            except Stuck as stuck:
                raise EngineError(f"{stuck}\nLeave that bot out, and the same command goes on.") from None
            job.results(fixture, PlayedMatch(record, arena=ARENA))

    def _check(self, job: Job) -> None:
        failures, plays = [], {}
        for process in job.check:
            name = ProcessName.parse(process)
            try:
                plays[process] = (self.class_of(name.bot, name.contest).game,)
            except BotProblem as problem:
                failures.append(StartFailure(process, str(problem), ""))
        if needed := job.do_without([*failures, *of_another_game(plays, job)]):
            raise BotsDidNotStart(needed)

    def _play(self, job: Job, fixture: Fixture) -> bytes:
        def class_of(bot: str) -> type[Bot]:
            return self.class_of(bot, fixture.contest.label)

        with Watchdog(self.patience_s) as watchdog, self._listener.listening():
            return play_order(job.order(fixture), class_of, watchdog.asks)[0]


def engine_here(league: League, programme: Programme) -> EngineHere:
    """The engine for a league's bots. Raises `NeedsLinux` for strangers' bots."""
    if strangers := [bot.name for bot in league.file.bots if bot.is_stranger]:
        need_linux(f"a fence, which strangers' bots ({', '.join(strangers)}) play in,")
    if asking := [bot.name for bot in league.file.bots if bot.model is not None]:
        need_linux(f"a night with bots that ask a model ({', '.join(asking)})")
    bots = {bot.name: bot for bot in league.players(max(contest.seats for contest in programme.contests))}
    games: Mapping[str, str] = {contest.label: contest.game for contest in programme.contests}
    classes: dict[tuple[str, str], type[Bot]] = {}

    def class_of(bot: str, contest: str) -> type[Bot]:
        game = games[contest]
        if (bot, game) not in classes:
            classes[bot, game] = _class(league, bots[bot], game)
        return classes[bot, game]

    return EngineHere(class_of)


def _class(league: League, bot: BotEntry, game: str) -> type[Bot]:
    last = (bot.command or [""])[-1]
    if bot.env or (not last.endswith(".py") and any(word.endswith(".py") for word in bot.command or ())):
        raise BotProblem(f"{bot.name} is started with words or variables of its own, and that needs Linux: {ELSEWHERE}")
    if bot.sample is not None:
        return Sample(bot.sample, None).bot_class(game)
    if last.endswith(".py"):
        return PythonFile(bot.name, league.folder / (bot.cwd or "") / last).bot_class(game)
    raise BotProblem(f"{bot.name} is a program of its own, and that needs Linux: {ELSEWHERE}")
