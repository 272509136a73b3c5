"""The matches still to be played, in order, one window of the schedule at a time.

Reading by windows keeps memory use constant. The order within a window is drawn from
the secret, so that a bot cannot tell which tables play the same deal.

The queue plays in shifts. In a shift all arenas play the same rotation, each of
different deals; this is the shift's turn. Then their processes end, and fresh ones play
the next rotation. So processes that play two rotations of a deal never live at the same
time. A shift first plays its rotation of those deals that have begun. Then it begins
new deals, for `shift_s` divided by the number of rotations.

A window is divided into sittings: matches that need only a few processes. Arenas take
separate sittings as long as there are enough. A window has a whole deal of all bots,
so that their first opponents are drawn from all. If more bots play than an arena keeps
alive, a window is longer, and its sittings have fewer bots. If only some bots wait for
their first rating, a shift plays nothing but their deals. Late in a shift, a bot whose
matches take long begins none. While a shift waits for long matches, others play on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from time import monotonic
from typing import Final

from pips_referee.service.tokens import OrganiserDoor
from pips_tourney.engines.doubts import Doubts
from pips_tourney.engines.schedule import LONGEST_WINDOW, WINDOW, Schedule
from pips_tourney.engines.shift import ShiftTime
from pips_tourney.engines.sittings import MOST_WINDOWS, SHARE, FirstDeals, Sitting, Sittings, TableShares
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.follower import Follower
from pips_tourney.night.plan.stages import Gate
from pips_tourney.secret import Secret

AHEAD: Final = 1024
"""The most matches of a shift that are read to find a separate sitting for an arena."""
WORTH_HELP_S: Final = 1.0
"""An arena helps another only if more time than this is left, as bots start slowly."""
REPORTED_VOIDS: Final = 3
"""A match that was void this often is reported."""
MOST_VOIDS: Final = 10
"""After this many voids a match is not tried again in this run."""


class MatchQueue:
    """The queue; `stored` finds matches with a result, `lookout` those that need none.

    A shift lasts about `shift_s` seconds of play. None: rotations are not kept apart.
    """

    is_away: Callable[[Fixture], bool]
    """Whether a bot of the match is on another machine and not connected."""
    given_up: list[Fixture]
    """Matches that were void too often to be tried again."""
    under_way: dict[str, Fixture]
    """By id, the matches taken and not yet returned."""
    time: ShiftTime
    referees: set[OrganiserDoor]
    """The referees on this machine that are playing this night."""
    _schedule: Schedule
    _sittings: Sittings
    """Matches that were read and not given out yet."""
    _at: dict[Hashable, Sitting]
    """By arena, its current or last sitting of this shift."""
    _begun: set[str]
    """Deals with a match that was given out or has a result, and another that waits."""
    _missed: list[Fixture]
    """Matches whose turn came while a bot was away."""
    _shares: TableShares
    """The tables at which bots sit, and matches that wait for a bot to leave some."""
    _first: FirstDeals
    doubts: Doubts
    """Matches of bots that faults may have withdrawn."""

    def __init__(
        self,
        items: Iterator[Fixture | Gate],
        stored: Callable[[Sequence[str]], set[str]],
        secret: Secret,
        lookout: Follower | None = None,
        *,
        shift_s: float | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._schedule, self._stored, self._secret = Schedule(items, lookout), stored, secret
        self._lookout = lookout
        self.time = ShiftTime(shift_s, clock)
        self._shift, self._is_idle = 0, True
        self._sittings = Sittings(secret, apart=shift_s is not None)
        self._missed, self._shares, self._first = [], TableShares(self._sittings, self.time), FirstDeals(secret)
        self._at = {}
        self._voids: Counter[str] = Counter()
        self.doubts = Doubts(apart=shift_s is not None)
        self._awaited: set[str] = set()
        self._begun = set()
        self._news = asyncio.Event()
        self._finishing = self._closed = False
        self.is_away = lambda _: False
        self.given_up, self.under_way, self.referees = [], {}, set()

    def take(self, arena: Hashable = 0) -> Fixture | None:
        """Return the next match for that arena; None if there is none now.

        A void match may come back later, and results may open more matches.
        """
        while not self._closed and (fixture := self._playable(arena)) is not None:
            if not self._drops(fixture):
                self._is_idle = False
                self.time.begin(fixture, is_new=fixture.block not in self._begun)
                self._begun.add(fixture.block)
                self.under_way[fixture.match_id] = fixture
                self._shares.begin(fixture, arena)
                self._awaited.add(fixture.match_id)
                return fixture
        return None

    async def more(self) -> bool:
        """Wait until another `take` may succeed; return False if this shift is over."""
        at_gate = self._schedule.gate is not None and not self._finishing
        waits = at_gate or self.doubts.waiting or self._shares.waiting or self._sittings.is_for_first
        opens = self._awaited and waits
        if self._closed or not (opens or self._missed):
            return False
        await self._news.wait()
        return True

    async def begin(self, shift: int) -> bool:
        """Begin that shift, if it has not begun; return False if nothing is left.

        All bots' processes of the previous shift have ended by then.
        """
        while self._shift < shift:
            if self._closed:
                return False
            if self._choose_turn():
                self._shift = shift
            elif not await self.more():
                return False
        return True

    def _choose_turn(self) -> bool:
        """Choose what the next shift plays; return whether anything is left."""
        self._sittings.put([*self._shares.keep(lambda _: False), *self._missed])
        self._missed.clear()
        self._at.clear()
        self.time.turn_over()
        while self._sittings.is_empty and not self._finishing and self._fill_window():
            pass  # all matches of that window have a result, or need none
        self._is_idle = True
        self.doubts.waiting = [fixture for fixture in self.doubts.waiting if not self._drops(fixture)]
        return self._sittings.turn_over(self.doubts.waiting, self._begun, self.time.lengths.beyond)

    def finish(self) -> None:
        """From now on give out only matches that complete deals already begun."""
        self._finishing = True
        self._sittings.keep(lambda fixture: fixture.block in self._begun or bool(self._voids[fixture.match_id]))
        self._shares.keep(lambda fixture: fixture.block in self._begun)
        for waiting in (self._missed, self.doubts.waiting):
            waiting[:] = [fixture for fixture in waiting if fixture.block in self._begun]
        self._over(())

    def close(self) -> None:
        """Give out no more matches."""
        self._closed = True
        self._over(())

    @property
    def is_for_first(self) -> bool:
        """Whether first deals are played, or no turn has begun."""
        return self._sittings.turn < 0 or self._sittings.is_for_first

    @property
    def is_closed(self) -> bool:
        return self._closed

    def stir(self) -> None:
        """Wake all who wait for a match: a bot has connected, or a table is free."""
        self._over(())

    def are_stored(self, matches: Iterable[str]) -> None:
        """Record that these matches have a result now."""
        self._over(matches)

    async def settled(self) -> None:
        """Wait until all matches given out are stored or have been given up."""
        while self._awaited:
            await self._news.wait()

    def _over(self, matches: Iterable[str]) -> None:
        for match in matches:
            self._awaited.discard(match)
            self.doubts.are_stored(match)
        self._news.set()
        self._news = asyncio.Event()

    def _playable(self, arena: Hashable) -> Fixture | None:
        """Return the shift's next match whose bots are connected.

        A match with an absent bot waits until the bot is back. If no other match is
        left or under way before the next gate, it is given out anyway, and forfeited.
        """
        for at, fixture in enumerate(self._missed):
            if not self.is_away(fixture):
                return self._missed.pop(at)
        sitting = self._at.get(arena)
        if sitting is not None and (proof := self._proof(sitting)) is not None:
            return proof
        untried = self._shares.untried(self.doubts)
        full = untried | self._shares.full(arena, is_shared=not self._sittings.is_for_first)
        few_play = bool(untried) or self._sittings.bots - len(full) < SHARE
        while (following := self._shares.take(full, self._is_late) or self._next(arena)) is not None:
            if self._waits(following):
                if self.doubts.is_proving and len(self.doubts.waiting) >= LONGEST_WINDOW:
                    break
                continue
            if full.isdisjoint(following.seating) and not self._is_late(following):
                return following
            self._shares.put(following, full)
            if self._shares.waiting >= (WINDOW if few_play else LONGEST_WINDOW):
                break
        if self._is_over():
            self._sittings.put(self._shares.keep(lambda fixture: fixture.block in self._begun))
        full = untried
        if self._sittings.others_wait:
            full |= self._shares.full(arena, is_shared=False)
        while (following := self._shares.take(full, self._is_late)) is not None:
            if not self._waits(following):
                return following
        late = self._proof(None)
        return self._missed.pop(0) if late is None and self._missed and not self.under_way else late

    def _waits(self, fixture: Fixture) -> bool:
        """Put off a match if a bot is away, or if faults may have withdrawn it."""
        if self.doubts.concern(fixture):
            self.doubts.put(fixture)
        elif self.is_away(fixture):
            self._missed.append(fixture)
        else:
            return False
        return True

    def _proof(self, sitting: Sitting | None) -> Fixture | None:
        """Return a match that may prove a withdrawal, for the processes of a sitting.

        With None, for any processes, because nothing else is left to play.
        """
        turn_of, turn = self._sittings.turn_of, self._sittings.turn

        def is_possible(fixture: Fixture) -> bool:
            fits = sitting is None or sitting.name in ((turn,), (turn, fixture.rotation, *sitting.name[2:]))
            is_now = turn_of(fixture) == turn
            return is_now and fits and not ((self.under_way or self._missed) and self.is_away(fixture))

        if sitting is None:
            self.doubts.waiting = [fixture for fixture in self.doubts.waiting if not self._drops(fixture)]
        anyway = sitting is None and self._is_idle and not self._awaited
        return self.doubts.take(is_possible, anyway=anyway)

    def _next(self, arena: Hashable) -> Fixture | None:
        if self._sittings.turn < 0 and not self._choose_turn():
            return None
        at = self._at.get(arena)
        if at is None or not self._is_open(at):
            at = self._sit_down(arena)
            if at is None:
                return None
            self._at[arena] = at
        return at.fixtures.popleft()

    def _sit_down(self, arena: Hashable) -> Sitting | None:
        """Return a free sitting for an arena's processes, or one to help with."""
        others = {id(at) for other, at in self._at.items() if other != arena}
        while True:
            opened = [sitting for sitting in self._sittings.of_turn() if self._is_open(sitting)]
            free = [sitting for sitting in opened if id(sitting) not in others]
            if not free and self._sittings.is_for_first and self.time.is_slow:  # newcomers hold up nobody
                self._sittings.is_for_first = self._sittings.waits_for_first = False
                self.time.turn_over()
                continue
            if free:
                last = self._at.get(arena)
                return min(free, key=lambda sitting: (not sitting.first, last is None or sitting.name != last.name))
            left = sum(len(sitting.fixtures) for sitting in opened)
            if left >= AHEAD or self._finishing or self._is_over() or not self._fill_window():
                longest = max(opened, key=lambda sitting: len(sitting.fixtures), default=None)
                return longest if longest is not None and (left >= AHEAD or self._is_worth_help(longest)) else None

    def _is_open(self, sitting: Sitting) -> bool:
        """Return whether its next match may be given out in this shift."""
        fixtures = sitting.fixtures
        return bool(fixtures) and (fixtures[0].block in self._begun or sitting.first > 0 or not self._is_over())

    def _is_over(self) -> bool:
        """Return whether this shift begins no more deals, because others wait."""
        return (self._sittings.is_for_first or self.time.is_up) and self._sittings.others_wait

    def _is_late(self, fixture: Fixture) -> bool:
        """Return whether a new deal would delay the end of this shift."""
        if fixture.block in self._begun or self.is_for_first:
            return False
        return self.time.would_delay(fixture) and self._sittings.others_wait

    def _is_worth_help(self, sitting: Sitting) -> bool:
        if self._sittings.is_for_first:
            return False  # it would start all their bots again
        return self.time.seconds_for(len(sitting.fixtures)) > WORTH_HELP_S

    def _fill_window(self) -> bool:
        """Read on in the schedule; return whether there was anything to read.

        It reads a window, or several of a contest to find newcomers' first deals with
        few opponents.
        """
        missing, stored, read = list[Fixture](), set[str](), 0
        self._begun &= self._open_deals()
        while ahead := self._schedule.window(self._sittings.too_many):
            read += 1
            here = self._stored([fixture.match_id for fixture in ahead])
            lacking = [fixture for fixture in ahead if fixture.match_id not in here and not self._drops(fixture)]
            self._begun.update(fixture.block for fixture in ahead if fixture.match_id in here)
            self._first.count([fixture for fixture in ahead if fixture.match_id in here], lacking)
            stored |= here
            missing += lacking
            if read == MOST_WINDOWS or self._schedule.is_between_contests or self._first.suffice(missing):
                break
        if not read:
            return False
        soonest = self.doubts.number(missing)
        missing.sort(key=lambda fixture: (fixture.match_id not in soonest, self._secret.play_order(fixture.match_id)))
        missing.sort(key=lambda fixture: fixture.block not in self._begun)
        first = self._first.choose(missing)
        if stored or self._first.some_have_theirs or self._sittings.too_many(missing):
            self._sittings.first |= first
        missing.sort(key=lambda fixture: fixture.block not in first)
        self._sittings.put(missing)
        return True

    def _drops(self, fixture: Fixture) -> bool:
        return self._lookout is not None and self._lookout.drops(fixture)

    def _open_deals(self) -> set[str]:
        """The deals that still have matches to be given out or under way."""
        waiting = chain(
            *(sitting.fixtures for sitting in self._sittings.every),
            self._missed, self._shares.every, self.doubts.waiting, self.under_way.values(),
        )  # fmt: skip
        return {fixture.block for fixture in waiting}

    def played(self, fixture: Fixture, faulted: Iterable[str] = ()) -> None:
        """Record that a match was played to its end, and which bots had a fault."""
        if self.doubts.add(fixture, [*faulted]):
            self._sittings.put(self.doubts.release())
        self.time.end(fixture)
        self._ends(fixture)
        if any(self.doubts.concern(fixture)):
            self._put_last()
        if self._shares.waiting:
            self.stir()

    def _put_last(self) -> None:
        """Put off all matches read so far that have a bot in doubt."""
        late = self._shares.keep(lambda fixture: not self.doubts.concern(fixture))
        for sitting in self._sittings.every:
            late += [fixture for fixture in sitting.fixtures if self.doubts.concern(fixture)]
        self._sittings.keep(lambda fixture: not self.doubts.concern(fixture))
        for fixture in late:
            self.doubts.put(fixture)

    def _ends(self, fixture: Fixture) -> None:
        self.time.forget(fixture)
        self.under_way.pop(fixture.match_id, None)
        self._shares.end(fixture)

    def put_back(self, fixture: Fixture) -> None:
        """Take back a void match; it is given out again later, up to `MOST_VOIDS`."""
        self._ends(fixture)
        self._voids[fixture.match_id] += 1
        if self._voids[fixture.match_id] >= MOST_VOIDS:
            self.given_up.append(fixture)
        else:
            self._sittings.put([fixture])
        self._over([fixture.match_id])

    def set_aside(self, fixture: Fixture) -> None:
        """Record that a match was not begun, or returns with a fresh deal.

        Either way it is played in the run's next part.
        """
        self._ends(fixture)
        self._over([fixture.match_id])

    def spoilt(self) -> list[str]:
        """Return the matches that were void often enough to be reported."""
        return sorted(match for match, times in self._voids.items() if times >= REPORTED_VOIDS)
