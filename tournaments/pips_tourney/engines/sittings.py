"""Matches that share processes, and bots' shares of an arena's tables."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from typing import Final

from pips_tourney.arena.roster import MOST_ALIVE
from pips_tourney.engines.doubts import Doubts
from pips_tourney.engines.shift import ShiftTime
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.result import FEWEST_DEALS
from pips_tourney.secret import Secret

SHARE: Final = 3
"""A bot takes at most 1/`SHARE` of an arena's tables, if enough others play."""
FIRST_OPPONENTS: Final = 3
"""How many rated bots newcomers meet in first deals; each has to be started."""
MOST_WINDOWS: Final = 1 + FEWEST_DEALS // FIRST_OPPONENTS
"""How many windows are read so that so few opponents suffice."""


@dataclass(eq=False, slots=True)
class Sitting:
    """Matches that need only a few processes, in the order of play."""

    contest: str
    name: tuple[int, ...]
    """The turn; with many bots, also the rotation and the groups of bots."""
    first: int = 0
    """Not 0 if a bot waits for its first rating from this sitting.

    The bot's matches have two halves, 1 and 2, for two arenas with different opponents.
    """
    fixtures: deque[Fixture] = field(default_factory=deque)
    bots: set[str] = field(default_factory=set)
    """The bots of its matches."""

    @property
    def turn(self) -> int:
        return self.name[0]

    def add(self, fixture: Fixture) -> None:
        """Append a match."""
        self.fixtures.append(fixture)
        self.bots.update(fixture.seating)


