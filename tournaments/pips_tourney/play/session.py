"""A session: the night is played until the director decides something.

A run is one session after another. Each begins with the decisions in force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

from pips_tourney.engines.kept import KeptArenas
from pips_tourney.engines.local import LocalEngine
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.league import League
from pips_tourney.night.night import KnownFaults, Night
from pips_tourney.night.plan.follower import Follower
from pips_tourney.play.absence import Absentees, tell_left_out
from pips_tourney.play.asking import asking_models
from pips_tourney.play.crew import arenas_of, engine_of, job_of, sandbox_of, shift_s_of
from pips_tourney.play.evening import Announcement, RunConfig, Watcher
from pips_tourney.play.ledger import Ledger, side_by_side
from pips_tourney.play.notes import notes
from pips_tourney.play.steward import Steward
from pips_tourney.sandbox.tiers import Finding, Sandbox


@dataclass
class Known:
    """What sessions of a run share: arenas, and what was said or asked already."""

    hinted: set[str] = field(default_factory=set)
    """Hints about bots that were shown."""
    replied: set[str] = field(default_factory=set)
    """Bots whose language model has replied once."""
    arenas: KeptArenas = field(default_factory=KeptArenas)
    tried: set[str] = field(default_factory=set)
    """Bots that an earlier session has checked."""


@dataclass
class RunSession:
    """The missing matches of a night, until they are played or the director decides."""

    config: RunConfig
    night: Night
    league: League
    steward: Steward
    watcher: Watcher
    known: Known
    faulted: Sequence[KnownFaults] = ()
    """The bots, and those at fault, of each match before this session."""
    played: int = 0
    """How many matches of this session count, or have a result if it was closed."""
    spoilt: tuple[str, ...] = ()

    async def play(self, counted: tuple[int, int], find: Finding | None, aside: Path | None) -> bool:
        """Play the session. Return whether a signal ended it.

        `counted` is how many matches are scheduled and played; `find` tries the sandbox
        out.
        """
        night, league = self.night, self.league
        missing = counted[0] - counted[1]
        sandbox = sandbox_of(self.config, league, night, find, missing=missing)
        lookout = Follower(
            course := night.course(), night.store.results, partial(self.steward.pass_gate, self.watcher.told)
        )
        items = chain.from_iterable(map(course.items, night.programme.contests))
        queue = MatchQueue(items, night.store.stored, night.secret, lookout, shift_s=shift_s_of(self.config))
        queue.doubts.most = night.programme.max_faults
        for seating, faulted in self.faulted:
            queue.doubts.know(seating, faulted)
        self.watcher.begins(self._announced(counted, queue, sandbox, aside))
        tell_left_out(self.watcher, league.broken)
        ledger = Ledger(night.store, queue, self.watcher.stored)
        try:
            if not missing:
                return False
            optional = [bot.name for bot in league.file.bots if bot.optional]
            absence = Absentees(night, self.watcher, ledger, lookout, optional, self.known.hinted)
            return await self._play(absence, queue, sandbox)
        finally:
            self.watcher.ends()
            exact = missing and not queue.is_closed  # a newcomer does not wait for the count
            self.played = night.count()[1] - counted[1] if exact else ledger.count
            self.spoilt = tuple(queue.spoilt())

    def _announced(
        self, counted: tuple[int, int], queue: MatchQueue, sandbox: Sandbox, aside: Path | None
    ) -> Announcement:
        night, (matches, played) = self.night, counted
        missing, arenas, under_way = matches - played, arenas_of(self.config, self.league), queue.under_way.values
        return Announcement(
            night.programme,
            matches,
            missing,
            arenas,
            night.secret.commitment,
            aside,
            notes(night, self.league, sandbox, missing, arenas),
            lambda: tuple(under_way()),
            queue.referees,
            night.count,
            night.store.fold,
        )

    async def _play(self, absence: Absentees, queue: MatchQueue, sandbox: Sandbox) -> bool:
        """Run the engine, the ledger and the steward side by side."""
        night, league, ledger = self.night, self.league, absence.ledger
        engine = engine_of(self.config, league, night, queue, sandbox, self.watcher)
        if isinstance(engine, LocalEngine) and engine.host is None:  # guests leave with their session
            engine = replace(engine, kept=self.known.arenas)
        if self.config.stays_open:  # a place has checked them
            self.known.tried.update(night.decisions().added)
        job = job_of(league, absence, queue, self.known.tried)
        with asking_models(league, night, engine, job, ledger.pause, self.known.replied) as (asking, expected):
            return await side_by_side(asking.play(expected), ledger, self.steward.watch(queue))
