"""The lobby of a night with bots on other machines.

It tracks which players are connected and whose check passed, decides when the night
begins, and sends players news.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pips.v1 import record_pb2, referee_pb2
from pips_referee.printable import plain
from pips_referee.timing.standstill import patience
from pips_tourney.arena.arena import Arena
from pips_tourney.bots.process_name import guest_name
from pips_tourney.engines import EngineError, PlayedMatch, Results
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.entries import RemoteEntry
from pips_tourney.league.league import League
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.programme import Contest, Programme
from pips_tourney.people.presence import GuestNote, note_guests
from pips_tourney.people.store import People, PeopleError
from pips_tourney.remote.guest_check import problems_of

LOOK_S: Final = 0.2
"""Seconds between two looks at which players are connected, and which are invited."""
NEWS_S: Final = 10.0
"""Seconds between two messages to a player about the progress of the night."""
LEAVE_S: Final = 5.0
"""Seconds to wait for the bots to leave when the night is over."""


@dataclass
class Hosting:
    """The options of `pips-tourney serve`, and the state that lasts for the run."""

    listen: str
    certificate: str
    key: str
    people: People
    when_all_here: bool = False
    begun: bool = False
    """Whether the night has begun."""
    games: Mapping[str, tuple[Contest, ...]] = field(default_factory=dict)
    """By player whose bot is on another machine, the contests that it plays."""
    terms: RemoteEntry = field(default_factory=RemoteEntry)
    clock: Mapping[str, int] = field(default_factory=dict)
    database: Path | None = None
    """The night's database; guests for `pips-tourney status` are listed beside it."""
    roll: Callable[[], list[dict[str, Any]]] = list
    """The players, for pages.

    By player: whether its bot is connected, the result of its check, and its round-trip
    time.
    """

    def shown(self) -> dict[str, Any]:
        """The lobby, for pages."""
        return {"begun": self.begun, "when_all_here": self.when_all_here, "guests": self.roll()}

    def expect(self, league: League, programme: Programme) -> None:
        """Set the expected players, and their contests."""
        remote = {bot.name for bot in league.file.bots if bot.remote}
        self.games = {
            player: tuple(
                contest
                for contest in programme.contests
                if player in {entrant.name for entrant in programme.players(contest)}
            )
            for player in sorted(remote)
        }
        self.terms, self.clock = league.file.remote, programme.clock


@dataclass(slots=True)
class GuestPresence:
    """A player as the lobby sees it."""

    is_here: bool = False
    checked: str | None = None
    """The problem found by its check; "" if it passed, None before its end."""
    checking: bool = False
    played: int = 0
    won: int = 0
    faults: int = 0
    told: str = ""
    rtt_us: int = 0
    since: str = ""
    """When the player came or went, in UTC."""

    def note(self, player: str) -> GuestNote:
        """Return the player's note for others."""
        return GuestNote(player, self.is_here, self.since, self.checked, round(self.rtt_us / 1000))

    def __str__(self) -> str:
        mark = "not checked yet" if self.checked is None else "its check failed" if self.checked else "✓"
        return mark + (f", {self.rtt_us / 1000:.0f} ms away" if self.rtt_us else "")


