"""Play a night: from a league file and a database to all missing results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final

from pips_referee.loop import fast_loop
from pips_tourney.night.log.kinds import ENDED, TIME_UP, VOID
from pips_tourney.night.night import KnownFaults, Night, NightDigest
from pips_tourney.night.plan.fixtures import most_matches
from pips_tourney.night.proof.ending import end_entry, time_entry
from pips_tourney.night.table.season import season_standings
from pips_tourney.night.table.standings import standings
from pips_tourney.play.begin import Beginning, opened
from pips_tourney.play.evening import NightOutcome, RunConfig, Watcher
from pips_tourney.play.session import Known, RunSession
from pips_tourney.play.signals import raising_on_signals, until
from pips_tourney.play.steward import Steward
from pips_tourney.sandbox.tiers import Finding

TRIED_S: Final = 600.0
"""How long the test of a sandbox is valid, in seconds."""
TELLING_MATCHES: Final = 100_000
"""A run with this many matches or more says that it is counting them."""


def run_night(config: RunConfig, watcher: Watcher) -> NightOutcome:
    """Play the matches without a result in the database.

    Raises the errors of league, secret, store and engine.
    """
    with opened(config) as begins:
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            ended = runner.run(NightRunner(begins, watcher).play())
        if not begins.league.file.season:
            return ended
        return replace(ended, season=season_standings(config.database))


@dataclass
class NightRunner:
    """A run, which starts a new session after each of the director's decisions."""

    begins: Beginning
    watcher: Watcher
    played_now: int = 0
    spoilt: tuple[str, ...] = ()
    known: Known = field(default_factory=Known)
    find: Finding | None = field(init=False)
    """Finds a tested fence; the search has begun already."""
    _tried_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._try_out()

    def _try_out(self) -> None:
        self.find, self._tried_s = self.begins.league.sandbox_begun(), monotonic()

    async def play(self) -> NightOutcome:
        """Play until all is played, the time is up, or a signal comes."""
        with raising_on_signals() as arm:
            async with self.known.arenas:
                return await self._play_on(arm)

    async def _play_on(self, arm: Callable[[], None]) -> NightOutcome:
        config, store, tell = self.begins.config, self.begins.store, self.watcher.told
        steward = Steward(store, config.minutes)
        while True:
            arm()
            steward.begin()
            night, league = self.begins.begin(tell)
            if (many := most_matches(night.programme)) >= TELLING_MATCHES:
                tell(f"Counting the matches of this night: up to {many:,}. That takes a while.")
            faulted: list[KnownFaults] = []
            paused = night.decisions().paused
            counted = night.count(faulted)
            if paused is None or counted[0] == counted[1]:
                session = RunSession(config, night, league, steward, self.watcher, self.known, faulted)
                interrupted = await self._in(session, counted)
            else:
                tell(f"Paused{': ' if paused else ''}{paused}. Waiting for: pips-tourney resume {store.path}")
                await self.known.arenas.close()
                interrupted = await until(asyncio.create_task(steward.wait()))
            redealt = steward.is_redealt(self.played_now)
            if steward.in_vain:
                tell(steward.in_vain)
            if config.stays_open and not (interrupted or redealt):
                interrupted = await until(asyncio.create_task(steward.wait()))
            if interrupted or not (steward.look() or redealt) or not steward.in_time:
                return self._end(night, interrupted=interrupted, time_is_up=not steward.in_time)
            if monotonic() > self._tried_s + TRIED_S:
                self._try_out()

    async def _in(self, session: RunSession, counted: tuple[int, int]) -> bool:
        """Play a session. Return whether a signal ended it."""
        aside, self.begins.aside = self.begins.aside, None
        interrupted = await session.play(counted, self.find, aside)
        self.played_now += session.played
        self.spoilt = session.spoilt
        return interrupted

    def _end(self, night: Night, *, interrupted: bool, time_is_up: bool) -> NightOutcome:
        config, store = self.begins.config, night.store
        store.check_files()
        whole = NightDigest()
        table, digest = standings(night, whole.add), whole.hexdigest()
        if table.complete and not night.is_ended() and not config.stays_open:
            store.append(ENDED, end_entry(night, table, digest))
        elif time_is_up and (minutes := config.minutes) and not (table.complete or interrupted):
            store.append(TIME_UP, time_entry(night, table, minutes))
        limited = config.minutes is not None and not self.spoilt
        reasons = {entry.payload["match"]: entry.payload["why"] for entry in store.log(VOID)} if self.spoilt else {}
        spoilt = {match: reasons[match] for match in self.spoilt}
        return NightOutcome(table, digest, self.played_now, interrupted, spoilt, limited, head=store.head())
