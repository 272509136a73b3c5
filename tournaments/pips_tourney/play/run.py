"""Play a night: from a league file and a database to the results that were missing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pips_referee.loop import fast_loop
from pips_tourney.arena.leftovers import clear_leftovers
from pips_tourney.arena.refusals import MOST_REFUSALS, MOST_STARTS, Refusals
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import Engine, Job
from pips_tourney.engines.choice import make_engine
from pips_tourney.engines.local import LocalEngine
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.league import League
from pips_tourney.league.mistakes import LeagueError, Mistake
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin, changes, is_untouched
from pips_tourney.night.log.commitment import PLEDGE, drop_pledge
from pips_tourney.night.log.earlier_nights import move_aside
from pips_tourney.night.log.handed_in import HandedIn, note_handed_in
from pips_tourney.night.log.kinds import ENDED, REFUSED, ROUND
from pips_tourney.night.log.store import Store, open_store
from pips_tourney.night.night import Night, NightDigest, nights
from pips_tourney.night.plan.fixtures import most_matches
from pips_tourney.night.plan.follower import Follower
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Entrant, Programme
from pips_tourney.night.plan.stages import Gate
from pips_tourney.night.proof.promise import announced, promised
from pips_tourney.play.asking import asking_models
from pips_tourney.play.estimate import pace_note
from pips_tourney.play.evening import Announcement, LeagueChanged, NightOutcome, RunConfig, Watcher
from pips_tourney.play.ledger import Ledger, side_by_side
from pips_tourney.play.notes import notes, refused
from pips_tourney.play.signals import raising_on_signals, until
from pips_tourney.play.steward import Steward, leave_out, note_broken, note_unfenced
from pips_tourney.sandbox.bubblewrap import find_bubblewrap
from pips_tourney.sandbox.tiers import NO_SANDBOX, Finding, Sandbox
from pips_tourney.secret import Secret, read_secret
from pips_tourney.system import NO_CLOCK, is_linux, own_cores

TELLING_MATCHES: Final = 100_000
"""From this number of results on, the run says that it is counting them."""


def run_night(config: RunConfig, watcher: Watcher) -> NightOutcome:
    """Play what the database lacks.

    Raises the errors of league, secret, store and engine.
    """
    with opened(config, watcher) as evening:
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            ended = runner.run(evening.play())
        if not evening.league.file.season:
            return ended
        from pips_tourney.night.table.season import season_standings

        return replace(ended, season=season_standings(config.database))


@contextmanager
def opened(config: RunConfig, watcher: Watcher) -> Iterator[NightRunner]:
    """A run whose league is read, and whose database is open.

    Raises the errors of league, secret and store.
    """
    league = read_league(config.league)
    _check_hosting(config, league)
    given = None if config.secret_file is None else read_secret(config.secret_file)
    aside = _make_room(config, league, given)
    find = league.sandbox_begun()
    with open_store(config.database) as store:
        yield NightRunner(config, league, store, given, watcher, aside, find)


def _check_hosting(config: RunConfig, league: League) -> None:
    remote = [bot.name for bot in league.file.bots if bot.remote]
    if remote and config.hosting is None:
        told = f"{', '.join(remote)} play from other machines: play the night with `pips-tourney serve`"
        raise LeagueError(league.path, [Mistake("bots", told)])


def _make_room(config: RunConfig, league: League, given: Secret | None) -> Path | None:
    """Move the last night away if another is to be played; returns where to."""
    exists = config.database.exists()
    if not league.file.season:
        return move_aside(config.database) if exists and config.new else None
    from pips_tourney.night.table.season import check_unused, is_over

    another = exists and (config.new or (not config.go_on and is_over(config.database)))
    if given is not None:
        check_unused(given, config.database, another=another)
    return move_aside(config.database) if another else None


@dataclass
class NightRunner:
    """A run, which begins anew whenever the director has decided something."""

    config: RunConfig
    league: League
    store: Store
    given: Secret | None
    watcher: Watcher
    aside: Path | None
    find: Finding
    """What tries the sandbox out; the first has begun to."""
    played_now: int = 0
    spoilt: tuple[str, ...] = ()
    hinted: set[str] = field(default_factory=set)
    """Hints on bots that were told."""
    replied: set[str] = field(default_factory=set)
    """Bots whose language model has replied once in this run."""
    entrants: dict[str, Entrant] = field(default_factory=dict)
    """The entrants as they were when the run began.

    An author who hands in another version meanwhile does not end the night.
    """

    async def play(self) -> NightOutcome:
        """Play until nothing is left, or the time is up, or a signal comes."""
        with raising_on_signals() as arm:
            return await self._play_on(arm)

    async def _play_on(self, arm: Callable[[], None]) -> NightOutcome:
        steward = Steward(self.store, self.config.minutes)
        while True:
            arm()
            steward.begin()
            night, league = self._begin()
            paused, counted = night.decisions().paused, night.count()
            if paused is None or counted[0] == counted[1]:
                interrupted = await self._session(night, league, steward, counted)
            else:
                self.watcher.told(
                    f"Paused{': ' if paused else ''}{paused}. Waiting for: pips-tourney resume {self.store.path}"
                )
                interrupted = await until(asyncio.create_task(steward.wait()))
            redealt = steward.is_redealt(self.played_now)
            if steward.in_vain:
                self.watcher.told(steward.in_vain)
            if self.config.stays_open and not (interrupted or redealt):
                interrupted = await until(asyncio.create_task(steward.wait()))
            if interrupted or not (steward.look() or redealt) or not steward.in_time:
                return self._end(night, interrupted=interrupted, time_is_up=not steward.in_time)
            self.find = find_bubblewrap  # hours may have passed since the first was begun

    def _begin(self) -> tuple[Night, League]:
        begun = nights(self.store)
        added = Night(self.store, begun[-1], Secret(b"")).decisions().added if begun else {}
        league = self.league.joined_by(added.values()).installed().with_contents()
        programme = make_programme(league)
        if (many := most_matches(programme)) >= TELLING_MATCHES:
            self.watcher.told(f"Counting the matches of this night: up to {many:,}. That takes a while.")
        for entrant in programme.entrants:
            if self.entrants.setdefault(entrant.name, entrant) != entrant:
                self.watcher.told(
                    f"{entrant.name} has changed since this run began: its matches count under what it was"
                )
        entrants = tuple(self.entrants[entrant.name] for entrant in programme.entrants)
        night = _begin(self.store, replace(programme, entrants=entrants), self.given, self.config, added)
        note_broken(night, league.broken)
        if any(bot.sample is None for bot in league.file.bots):  # of samples alone there is nothing to tell
            note_handed_in(self.store, _handed_in(league, added))
        _check_hosting(self.config, league)
        return night, league

    async def _session(self, night: Night, league: League, steward: Steward, counted: tuple[int, int]) -> bool:
        """Play what is missing until something is decided.

        `counted` is the night's count. Returns whether a signal ended it.
        """
        programme, (matches, played) = night.programme, counted
        missing = matches - played
        arenas = self._arenas(league)
        is_here = missing and not league.file.scheduler  # workers of a cluster have sandboxes of their own
        sandbox = league.sandbox(_private(self.config), self.find) if is_here else NO_SANDBOX
        if is_here and sandbox.bubblewrap is None:
            note_unfenced(night, league.file)
        lookout = Follower(course := night.course(), self.store.results, self._at_gate)
        items = chain.from_iterable(map(course.items, programme.contests))
        queue = MatchQueue(items, self.store.stored, night.secret, lookout, apart=arenas > 1)
        queue.most_faults = programme.max_faults
        queue.faults.update(() if queue.most_faults is None else night.faulted())
        told = (*announced(self.store), *notes(league, programme, sandbox, clock=missing > 0 and is_linux()))
        told += () if is_linux() else (NO_CLOCK,)
        told += pace_note(programme, missing, arenas * league.file.tables)
        commitment, under_way = night.secret.commitment, queue.under_way.values
        self.watcher.begins(
            Announcement(
                programme, matches, missing, arenas, commitment, self.aside, told,
                lambda: tuple(under_way()), queue.referees, night.count, self.store.fold,
            )
        )  # fmt: skip
        self.aside = None
        for line in clear_leftovers() if missing and is_linux() else ():
            self.watcher.told(line)
        self._tell_left_out(league.broken)
        try:
            if not missing:
                return False
            engine = self._hosted(league, night, queue, self._engine(league, programme, arenas, sandbox))
            return await self._play(night, league, engine, queue, lookout, steward)
        finally:
            self.watcher.ends()
            self.played_now += night.count()[1] - counted[1] if missing else 0
            self.spoilt = tuple(queue.spoilt())

    async def _play(
        self, night: Night, league: League, engine: Engine, queue: MatchQueue, lookout: Follower, steward: Steward
    ) -> bool:
        """Run the engine, the ledger and the steward side by side.

        Returns whether a signal ended them.
        """
        bots = league.file.bots
        optional = [bot.name for bot in bots if bot.optional]
        remote = {bot.name for bot in bots if bot.remote}
        ledger = Ledger(night.store, queue, self.watcher)
        programme, secret = night.programme, night.secret

        def do_without(failures: Sequence[StartFailure]) -> Sequence[StartFailure]:
            left_out = dict(leave_out(night, failures, optional))
            self._tell_left_out(left_out)
            lookout.learn(night.decisions())
            return [failure for failure in failures if ProcessName.parse(failure.process).bot not in left_out]

        def give_up(failure: StartFailure) -> None:
            how = f"{failure.how}, {MOST_STARTS} starts in a row"
            bot = ProcessName.parse(failure.process).bot
            self._tell_left_out(dict(leave_out(night, [failure._replace(how=how)], [bot])))
            lookout.learn(night.decisions())

        job = Job(
            queue=queue,
            order=lambda fixture: fixture.order(secret, programme.clock),
            results=ledger,
            check=[str(name) for name in self._check(night, self._arenas(league)) if name.bot not in remote],
            games={contest.label: contest.game for contest in programme.contests},
            do_without=do_without,
            referees=queue.referees,
            refusals=self._refusals(night, ledger),
            give_up=give_up,
            hinted=self._tell_hint,
            unfenced=lambda: note_unfenced(night, league.file),
        )
        with asking_models(league, night, engine, job, ledger.pause, self.replied) as (asking, known):
            return await side_by_side(asking.play(known), ledger, steward.watch(queue), _load_ratings(ledger))

    def _refusals(self, night: Night, ledger: Ledger) -> Refusals:
        """What the machine has refused each bot; the organiser hears of the last."""

        def tell(bot: str, why: str, times: int) -> None:
            ledger.refused(bot, why)
            if times == MOST_REFUSALS:
                self.watcher.told(refused(bot, why))

        return Refusals(Counter(entry.payload["bot"] for entry in night.store.log(REFUSED)), tell)

    def _arenas(self, league: League) -> int:
        return 1 if self.config.hosting else self.config.arenas or league.file.arenas or len(own_cores())

    def _check(self, night: Night, arenas: int) -> list[ProcessName]:
        """A process of every bot that plays in a contest.

        The engine deals them out to the arenas. Each arena gets the processes of the
        rotation that it begins with.
        """
        decisions, programme = night.decisions(), night.programme
        playing = [
            (entrant.name, contest)
            for contest in programme.contests
            for entrant in programme.players(contest)
            if contest.label not in getattr(decisions.out.get(entrant.name), "deals", ())
        ]
        return [
            ProcessName(bot, contest.label, str(number % arenas % contest.matches_a_deal))
            for number, (bot, contest) in enumerate(playing)
        ]

    def _tell_hint(self, process: str, hint: str) -> None:
        """Once for each bot, whatever it plays and however often the run begins."""
        if (line := f"{ProcessName.parse(process).bot}: {hint}") not in self.hinted:
            self.hinted.add(line)
            self.watcher.told(line)

    def _tell_left_out(self, why: Mapping[str, str]) -> None:
        for bot, reason in why.items():
            self.watcher.told(f"{bot} is left out: {reason}")

    def _engine(self, league: League, programme: Programme, arenas: int, sandbox: Sandbox) -> Engine:
        if is_linux():
            return make_engine(league, programme, arenas, sandbox, self.config.logs)
        from pips_tourney.workshop.here import engine_here

        return engine_here(league, programme)

    def _hosted(self, league: League, night: Night, queue: MatchQueue, engine: Engine) -> Engine:
        """The engine with its host, where bots dial in from other machines."""
        hosting = self.config.hosting
        if hosting is None:
            return engine
        from pips_tourney.remote.host import GuestHost  # most nights have no guests

        assert isinstance(engine, LocalEngine)
        hosting.expect(league, night.programme)
        added = night.decisions().added.keys()

        def is_all_played() -> bool:
            scheduled, played = night.count()
            return scheduled == played and night.decisions().added.keys() == added

        return replace(engine, host=GuestHost(hosting, queue, self.watcher.told, is_all_played))

    def _at_gate(self, gate: Gate) -> None:
        from pips_tourney.reports.tables import gate_lines

        for line in gate_lines(gate):
            self.watcher.told(line)
        for entry in gate.news():
            self.store.append(ROUND, entry)

    def _end(self, night: Night, *, interrupted: bool, time_is_up: bool) -> NightOutcome:
        from pips_tourney.night.log.kinds import TIME_UP
        from pips_tourney.night.proof.ending import end_entry, time_entry
        from pips_tourney.night.table.standings import standings

        self.store.check_files()
        whole = NightDigest()
        table, digest = standings(night, whole.add), whole.hexdigest()
        if table.complete and not night.is_ended() and not self.config.stays_open:
            night.store.append(ENDED, end_entry(night, table, digest))
        elif time_is_up and (minutes := self.config.minutes) and not (table.complete or interrupted):
            night.store.append(TIME_UP, time_entry(night, table, minutes))
        limited = self.config.minutes is not None and not self.spoilt
        return NightOutcome(table, digest, self.played_now, interrupted, self.spoilt, limited, head=self.store.head())


def _handed_in(league: League, added: Mapping[str, Mapping[str, Any]]) -> HandedIn:
    """The bots' paths, and which are samples; bots that were added meanwhile too."""
    late = {name: entry.get("cwd") or (entry.get("command") or [""])[-1] for name, entry in added.items()}
    samples = frozenset(bot.name for bot in league.file.bots if bot.sample is not None)
    return HandedIn({**league.where, **{name: place for name, place in late.items() if place}}, samples)


