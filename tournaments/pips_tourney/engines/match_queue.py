"""The matches still to be played, in order, one window of the schedule at a time.

Reading by windows keeps memory use flat. The order within a window is drawn from the
secret. So a bot cannot tell which tables play one deal. A window falls into sittings,
which are played in turn; first those from which newcomers get a first rating. A sitting
has the matches of few processes. Several arenas sit apart: each has its own rotation
while there is one. So a process need not be started in every arena. If more bots play
than an arena keeps alive, a window is longer, and its sittings have fewer bots.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from time import monotonic
from typing import Final

from pips_referee.service.tokens import OrganiserDoor
from pips_tourney.arena.roster import MOST_ALIVE
from pips_tourney.engines.doubts import Doubts
from pips_tourney.engines.sittings import FirstDeals, Sitting, TableShares
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.follower import Follower
from pips_tourney.night.plan.stages import Gate
from pips_tourney.secret import Secret

WINDOW: Final = 256
MATCHES_A_PROCESS: Final = 100
"""Matches per process in a window: enough to make process starts cheap."""
LONGEST_WINDOW: Final = 16_384
WORTH_HELP_S: Final = 1.0
"""An arena helps another if more time than this is left: bots start that slowly."""
REPORTED_VOIDS: Final = 3
"""A match that the machine has spoilt this often is reported."""
MOST_VOIDS: Final = 10
"""After this many voids a match is not tried again this time."""


class MatchQueue:
    """The queue; `stored` finds matches with a result, `lookout` those that need none.

    If arenas sit `apart`, each has to play its sitting to the end. The next window is
    read once each sitting of this one has its arena. An arena with nothing to do has
    done its part when little is left.
    """

    is_away: Callable[[Fixture], bool]
    """Whether a match's bot is on another machine and not connected."""
    given_up: list[Fixture]
    """Matches that were void too often to be tried again."""
    under_way: dict[str, Fixture]
    """By id, the matches taken and not yet back."""
    referees: set[OrganiserDoor]
    """The referees on this machine that play this night now."""
    _held: Fixture | None
    """Read, but of the next contest."""
    _gate: Gate | None
    """The gate at which the schedule perhaps cannot be read further yet."""
    _sittings: list[Sitting]
    """The rest of the window, and of the next if that was begun."""
    _at: dict[int, Sitting]
    """By arena, its current or last sitting."""
    _begun: set[str]
    """Deals with a match that was given out or has a result, and one that waits."""
    _missed: list[Fixture]
    """Matches whose turn came while a bot was away."""
    _shares: TableShares
    """The tables that bots sit at, and matches that wait for a bot to sit at fewer."""
    _first: FirstDeals
    doubts: Doubts
    """Matches of bots that faults may have taken out."""

    def __init__(
        self,
        items: Iterator[Fixture | Gate],
        stored: Callable[[Sequence[str]], set[str]],
        secret: Secret,
        lookout: Follower | None = None,
        *,
        apart: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._items, self._stored, self._secret = items, stored, secret
        self._lookout = lookout
        self._apart, self._clock = apart, clock
        self._held = self._gate = None
        self._began_s = 0.0
        self._played = 0
        self._sittings, self._missed, self._shares, self._first = [], [], TableShares(), FirstDeals()
        self._at = {}
        self._voids: Counter[str] = Counter()
        self.doubts = Doubts()
        self._awaited: set[str] = set()
        self._begun = set()
        self._news = asyncio.Event()
        self._finishing = self._closed = False
        self.is_away = lambda _: False
        self.given_up, self.under_way, self.referees = [], {}, set()

    def take(self, arena: int = 0) -> Fixture | None:
        """Return the next match for that arena; None if there is none now.

        A void match may come back later, and results may open more matches.
        """
        while not self._closed and (fixture := self._playable(arena)) is not None:
            if not self._drops(fixture):
                self._began_s = self._began_s or self._clock()
                self._begun.add(fixture.block)
                self.under_way[fixture.match_id] = fixture
                self._shares.begin(fixture, arena)
                self._awaited.add(fixture.match_id)
                return fixture
        return None

    def leave(self, arena: int) -> None:
        """Release an arena that is gone: any arena may play the rest of its sitting."""
        self._at.pop(arena, None)

    async def more(self) -> bool:
        """Wait until another `take` may succeed; return False if nothing will come."""
        waits_at_gate = self._gate is not None and self._awaited and not self._finishing
        if self._closed or not (waits_at_gate or self._missed or self.doubts.waiting):
            return False
        await self._news.wait()
        return True

    def finish(self) -> None:
        """Give out only what completes deals that were begun."""
        self._finishing = True
        for sitting in self._sittings:
            left = sitting.fixtures
            sitting.fixtures = deque(
                fixture for fixture in left if fixture.block in self._begun or self._voids[fixture.match_id]
            )
        self._sittings = [sitting for sitting in self._sittings if sitting.fixtures]
        for waiting in (self._missed, self.doubts.waiting, self._shares.waiting):
            waiting[:] = [fixture for fixture in waiting if fixture.block in self._begun]
        self._over(())

    def close(self) -> None:
        """Give out nothing more."""
        self._closed = True
        self._over(())

    @property
    def is_closed(self) -> bool:
        return self._closed

    def stir(self) -> None:
        """Wake all who wait for a match, because a bot has connected."""
        self._over(())

    def are_stored(self, matches: Iterable[str]) -> None:
        """Note that these matches have a result now."""
        self._over(matches)

    async def settled(self) -> None:
        """Wait until all that was given out is stored, or came to nothing."""
        while self._awaited:
            await self._news.wait()

    def _over(self, matches: Iterable[str]) -> None:
        for match in matches:
            self._awaited.discard(match)
            self.doubts.are_stored(match)
        self._news.set()
        self._news = asyncio.Event()

    def _playable(self, arena: int) -> Fixture | None:
        """Return the next match whose bots are here.

        A match that misses a bot waits until the bot is back. It is given out anyway,
        and forfeited, when nothing else is left or under way before the next gate.
        """
        for at, fixture in enumerate(self._missed):
            if not self.is_away(fixture):
                return self._missed.pop(at)
        waiting, sitting = self._shares.waiting, self._at.get(arena)
        if sitting is not None and (proof := self._proof(sitting)) is not None:
            return proof
        untried = self._shares.untried(self.doubts.faults, self.doubts.most)
        full = untried if sitting is None else untried | self._shares.full(arena, sitting.bots)
        while (following := self._shares.take(full) or self._next(arena)) is not None:
            if self._waits(following):
                continue
            if full.isdisjoint(following.seating):
                return following
            waiting.append(following)
            if len(waiting) >= (WINDOW if untried else LONGEST_WINDOW):
                break
        while (following := self._shares.take(untried)) is not None:
            if not self._waits(following):
                return following
        late = self._proof(None)
        return self._missed.pop(0) if late is None and self._missed and not self.under_way else late

    def _waits(self, fixture: Fixture) -> bool:
        """Put a match off if faults may have taken a bot of it out, or one is away."""
        if self.doubts.concern(fixture):
            self.doubts.waiting.append(fixture)
        elif self.is_away(fixture):
            self._missed.append(fixture)
        else:
            return False
        return True

    def _proof(self, sitting: Sitting | None) -> Fixture | None:
        """Return a match that may prove a withdrawal, for the processes of a sitting.

        None: for any, as nothing else is left to play.
        """

        def is_possible(fixture: Fixture) -> bool:
            fits = sitting is None or not sitting.name or sitting.name[0] == fixture.rotation
            return fits and not ((self.under_way or self._missed) and self.is_away(fixture))

        if sitting is None:
            self.doubts.waiting = [fixture for fixture in self.doubts.waiting if not self._drops(fixture)]
        return self.doubts.take(is_possible, anyway=sitting is None and not self._awaited)

    def _next(self, arena: int) -> Fixture | None:
        while not self._sittings:
            if self._finishing or not self._fill_window():
                return None
        at = self._at.get(arena)
        if at is None or not at.fixtures:
            at = self._sit_down(arena, at)
            if at is None:
                return None
            self._at[arena] = at
        fixture = at.fixtures.popleft()
        if not at.fixtures:
            self._sittings = [other for other in self._sittings if other.fixtures]
        return fixture

    def _sit_down(self, arena: int, last: Sitting | None) -> Sitting | None:
        """Return a free sitting for an arena's processes, or one to help with.

        An arena helps at once if it has the processes.
        """
        others = {id(at) for other, at in self._at.items() if other != arena}
        while not (free := [sitting for sitting in self._sittings if id(sitting) not in others]):
            left = sum(len(sitting.fixtures) for sitting in self._sittings)
            if not self._apart or self._finishing or left >= WINDOW or not self._fill_window():
                longest = max(self._sittings, key=lambda sitting: (sitting.shares(last), len(sitting.fixtures)))
                return longest if longest.shares(last) or self._is_worth_help(longest) else None
        name = (arena,) if last is None else last.name
        return min(free, key=lambda sitting: (not sitting.first, sitting.name != name, sitting.name[:1] != name[:1]))

    def _is_worth_help(self, sitting: Sitting) -> bool:
        if not self._apart or not self._played:
            return True
        return len(sitting.fixtures) * (self._clock() - self._began_s) / self._played > WORTH_HELP_S

    def _fill_window(self) -> bool:
        """Read on in the schedule; return whether there was anything to read."""
        ahead: list[Fixture] = []
        self._read(ahead, WINDOW)
        if not ahead:
            return False
        if (processes := len(_processes(ahead))) > MOST_ALIVE:
            self._read(ahead, min(MATCHES_A_PROCESS * processes, LONGEST_WINDOW))
        if over := len(ahead) % ahead[0].contest.matches_a_deal:  # no deal is cut in two
            self._read(ahead, len(ahead) + ahead[0].contest.matches_a_deal - over)
        stored = self._stored([fixture.match_id for fixture in ahead])
        missing = [fixture for fixture in ahead if fixture.match_id not in stored and not self._drops(fixture)]
        self._begun &= self._open_deals()
        self._begun.update(fixture.block for fixture in ahead if fixture.match_id in stored)
        self.doubts.number(missing)
        missing.sort(key=lambda fixture: self._secret.play_order(fixture.match_id))
        first, rest = self._first.split(ahead, missing)
        if len(_processes(missing)) > MOST_ALIVE:
            self._sittings += _sittings(first, self._secret, apart=self._apart, first=True)
        else:
            rest = first + rest
        self._sittings += _sittings(rest, self._secret, apart=self._apart)
        return True

    def _drops(self, fixture: Fixture) -> bool:
        return self._lookout is not None and self._lookout.drops(fixture)

    def _open_deals(self) -> set[str]:
        """The deals of which a match may still be given out."""
        waiting = chain(
            *(sitting.fixtures for sitting in self._sittings),
            self._missed, self._shares.waiting, self.doubts.waiting, self.under_way.values(),
        )  # fmt: skip
        return {fixture.block for fixture in waiting}

    def played(self, fixture: Fixture, faulted: Iterable[str] = ()) -> None:
        """Note that a match was played to its end, and by which bots with a fault."""
        self._played += 1
        self.doubts.add(fixture, faulted := [*faulted])
        self._shares.clean.update({*fixture.seating}.difference(faulted))
        self._is_over(fixture)
        if any(self.doubts.concern(fixture)):
            self._put_last()

    def _put_last(self) -> None:
        """Put off all matches that were read and have a bot with enough faults."""
        for waiting in (self._shares.waiting, *(sitting.fixtures for sitting in self._sittings)):
            late = [fixture for fixture in waiting if self.doubts.concern(fixture)]
            self.doubts.waiting += late
            for fixture in late:
                waiting.remove(fixture)
        self._sittings = [sitting for sitting in self._sittings if sitting.fixtures]

    def _is_over(self, fixture: Fixture) -> None:
        self.under_way.pop(fixture.match_id, None)
        self._shares.end(fixture)

    def _read(self, ahead: list[Fixture], length: int) -> None:
        """Read one contest's matches up to a gate, so that bots keep their tables."""
        while len(ahead) < length:
            item = self._held or self._next_item(closed=bool(ahead))
            self._held = None
            if item is None:
                return
            if ahead and ahead[0].contest != item.contest:
                self._held = item
                return
            ahead.append(item)

    def _next_item(self, *, closed: bool) -> Fixture | None:
        """Return the next match of the schedule, or None.

        It is None at the end, and at a gate that is `closed` or whose time has not
        come. The schedule is read on past one look at the table that is still ahead,
        but not past two.
        """
        while True:
            if self._gate is not None and self._lookout is not None:
                if closed or self._lookout.gates() > (self._gate.look is not None):
                    return None
                self._gate = None
            item = next(self._items, None)
            if item is not None and self._lookout is not None:
                self._lookout.expect(item)
            if not isinstance(item, Gate):
                return item
            self._gate = item

    def put_back(self, fixture: Fixture) -> None:
        """Take back a void match: it comes again later, up to a limit."""
        self._is_over(fixture)
        self._voids[fixture.match_id] += 1
        if self._voids[fixture.match_id] >= MOST_VOIDS:
            self.given_up.append(fixture)
        elif self._sittings:
            self._sittings[-1].fixtures.append(fixture)
        else:
            self._sittings.append(Sitting(fixture.contest.label, (fixture.rotation,), deque([fixture])))
        self._over([fixture.match_id])

    def set_aside(self, fixture: Fixture) -> None:
        """Note that a void match comes back on a fresh deal, in the run's next part."""
        self._is_over(fixture)
        self._over([fixture.match_id])

    def spoilt(self) -> list[str]:
        """Return the matches that were void often enough to be reported."""
        return sorted(match for match, times in self._voids.items() if times >= REPORTED_VOIDS)


def _sittings(fixtures: Sequence[Fixture], secret: Secret, *, apart: bool, first: bool = False) -> list[Sitting]:
    """Split the matches into sittings, and keep their order.

    They are split by rotation if arenas sit apart. No sitting has more than
    `MOST_ALIVE` processes. Who shares them is drawn: nobody is late for a name.
    """
    many = len(_processes(fixtures)) > MOST_ALIVE
    bots = sorted({bot for fixture in fixtures for bot in fixture.seating}, key=secret.play_order)
    side = MOST_ALIVE // max((len(fixture.seating) for fixture in fixtures), default=1)
    side_of = {bot: number // side for number, bot in enumerate(bots)}
    sittings: defaultdict[tuple[int, ...], deque[Fixture]] = defaultdict(deque)
    for fixture in fixtures:
        sides = sorted({side_of[bot] for bot in fixture.seating}) if many else ()
        sittings[(fixture.rotation, *sides) if many or apart else ()].append(fixture)
    return [Sitting(fixtures[0].contest.label, name, sittings[name], first) for name in sorted(sittings)]


def _processes(fixtures: Sequence[Fixture]) -> set[tuple[str, int, int]]:
    """The processes of one contest's matches, each as what tells it from the others."""
    return {(bot, fixture.rotation, fixture.times) for fixture in fixtures for bot in fixture.seating}
