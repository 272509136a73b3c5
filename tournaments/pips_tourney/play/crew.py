"""The engine that plays a session's matches, and its job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pips_tourney.arena.leftovers import clear_leftovers
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import Engine, Job
from pips_tourney.engines.choice import make_engine
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.league import League
from pips_tourney.night.log.kinds import UNFENCED
from pips_tourney.night.night import Night
from pips_tourney.play.absence import Absentees
from pips_tourney.play.evening import RunConfig, Watcher
from pips_tourney.remote.host import GuestHost
from pips_tourney.sandbox.tiers import NO_SANDBOX, Finding, Sandbox
from pips_tourney.system import is_linux, own_cores
from pips_tourney.workshop.here import engine_here

SHIFT_S: Final = 30.0


def sandbox_of(config: RunConfig, league: League, night: Night, find: Finding | None, *, missing: int) -> Sandbox:
    """The sandbox for bots that play on this machine, if any do.

    If the sandbox is no fence, that is logged.
    """
    if not missing or league.file.scheduler:  # workers of a cluster have sandboxes of their own
        return NO_SANDBOX
    sandbox = league.sandbox(config.private(), find)
    if sandbox.fence is None:
        note_unfenced(night, league)
    return sandbox


def arenas_of(config: RunConfig, league: League) -> int:
    """How many arenas play at the same time."""
    return 1 if config.hosting else config.arenas or league.file.arenas or len(own_cores())


def shift_s_of(config: RunConfig) -> float | None:
    """How long a shift lasts, in seconds; None if rotations share their processes.

    A bot that dials in has one process for all its rotations.
    """
    return None if config.hosting else SHIFT_S


def engine_of(
    config: RunConfig, league: League, night: Night, queue: MatchQueue, sandbox: Sandbox, watcher: Watcher
) -> Engine:
    """The engine, with a host if bots dial in from other machines."""
    if not is_linux():
        return engine_here(league, night.programme)
    for line in clear_leftovers():
        watcher.told(line)
    host = None
    if config.hosting is not None:
        config.hosting.expect(league, night.programme)
        host = GuestHost(config.hosting, queue, watcher.told, _all_played(night))
    return make_engine(league, night.programme, arenas_of(config, league), sandbox, config.logs, host)


def _all_played(night: Night) -> Callable[[], bool]:
    """Return a test whether all is played and no bot was added since."""
    added = night.decisions().added.keys()

    def is_all_played() -> bool:
        scheduled, played = night.count()
        return scheduled == played and night.decisions().added.keys() == added

    return is_all_played


def job_of(league: League, absence: Absentees, queue: MatchQueue, tried: set[str]) -> Job:
    """All matches to play, and the callbacks for bots that fail.

    Only bots that were not `tried` before are checked, so that a class need not wait
    for all bots whenever one is added.
    """
    night = absence.night
    programme, secret = night.programme, night.secret
    remote = {bot.name for bot in league.file.bots if bot.remote}
    checked = [str(name) for name in _checked(night) if name.bot not in remote | tried]
    tried.update(entrant.name for entrant in programme.entrants)
    return Job(
        queue=queue,
        order=lambda fixture: fixture.order(secret, programme.clock),
        results=absence.ledger.take,
        check=checked,
        games={contest.label: contest.game for contest in programme.contests},
        do_without=absence.do_without,
        referees=queue.referees,
        refusals=absence.refusals(),
        give_up=absence.give_up,
        hinted=absence.tell_hint,
        unfenced=lambda: note_unfenced(night, league),
    )


def _checked(night: Night) -> list[ProcessName]:
    """For every bot and contest, a process of the first rotation."""
    decisions, programme = night.decisions(), night.programme
    return [
        ProcessName(entrant.name, contest.label, "0")
        for contest in programme.contests
        for entrant in programme.players(contest)
        if contest.label not in getattr(decisions.out.get(entrant.name), "deals", ())
    ]


def note_unfenced(night: Night, league: League) -> None:
    """Log which bots play on this machine without a fence, if that has changed."""
    bots, on_trust_alone = {bot.name for bot in league.file.bots if not bot.remote}, not league.file.sandbox.unfenced
    known = night.decisions()
    if not known.unfenced.issuperset(bots) or known.on_trust_alone is not on_trust_alone:
        night.store.append(UNFENCED, {"bots": sorted(bots), "on_trust_alone": on_trust_alone})
