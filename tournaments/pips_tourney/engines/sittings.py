"""Matches that share processes, and bots' shares of an arena's tables."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from typing import Final

from pips_tourney.arena.roster import MOST_ALIVE
from pips_tourney.engines.doubts import Doubts
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.secret import Secret

SHARE: Final = 3
"""A bot sits at no more than this part of an arena's tables, if enough others play."""
FIRST_DEALS: Final = 6
"""Deals that give a bot its first rating."""
LAST_LENGTHS: Final = 9
USUAL_LENGTHS: Final = 99
"""The last matches of one bot, and of all, from which the next length is guessed."""


@dataclass(eq=False, slots=True)
class Sitting:
    """Matches that few processes play, in the order of play."""

    contest: str
    name: tuple[int, ...]
    """The turn; if bots are many, the rotation and the sides too."""
    first: bool = False
    """Whether somebody waits for a first rating from it."""
    fixtures: deque[Fixture] = field(default_factory=deque)
    bots: set[str] = field(default_factory=set)
    """The bots that play."""

    @property
    def turn(self) -> int:
        return self.name[0]

    def add(self, fixture: Fixture) -> None:
        """Add a match at the end."""
        self.fixtures.append(fixture)
        self.bots.update(fixture.seating)


class Sittings:
    """All that was read of a night and is not given out.

    Its matches are played turn by turn: all of one turn have the same rotation, if
    rotations are kept `apart`.
    """

    def __init__(self, secret: Secret, *, apart: bool) -> None:
        self._secret, self._apart = secret, apart
        self.every: list[Sitting] = []
        """Those emptied in this turn are there too."""
        self.turn = -1
        """What is played now; -1 before the first."""
        self.first: set[str] = set()
        """Deals from which somebody waits for a first rating."""
        self._many: set[str] = set()
        """Contests of more bots than an arena keeps alive."""
        self._number_of: dict[str, int] = {}
        """By bot, its place in an order that is drawn."""

    @property
    def is_empty(self) -> bool:
        return not any(sitting.fixtures for sitting in self.every)

    @property
    def others_wait(self) -> bool:
        """Whether there are matches of other turns."""
        return any(sitting.fixtures and sitting.turn != self.turn for sitting in self.every)

    def of_turn(self) -> list[Sitting]:
        return [sitting for sitting in self.every if sitting.turn == self.turn]

    def turns_of(self, fixture: Fixture) -> int:
        """How many turns the deal of a match is played in."""
        return fixture.contest.matches_a_deal if self._apart else 1

    def turn_of(self, fixture: Fixture) -> int:
        return fixture.rotation if self.turns_of(fixture) > 1 else 0

    def turn_over(self, last: Collection[Fixture], begun: Collection[str], length: Callable[[Fixture], float]) -> bool:
        """Begin the next turn; return whether there is one.

        It begins with what deals that were `begun` lack of it, long matches before
        short ones, so that none is left alone at the end. The first turn of all is
        what most of them lack, as a newcomer may end any run early. The `last` matches
        are given out elsewhere, and have a turn when all others are over.
        """
        self.every = [sitting for sitting in self.every if sitting.fixtures]
        turns = {sitting.turn for sitting in self.every} or {*map(self.turn_of, last)}
        if turns:
            lack = Counter(
                sitting.turn for sitting in self.every for fixture in sitting.fixtures if fixture.block in begun
            )
            self.turn = min(turns, key=lambda turn: (turn <= self.turn, self.turn < 0 and -lack[turn], turn))
            for sitting in self.of_turn():
                lacking = [fixture for fixture in sitting.fixtures if fixture.block in begun]
                new = [fixture for fixture in sitting.fixtures if fixture.block not in begun]
                sitting.fixtures = deque([*sorted(lacking, key=length, reverse=True), *new])
        return bool(turns)

    def keep(self, is_kept: Callable[[Fixture], bool]) -> None:
        """Leave out all other matches."""
        for sitting in self.every:
            sitting.fixtures = deque(filter(is_kept, sitting.fixtures))

    def put(self, fixtures: Sequence[Fixture]) -> None:
        """Put matches at the end of their sittings, in order.

        If bots are many, no sitting has more than `MOST_ALIVE` processes. Who shares
        them is drawn: nobody is late for a name.
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
            key = (label, tuple(name), fixture.block in self.first)
            if key not in known:
                known[key] = Sitting(*key)
                self.every.append(known[key])
            known[key].add(fixture)

    def too_many(self, fixtures: Sequence[Fixture]) -> int:
        """How many processes matches of one contest need in all turns.

        0 if an arena keeps those of each turn alive.
        """
        processes: defaultdict[int, set[tuple[str, int, int]]] = defaultdict(set)
        for fixture in fixtures:
            processes[self.turn_of(fixture)].update((bot, fixture.rotation, fixture.times) for bot in fixture.seating)
        numbers = [*map(len, processes.values())]
        return sum(numbers) if max(numbers, default=0) > MOST_ALIVE else 0


class FirstDeals:
    """What every bot of a contest plays before the bulk of its matches."""

    def __init__(self) -> None:
        self._dealt: Counter[tuple[str, str]] = Counter()
        self.some_have_theirs = False
        """Whether others of the last matches chosen from had their first rating."""

    def choose(self, read: Sequence[Fixture], missing: Sequence[Fixture]) -> set[str]:
        """Return the deals of those `missing` that bots still need for a first rating.

        `read` has the missing ones, and those with a result.
        """
        self._count(read, {fixture.block for fixture in missing})
        players = {(fixture.contest.label, bot) for fixture in missing for bot in fixture.combination}
        self.some_have_theirs = any(self._dealt[bot] >= FIRST_DEALS for bot in players)
        first: set[str] = set()
        for fixture in missing:
            bots = [(fixture.contest.label, bot) for bot in fixture.combination]
            if fixture.block not in first and any(self._dealt[bot] < FIRST_DEALS for bot in bots):
                first.add(fixture.block)
                self._dealt.update(bots)
        return first

    def _count(self, read: Sequence[Fixture], missing: Collection[str]) -> None:
        """Count the deals that were played in full."""
        for fixture in {fixture.block: fixture for fixture in read if fixture.block not in missing}.values():
            self._dealt.update((fixture.contest.label, bot) for bot in fixture.combination)


class TableShares:
    """The sitting at each arena's tables: as many as were ever taken at once."""

    waiting: list[Fixture]
    """Matches whose turn came while a bot sat at its share of the tables."""
    _seated: defaultdict[Hashable, dict[str, Sequence[str]]]
    _most: Counter[Hashable]

    def __init__(self) -> None:
        self.waiting, self._seated, self._most = [], defaultdict(dict), Counter()

    def begin(self, fixture: Fixture, arena: Hashable) -> None:
        """Seat the bots of a match."""
        self._seated[arena][fixture.match_id] = fixture.seating
        self._most[arena] = max(self._most[arena], len(self._seated[arena]))

    def end(self, fixture: Fixture) -> None:
        """A match is over, or void."""
        for matches in self._seated.values():
            matches.pop(fixture.match_id, None)

    def take(self, may_begin: Callable[[Fixture], bool]) -> Fixture | None:
        """Take the first match that waits and may begin."""
        for at, fixture in enumerate(self.waiting):
            if may_begin(fixture):
                return self.waiting.pop(at)
        return None

    def untried(self, doubts: Doubts, turns: int) -> set[str]:
        """Return who sits at as many tables as there are faults that take them out.

        Every match without a fault earns a table more. So a bot that loops is out
        before it holds up many. Before its first result there are fewer: its deals'
        other `turns` bring the rest of the faults.
        """
        if (most := doubts.most) is None:
            return set()
        seated = Counter(bot for here in self._seated.values() for seating in here.values() for bot in seating)
        first = ceil(most / turns)
        return {
            bot
            for bot, tables in seated.items()
            if doubts.faults[bot] < most
            and tables + doubts.faults[bot] - doubts.clean[bot] >= (most if doubts.clean[bot] else first)
        }

    def full(self, arena: Hashable, bots: int) -> set[str]:
        """Return who may sit at no further table; `bots` play.

        A bot whose answers are slow then holds up no more than its share. If few others
        play, they cannot fill the rest, and each sits where it may.
        """
        here, most = self._seated[arena].values(), self._most[arena]
        if len(here) == most or bots <= SHARE * max(map(len, here), default=0):
            return set()
        seated = Counter(bot for seating in here for bot in seating)
        return {bot for bot, tables in seated.items() if SHARE * tables >= most}


class MatchLengths:
    """How long bots' matches took of late, in seconds."""

    def __init__(self) -> None:
        self._begun: dict[str, float] = {}
        self._last: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=LAST_LENGTHS))
        self._of_all: deque[float] = deque(maxlen=USUAL_LENGTHS)

    def begin(self, fixture: Fixture, now: float) -> None:
        """A match begins."""
        self._begun[fixture.match_id] = now

    def end(self, fixture: Fixture, now: float) -> None:
        """A match was played to its end."""
        if (begun := self._begun.pop(fixture.match_id, None)) is not None:
            self._of_all.append(now - begun)
            for bot in fixture.seating:
                self._last[bot].append(now - begun)

    def beyond(self, fixture: Fixture) -> float:
        """Return how much longer than usual a match is expected to take."""
        of_bots = [median(self._last[bot]) for bot in fixture.seating if bot in self._last]
        return max(0.0, max(of_bots) - median(self._of_all)) if of_bots else 0.0