class Sittings:
    """All matches of a night that were read and not given out yet.

    They are played turn by turn. If rotations are kept `apart`, all matches of a turn
    have the same rotation.
    """

    def __init__(self, secret: Secret, *, apart: bool) -> None:
        self._secret, self._apart = secret, apart
        self.every: list[Sitting] = []
        """All sittings, including those that became empty in the current turn."""
        self.turn = -1
        """The current turn; -1 before the first."""
        self.is_for_first = False
        """Whether nothing but first deals is played now."""
        self.waits_for_first = apart
        """Whether first deals may have turns of their own."""
        self.first: set[str] = set()
        """Deals from which a bot waits for its first rating."""
        self._many: set[str] = set()
        """Contests with more bots than an arena keeps alive."""
        self._number_of: dict[str, int] = {}
        """By bot, its index in a random order."""

    @property
    def is_empty(self) -> bool:
        return not any(sitting.fixtures for sitting in self.every)

    @property
    def bots(self) -> int:
        """How many bots have had a match so far."""
        return len(self._number_of)

    @property
    def others_wait(self) -> bool:
        """Whether there are matches that are not of this turn."""
        return any(sitting.fixtures and not self._is_now(sitting) for sitting in self.every)

    def of_turn(self) -> list[Sitting]:
        return [*filter(self._is_now, self.every)]

    def _is_now(self, sitting: Sitting) -> bool:
        return sitting.turn == self.turn and (sitting.first > 0 or not self.is_for_first)

    def turns_of(self, fixture: Fixture) -> int:
        """In how many turns the deal of a match is played."""
        return fixture.contest.matches_a_deal if self._apart else 1

    def turn_of(self, fixture: Fixture) -> int:
        return fixture.rotation if self.turns_of(fixture) > 1 else 0

    def turn_over(self, last: Collection[Fixture], begun: Collection[str], length: Callable[[Fixture], float]) -> bool:
        """Begin the next turn; return whether there is one.

        If some bots wait for a first rating, it has only their deals. It begins with
        the matches that deals already `begun` lack, longest first, so that no long
        match is left alone at the end. The first turn of a run is the one that most
        begun deals lack, because a newcomer may end any run early. The `last` matches
        are given out elsewhere; their turns come when there are no others.
        """
        self.every = [sitting for sitting in self.every if sitting.fixtures]
        self.is_for_first = self.waits_for_first and any(sitting.first for sitting in self.every)
        open_now = [sitting for sitting in self.every if sitting.first or not self.is_for_first]
        turns = {sitting.turn for sitting in open_now} or {*map(self.turn_of, last)}
        if turns:
            lack = Counter(
                sitting.turn for sitting in open_now for fixture in sitting.fixtures if fixture.block in begun
            )
            self.turn = min(turns, key=lambda turn: (turn <= self.turn, self.turn < 0 and -lack[turn], turn))
            for sitting in self.of_turn():
                lacking = [fixture for fixture in sitting.fixtures if fixture.block in begun]
                new = [fixture for fixture in sitting.fixtures if fixture.block not in begun]
                sitting.fixtures = deque([*sorted(lacking, key=length, reverse=True), *new])
        return bool(turns)

    def keep(self, is_kept: Callable[[Fixture], bool]) -> None:
        """Remove all matches except those that `is_kept` accepts."""
        for sitting in self.every:
            sitting.fixtures = deque(filter(is_kept, sitting.fixtures))

    def put(self, fixtures: Sequence[Fixture]) -> None:
        """Append matches to their sittings, in order.

        With many bots, no sitting has more than `MOST_ALIVE` processes. Which bots
        share a sitting is drawn, so that a bot's name never makes it late.
        """
        new = {bot for fixture in fixtures for bot in fixture.seating}.difference(self._number_of)
        for bot in sorted(new, key=self._secret.play_order):
            self._number_of[bot] = len(self._number_of)
        if self.too_many(fixtures):
            self._many.add(fixtures[0].contest.label)
        known = {(sitting.contest, sitting.name, sitting.first): sitting for sitting in self.every}
        for fixture in fixtures:
            label, name, side = fixture.contest.label, [self.turn_of(fixture)], MOST_ALIVE // len(fixture.seating)
            if label in self._many:
                name += (fixture.rotation, *sorted({self._number_of[bot] // side for bot in fixture.seating}))
            half = 1 + sum(self._number_of[bot] for bot in fixture.seating) % 2
            key = (label, tuple(name), half if fixture.block in self.first else 0)
            if key not in known:
                known[key] = Sitting(*key)
                self.every.append(known[key])
            known[key].add(fixture)

    def too_many(self, fixtures: Sequence[Fixture]) -> int:
        """How many processes the matches of one contest need in all turns.

        0 if an arena can keep the processes of each turn alive.
        """
        processes: defaultdict[int, set[tuple[str, int, int]]] = defaultdict(set)
        for fixture in fixtures:
            processes[self.turn_of(fixture)].update((bot, fixture.rotation, fixture.times) for bot in fixture.seating)
        numbers = [*map(len, processes.values())]
        return sum(numbers) if max(numbers, default=0) > MOST_ALIVE else 0


class FirstDeals:
    """The deals that every bot of a contest plays before the bulk of its matches."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret
        self._dealt: Counter[tuple[str, str]] = Counter()
        self.some_have_theirs = False
        """Whether some bots in the latest selection had their first rating already."""

    def count(self, stored: Sequence[Fixture], missing: Sequence[Fixture]) -> None:
        """Count the deals of which matches are `stored` and none is `missing`."""
        lacking = {fixture.block for fixture in missing}
        for fixture in {fixture.block: fixture for fixture in stored if fixture.block not in lacking}.values():
            self._dealt.update((fixture.contest.label, bot) for bot in fixture.combination)

    def choose(self, missing: Sequence[Fixture]) -> set[str]:
        """Return the deals among `missing` that bots still need for a first rating.

        Few rated opponents are drawn, and more are taken if needed.
        """
        spared = self._spared(missing)
        first, self._dealt = self._given(missing, spared)
        if spared:
            more, self._dealt = self._given([fixture for fixture in missing if fixture.block not in first], ())
            first |= more
        return first

    def suffice(self, missing: Sequence[Fixture]) -> bool:
        """Return whether few rated opponents give every newcomer enough deals."""
        _, dealt = self._given(missing, self._spared(missing))
        enough = all(dealt[bot] >= FEWEST_DEALS for bot in _players(missing))
        return bool(missing) and (enough or not self.some_have_theirs)

    def _spared(self, missing: Sequence[Fixture]) -> list[tuple[str, str]]:
        """Rated bots that are not drawn as opponents of those without a rating."""
        rated = [bot for bot in _players(missing) if self._dealt[bot] >= FEWEST_DEALS]
        self.some_have_theirs = bool(rated)
        return sorted(rated, key=lambda bot: self._secret.play_order(f"{len(rated)} {bot[1]}"))[FIRST_OPPONENTS:]

    def _given(
        self, missing: Sequence[Fixture], spared: Collection[tuple[str, str]]
    ) -> tuple[set[str], Counter[tuple[str, str]]]:
        """Return deals without `spared` bots until all have enough, and all counts."""
        first, dealt = set[str](), self._dealt.copy()
        for fixture in missing:
            bots = {(fixture.contest.label, bot) for bot in fixture.combination}
            lacks = fixture.block not in first and any(dealt[bot] < FEWEST_DEALS for bot in bots)
            if lacks and bots.isdisjoint(spared):
                first.add(fixture.block)
                dealt.update(bots)
        return first, dealt


def _players(fixtures: Sequence[Fixture]) -> list[tuple[str, str]]:
    """By contest, the bots of these matches."""
    return [*dict.fromkeys((fixture.contest.label, bot) for fixture in fixtures for bot in fixture.combination)]


class TableShares:
    """The bots at each arena's tables, and the most tables occupied at once."""

    _waiting: defaultdict[str, deque[Fixture]]
    """By a bot that had no table left, the matches that were put off for it."""
    _seated: defaultdict[Hashable, dict[str, Fixture]]
    """By arena and id, the matches that are played."""
    _most: Counter[Hashable]

    def __init__(self, sittings: Sittings, time: ShiftTime) -> None:
        self._waiting, self._seated, self._most = defaultdict(deque), defaultdict(dict), Counter()
        self._sittings, self._time = sittings, time

    def begin(self, fixture: Fixture, arena: Hashable) -> None:
        """Seat the bots of a match."""
        self._seated[arena][fixture.match_id] = fixture
        self._most[arena] = max(self._most[arena], len(self._seated[arena]))

    def end(self, fixture: Fixture) -> None:
        """Record that a match is over, or void."""
        for matches in self._seated.values():
            matches.pop(fixture.match_id, None)

    @property
    def waiting(self) -> int:
        """How many matches were put off."""
        return sum(map(len, self._waiting.values()))

    @property
    def every(self) -> list[Fixture]:
        """The matches that were put off."""
        return [*chain(*self._waiting.values())]

    def put(self, fixture: Fixture, full: Collection[str]) -> None:
        """Put off a match, for one of its bots that is `full` if there is any."""
        self._waiting[max(fixture.seating, key=full.__contains__)].append(fixture)

    def keep(self, is_kept: Callable[[Fixture], bool]) -> list[Fixture]:
        """Remove and return all matches that were put off but `is_kept` accepts."""
        removed = [fixture for fixture in self.every if not is_kept(fixture)]
        for bot, fixtures in self._waiting.items():
            self._waiting[bot] = deque(filter(is_kept, fixtures))
        return removed

    def take(self, full: Collection[str], is_late: Callable[[Fixture], bool]) -> Fixture | None:
        """Take a match that was put off and may begin now; None if there is none."""
        for bot in [bot for bot, fixtures in self._waiting.items() if fixtures and bot not in full]:
            fixtures = self._waiting[bot]
            for _ in range(len(fixtures)):
                fixture = fixtures.popleft()
                if any(map(full.__contains__, fixture.seating)):
                    self.put(fixture, full)
                elif is_late(fixture):
                    fixtures.appendleft(fixture)
                    break
                else:
                    return fixture
        return None

    def untried(self, doubts: Doubts) -> set[str]:
        """Return bots at so many tables that faults at all would withdraw the bot.

        Every match without a fault earns another table. So a bot that hangs is
        withdrawn before it delays many matches. Before its first result it gets fewer
        tables, because each can bring a fault in every turn of its deal.
        """
        if (most := doubts.most) is None:
            return set()
        faults = Counter[str]()
        """By bot, the most faults that the matches at the tables can bring."""
        for here in self._seated.values():
            for fixture in here.values():
                turns = self._sittings.turns_of(fixture)
                faults.update({bot: 1 if doubts.clean[bot] else turns for bot in fixture.seating})
        return {
            bot
            for bot, count in faults.items()
            if doubts.faults[bot] < most <= count + doubts.faults[bot] - doubts.clean[bot]
        }

    def full(self, arena: Hashable, *, is_shared: bool) -> set[str]:
        """Return the bots that may take no further table.

        So a slow bot delays no more than its share of the tables, if they are shared.
        If too few others play to fill the rest, there is no limit.
        """
        here = self._seated[arena].values()
        if self._sittings.bots <= SHARE * max((len(fixture.seating) for fixture in here), default=0):
            return set()
        share = self._most[arena] / SHARE if is_shared and len(here) < self._most[arena] else inf
        if share == inf and not self._time.is_limited:
            return set()
        seated = Counter(bot for fixture in here for bot in fixture.seating)
        return {bot for bot, tables in seated.items() if tables >= min(share, self._time.tables(bot))}