class WaitingRoom:
    """Looks after the guests of an arena while it plays.

    `say` shows a line to the organiser.
    """

    def __init__(self, arena: Arena, hosting: Hosting, queue: MatchQueue, say: Callable[[str], None]) -> None:
        self._arena, self._hosting, self._queue, self._say = arena, hosting, queue, say
        self._guests = {player: GuestPresence() for player in hosting.games}
        self._known: Mapping[str, str] | None = None
        self._news_at = 0.0
        self._checks: set[asyncio.Task[None]] = set()
        hosting.roll = self.roll
        self._note()
        queue.is_away = self.is_away

    def roll(self) -> list[dict[str, Any]]:
        """See `Hosting.roll`."""
        return [
            {"player": note.player, "here": note.here, "check": note.check, "rtt_ms": note.rtt_ms}
            for note in self._notes()
        ]

    def _notes(self) -> list[GuestNote]:
        return [guest.note(player) for player, guest in self._guests.items()]

    def _note(self) -> None:
        if self._hosting.database is not None:
            note_guests(self._hosting.database, self._notes())

    def is_away(self, fixture: Fixture) -> bool:
        """Whether the match has to wait for a bot."""
        return any(bot in self._guests and not self._guests[bot].is_here for bot in fixture.seating)

    async def keep(self) -> None:
        """Look again and again, until cancelled or the arena is lost."""
        while not self._arena.why_lost:
            self._look_for_invites()
            self._see(await self._arena.listed())
            self._tell_how_far()
            await asyncio.sleep(LOOK_S)

    def _look_for_invites(self) -> None:
        try:
            known = self._hosting.people.invites()
        except PeopleError as error:
            self._say(str(error))
            return
        if known == self._known:
            return
        self._known = known
        terms = self._hosting.terms
        guests = [
            referee_pb2.Guest(
                process=guest_name(player), token_sha256=bytes.fromhex(known[player]), games=_games(contests)
            )
            for player, contests in self._hosting.games.items()
            if player in known
        ]
        invited = referee_pb2.Invited(
            guests=guests, grace_ms=1000 * terms.grace_s, most_rtt_ms=terms.rtt_ms, drops=terms.drops
        )
        self._arena.tell(referee_pb2.RunMatchRequest(invited=invited))
        if missing := [player for player in self._guests if player not in known]:
            self._say(f"Not invited yet: {', '.join(missing)}. See `pips-tourney invite`.")

    def _see(self, listed: Sequence[referee_pb2.ConnectedBot]) -> None:
        here = {bot.process: bot for bot in listed}
        changed = False
        for player, guest in self._guests.items():
            bot = here.get(guest_name(player))
            guest.rtt_us = 0 if bot is None else bot.rtt_us
            if (bot is not None) == guest.is_here:
                continue
            guest.is_here, changed = bot is not None, True
            guest.since = datetime.now(UTC).isoformat(timespec="seconds")
            if bot is None:
                self._say(f"{player} has gone: {self._count()}")
                continue
            self._say(f"{player} is here with {plain(bot.bot_name) or 'a bot'}: {self._count()}")
            if not self._hosting.begun and not guest.checking and guest.checked != "":
                self._check(player, guest, tuple(bot.games))
        if changed:
            self._note()
            self._queue.stir()
            if not self._hosting.begun:
                self._tell_all(f"Waiting for the start: {self._count()}.")

    def _count(self) -> str:
        here = sum(guest.is_here for guest in self._guests.values())
        return f"{here} of {len(self._guests)} are here"

    def _roll(self) -> str:
        """The players that are connected, and those that are not, as text."""
        here = [f"{player} ({guest})" for player, guest in self._guests.items() if guest.is_here]
        away = [player for player, guest in self._guests.items() if not guest.is_here]
        return f"  here: {', '.join(here) or 'nobody'}" + (f"; not here: {', '.join(away)}" if away else "")

    def _check(self, player: str, guest: GuestPresence, plays: Sequence[str]) -> None:
        guest.checking = True
        task = asyncio.create_task(self._play_check(player, guest, plays))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)

    async def _play_check(self, player: str, guest: GuestPresence, plays: Sequence[str]) -> None:
        """Play one match of every contest, the bot against itself; none counts."""
        found = await problems_of(self._arena, player, self._hosting.games[player], self._hosting.clock, plays)
        guest.checking, guest.checked = False, plain("; ".join(found))
        self._note()
        result = f"✗ {guest.checked}" if found else "✓ its check passed"
        self._say(f"{player}: {result}")
        self._say(self._roll())
        self._tell(player, f"The check of your bot: {guest.checked}" if found else "Your bot's check passed.")

    async def begin(self) -> None:
        """Wait until the night is to begin, or the arena is lost.

        In the middle of a night: wait for all to come back, but only for the grace
        period.
        """
        hosting = self._hosting
        if hosting.begun:
            with suppress(TimeoutError):
                async with patience(hosting.terms.grace_s):
                    while not all(guest.is_here for guest in self._guests.values()):  # noqa: ASYNC110 - `keep` looks
                        await asyncio.sleep(LOOK_S)
            return
        ways = []
        if hosting.when_all_here:
            ways.append("when all are here and checked")
        with _enter() as entered:
            if entered is not None:
                ways.append("when you press Enter")
            if not ways:
                raise EngineError("nothing would begin the night: use --start-when-all-here, or Enter in a terminal")
            self._say(f"The lobby is open at {hosting.listen}. The night begins {', or '.join(ways)}.")
            while not (self._is_time() or (entered is not None and entered.is_set())):
                if self._arena.why_lost:
                    return
                await asyncio.sleep(LOOK_S)
        await asyncio.gather(*self._checks)
        hosting.begun = True
        missing = [player for player, guest in self._guests.items() if not guest.is_here]
        without = f" without {', '.join(missing)}" if missing else ""
        self._say(f"The night begins{without}: {self._count()}.")
        self._tell_all("The night begins.")

    def _is_time(self) -> bool:
        ready = all(guest.is_here and guest.checked is not None for guest in self._guests.values())
        return self._hosting.when_all_here and ready

    def hear(self, results: Results, fixture: Fixture, played: PlayedMatch) -> None:
        """Count the guests' results, and pass the match on."""
        results(fixture, played)
        if not played.record:
            return
        outcome = record_pb2.MatchRecord.FromString(played.record).outcome
        faulty = Counter(fault.seat for fault in outcome.faults)
        for seat, bot in enumerate(fixture.seating):
            if (guest := self._guests.get(bot)) is not None:
                guest.played += 1
                guest.won += outcome.places[seat] == 1 and list(outcome.places).count(1) == 1
                guest.faults += faulty[seat]

    def _tell_how_far(self) -> None:
        now = asyncio.get_running_loop().time()
        if not self._hosting.begun or now - self._news_at < NEWS_S:
            return
        self._news_at = now
        for player, guest in self._guests.items():
            line = f"Playing: {self._score(guest)}."
            if guest.played and line != guest.told:
                guest.told = line
                self._tell(player, line)

    @staticmethod
    def _score(guest: GuestPresence) -> str:
        matches = "1 match" if guest.played == 1 else f"{guest.played} matches"
        return f"{matches} so far, {guest.won} won, {guest.faults} lost by a fault"

    async def end(self, *, over: bool) -> None:
        """Tell the guests that no more matches come now.

        If the night is over, wait for the bots to leave.
        """
        if not over:
            self._tell_all("The organiser has stopped the night. It may go on: your bot waits for that.")
            await asyncio.sleep(LOOK_S)  # so that the line is sent before the referee ends
            return
        for player, guest in self._guests.items():
            score = self._score(guest).replace(" so far", "")
            self._tell(player, f"The night is over: {score}. Your organiser has the standings.", over=True)
        with suppress(TimeoutError):
            async with patience(LEAVE_S):
                while not self._arena.why_lost and self._any_guest(await self._arena.listed()):  # noqa: ASYNC110 - asks
                    await asyncio.sleep(LOOK_S)

    def _any_guest(self, listed: Sequence[referee_pb2.ConnectedBot]) -> bool:
        return any(bot.process == guest_name(player) for bot in listed for player in self._guests)

    def _tell_all(self, line: str) -> None:
        for player in self._guests:
            self._tell(player, line)

    def _tell(self, player: str, line: str, *, over: bool = False) -> None:
        news = referee_pb2.News(process=guest_name(player), line=line, over=over)
        self._arena.tell(referee_pb2.RunMatchRequest(news=news))


def _games(contests: Sequence[Contest]) -> list[str]:
    return list(dict.fromkeys(contest.game for contest in contests))


@contextmanager
def _enter() -> Iterator[asyncio.Event | None]:
    """An event that a line on standard input sets; None if no line can come."""
    loop, entered = asyncio.get_running_loop(), asyncio.Event()

    def read() -> None:
        if os.read(sys.stdin.fileno(), 4096):
            entered.set()
        else:
            loop.remove_reader(sys.stdin.fileno())

    try:
        loop.add_reader(sys.stdin.fileno(), read)
    except (OSError, ValueError, NotImplementedError):  # closed, or a file
        yield None
        return
    try:
        yield entered
    finally:
        loop.remove_reader(sys.stdin.fileno())
