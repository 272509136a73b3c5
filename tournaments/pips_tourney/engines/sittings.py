"""Matches that share processes, and bots' shares of an arena's tables."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from pips_tourney.night.plan.fixtures import Fixture

SHARE: Final = 3
"""A bot sits at no more than this part of an arena's tables, if enough others play."""
FIRST_DEALS: Final = 6
"""Deals, with opponents as they are drawn, that give a bot its first rating."""


@dataclass(eq=False, slots=True)
class Sitting:
    """Matches that few processes play, in the order of play.

    Sittings of the same name in a contest share their processes.
    """

    contest: str
    name: tuple[int, ...]
    """The rotation if arenas sit apart or bots are many; if many, the sides too."""
    fixtures: deque[Fixture]
    first: bool = False
    """Whether somebody waits for a first rating from it."""
    bots: int = field(init=False)

    def __post_init__(self) -> None:
        """Count who plays."""
        self.bots = len({bot for fixture in self.fixtures for bot in fixture.seating})

    def shares(self, other: Sitting | None) -> bool:
        """Whether it has the same processes."""
        return other is not None and (self.contest, self.name) == (other.contest, other.name)


class FirstDeals:
    """What every bot of a contest plays before the bulk of its matches."""

    def __init__(self) -> None:
        self._dealt: Counter[tuple[str, str]] = Counter()

    def split(self, read: Sequence[Fixture], missing: Sequence[Fixture]) -> tuple[list[Fixture], list[Fixture]]:
        """Split the deals that bots still need for a first rating off those `missing`.

        `read` has the missing ones, and those with a result. Orders are kept.
        """
        self._count(read, {fixture.block for fixture in missing})
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

    _seated: defaultdict[int, dict[str, Sequence[str]]]
    _most: Counter[int]

    def __init__(self) -> None:
        self.waiting, self.clean, self._seated, self._most = [], Counter(), defaultdict(dict), Counter()

    def begin(self, fixture: Fixture, arena: int) -> None:
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

    def full(self, arena: int, bots: int) -> set[str]:
        """Return who may sit at no further table; `bots` play.

        A bot whose answers are slow then holds up no more than its share. If few others
        play, they cannot fill the rest, and each sits where it may.
        """
        here, most = self._seated[arena].values(), self._most[arena]
        if len(here) == most or bots <= SHARE * max(map(len, here), default=0):
            return set()
        seated = Counter(bot for seating in here for bot in seating)
        return {bot for bot, tables in seated.items() if SHARE * tables >= most}
