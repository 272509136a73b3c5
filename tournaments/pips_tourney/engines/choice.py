"""Which engine a league plays on, and how the engine starts its bots."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import Executable
from pips_tourney.bots.logs import logged
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import Engine, EngineError
from pips_tourney.engines.local import Host, LocalEngine
from pips_tourney.league.league import League
from pips_tourney.night.plan.programme import Programme
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox

ALONE_BELOW_MS: Final = 100
"""If the time limit for an answer is below this, a bot's process plays one table."""


def make_engine(
    league: League,
    programme: Programme,
    arenas: int,
    sandbox: Sandbox = NO_SANDBOX,
    logs: Path | None = None,
    host: Host | None = None,
) -> Engine:
    """Return the engine that plays a league's bots.

    Their output is stored in the folder `logs`. A `host` lets bots dial in.
    """
    bots = {bot.name: bot for bot in league.players(max(contest.seats for contest in programme.contests))}
    games = {contest.label: contest.game for contest in programme.contests}
    startup_s = league.file.startup_ms / 1000
    alone = 0 < programme.clock["answer_ms"] < ALONE_BELOW_MS or not league.file.ponder

    @cache
    def program_of_bot(bot: str, contest: str) -> Executable:
        return league.program(bots[bot], games[contest])

    def program_of(process: str) -> Executable:
        name = ProcessName.parse(process)
        return program_of_bot(name.bot, name.contest)

    if league.file.engine == "local":
        started = program_of if logs is None else logged(program_of, logs)
        return LocalEngine(arenas, league.file.tables, startup_s, started, alone, sandbox, league.file.ponder, host)
    if logs is not None:
        raise EngineError("--logs needs engine = local: a cluster's bots print on its workers")
    if host is not None:
        raise EngineError("bots on other machines need engine = local")
    names = [(player.name, contest.label) for contest in programme.contests for player in programme.players(contest)]
    programs = {f"{bot}/{contest}": program_of_bot(bot, contest) for bot, contest in names}
    return _cluster(league, programs, alone=alone)


def _cluster(league: League, programs: Mapping[str, Executable], *, alone: bool) -> Engine:
    """The engine for the workers of a Dask cluster; `programs` are by `BOT/CONTEST`."""
    if not league.file.ponder:
        raise EngineError("ponder = false needs engine = local, which suspends bots out of turn")
    from pips_tourney.engines.dask.driver import DaskEngine  # comes with an extra
    from pips_tourney.engines.dask.worker import PACKAGE, Team

    file, box = league.file, league.file.sandbox
    limits = box.tier, box.limits, box.copy_mb, league.who()
    team = Team(version(PACKAGE), "", programs, file.startup_ms / 1000, file.tables, alone, *limits)
    tls = {} if file.tls is None else file.tls.model_dump()
    return DaskEngine(file.scheduler or "", team, {name: str(league.folder / place) for name, place in tls.items()})
