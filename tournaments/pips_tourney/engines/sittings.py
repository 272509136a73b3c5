"""Matches that share processes, and bots' shares of an arena's tables."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pips_tourney.arena.roster import MOST_ALIVE
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.secret import Secret

SHARE: Final = 3
"""A bot sits at no more than this part of an arena's tables, if enough others play."""
FIRST_DEALS: Final = 6
"""Deals, with opponents as they are drawn, that give a bot its first rating."""


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

    def turn_over(self, last: Collection[Fixture], begun: Collection[str]) -> bool:
        """Begin the next turn; return whether there is one.

        It begins with what deals that were `begun` lack of it. The first turn of all is
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
                sitting.fixtures = deque(sorted(sitting.fixtures, key=lambda fixture: fixture.block not in begun))
        return bool(turns)

    def keep(self, is_kept: Callable[[Fixture], bool]) -> None:
        """Leave out all other matches."""
        for sitting in self.every:
            sitting.fixtures = deque(filter(is_kept, sitting.fixtures))

    def put(self, fixtures: Sequence[Fixture], *, first: bool = False, is_many: bool = False) -> None:
        """Put matches at the end of their sittings, in order.

        If bots are many, no sitting has more than `MOST_ALIVE` processes. Who shares
        them is drawn: nobody is late for a name.
        """
        bots = sorted({bot for fixture in fixtures for bot in fixture.seating}, key=self._secret.play_order)
        side = MOST_ALIVE // max((len(fixture.seating) for fixture in fixtures), default=1)
        side_of = {bot: number // side for number, bot in enumerate(bots)}
        known = {(sitting.contest, sitting.name, sitting.first): sitting for sitting in self.every}
        for fixture in fixtures:
            sides = (fixture.rotation, *sorted({side_of[bot] for bot in fixture.seating})) if is_many else ()
            key = (fixture.contest.label, (self.turn_of(fixture), *sides), first)
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
        """Whether others of the matches split last had their first rating."""

    def split(self, read: Sequence[Fixture], missing: Sequence[Fixture]) -> tuple[list[Fixture], list[Fixture]]:
        """Split the deals that bots still need for a first rating off those `missing`.

        `read` has the missing ones, and those with a result. Orders are kept.
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
        parts: tuple[list[Fixture], list[Fixture]] = ([], [])
        for fixture in missing:
            parts[fixture.block not in first].append(fixture)
        return parts

    def _count(self, read: Sequence[Fixture], missing: Collection[str]) -> None:
        """Count the deals that were played in full."""
        for fixture in {fixture.block: fixture for fixture in read if fixture.block not in missing}.values():
            self._dealt.update((fixture.contest.label, bot) for bot in fixture.combination)


class TableShares:
    """The sitting at each arena's tables: as many as were ever taken at once."""

    waiting: list[Fixture]
    """Matches whose turn came while a bot sat at its share of the tables."""
    clean: Counter[str]
    """By bot, its matches without a fault of its own."""

    _seated: defaultdict[Hashable, dict[str, Sequence[str]]]
    _most: Counter[Hashable]

    def __init__(self) -> None:
        self.waiting, self.clean, self._seated, self._most = [], Counter(), defaultdict(dict), Counter()

    def begin(self, fixture: Fixture, arena: Hashable) -> None:
        """Seat the bots of a match."""
        self._seated[arena][fixture.match_id] = fixture.seating
        self._most[arena] = max(self._most[arena], len(self._seated[arena]))

    def end(self, fixture: Fixture) -> None:
        """A match is over, or void."""
        for matches in self._seated.values():
            matches.pop(fixture.match_id, None)

    def take(self, full: set[str]) -> Fixture | None:
        """Take the first match that waits and has no bot that is full."""
        for at, fixture in enumerate(self.waiting):
            if full.isdisjoint(fixture.seating):
                return self.waiting.pop(at)
        return None

    def untried(self, faults: Counter[str], most: int | None) -> set[str]:
        """Return who sits at as many tables as there are faults that take them out.

        Every match without a fault earns a table more. So a bot that loops is out
        before it holds up many.
        """
        if most is None:
            return set()
        seated = Counter(bot for here in self._seated.values() for seating in here.values() for bot in seating)
        return {bot for bot, tables in seated.items() if faults[bot] < most <= tables + faults[bot] - self.clean[bot]}

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