def _private(config: RunConfig) -> Iterator[Path]:
    """Paths that no bot may read."""
    yield from (Path(f"{config.database}{suffix}") for suffix in ("", "-wal", "-shm", ".lock", PLEDGE))
    yield from config.database.parent.glob(f"{config.database.stem}.*{config.database.suffix}*")  # nights before
    if config.secret_file is not None:
        yield config.secret_file
    if config.logs is not None:
        yield config.logs
    if config.hosting is not None:
        yield config.hosting.people.folder


def _begin(
    store: Store, programme: Programme, given: Secret | None, config: RunConfig, added: Collection[str]
) -> Night:
    begun = nights(store)
    expected = {f"bot {name} is new" for name in added}
    differences = [what for what in changes(begun[-1], programme) if what not in expected] if begun else []
    if differences and not config.go_on and not is_untouched(store):
        raise LeagueChanged(config.database, differences)
    secret, pledge = promised(store, programme, given, config.beacon)
    night = begin(store, programme, secret, pledge)
    if pledge is not None:
        drop_pledge(config.database)
    return night


async def _load_ratings(ledger: Ledger) -> None:
    """Load the modules that rate and show results, while matches are played.

    They take as long to load as the rest of a start.
    """
    await ledger.begun.wait()
    await asyncio.to_thread(import_module, "pips_tourney.reports.tables")
