"""Swiss and knockout: the next round's tables.

They follow from the standings so far and from the rounds played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from random import Random
from typing import Final

from pips_tourney.schedule.tables import Pairing, distinct, play_deals

STARTS: Final = 12
"""Starting points of the search for a round without rematches."""

Cost = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Round:
    """One round: the bots at each table, and the bots that sit it out."""

    tables: tuple[tuple[str, ...], ...]
    """Bots sorted; the table of the highest-placed bots first."""
    byes: tuple[str, ...]
    advance: tuple[int, ...] = ()
    """In a knockout: how many bots of each table go on."""

    def pairings(self, first_deal: int, deals: int) -> Iterator[Pairing]:
        """The round's matches, deal by deal.

        Each round has deals of its own, so bots that meet again get other cards.
        """
        yield from play_deals(self.tables, deals, first_deal)


def swiss_round(
    points: Mapping[str, float], history: Sequence[Round], seats: int, lots: Mapping[str, bytes] | None = None
) -> Round:
    """The next round of a Swiss tournament.

    Bots with equal points meet, with as few rematches as possible; byes rotate from the
    bottom up. `points` has every bot. Bots with equal points are in the order of their
    `lots`; without lots, in alphabetical order. The caller decides how much a bye is
    worth. Raises ValueError if no table can be filled.
    """
    names = distinct(points, seats)
    ranking = sorted(names, key=lambda bot: (-points[bot], b"" if lots is None else lots[bot]))
    sat_out = Counter(bot for past in history for bot in past.byes)
    order = sorted(ranking, key=lambda bot: (sat_out[bot], -ranking.index(bot)))
    byes = order[: len(ranking) % seats]
    playing = [bot for bot in ranking if bot not in byes]
    met = Counter(pair for past in history for table in past.tables for pair in combinations(table, 2))
    seating = _RoundTables(playing, points, met, seats)
    tables = sorted(seating.best(), key=lambda table: [playing.index(bot) for bot in table])
    return Round(tuple(tuple(sorted(table)) for table in tables), tuple(sorted(byes)))


class _RoundTables:
    """Finds the tables of a round: few rematches first, then small gaps in points."""

    def __init__(self, playing: list[str], points: Mapping[str, float], met: Counter[tuple[str, str]], seats: int):
        self._playing, self._points, self._met, self._seats = playing, points, met, seats

    def best(self) -> list[list[str]]:
        """The best result of several searches, which exchange two bots at a time.

        The first search starts from the ranking itself.
        """
        random = Random(len(self._playing))
        found = []
        for start in range(STARTS):
            # The next start is the ranking with more and more random swaps of
            # neighbours.
            order = sorted(range(len(self._playing)), key=lambda place: place + start * random.random())
            found.append(self._improved([self._playing[place] for place in order]))
        return min(found, key=lambda tables: tables[0])[1]

    def _improved(self, order: list[str]) -> tuple[Cost, list[list[str]]]:
        tables = [order[first : first + self._seats] for first in range(0, len(order), self._seats)]
        costs = [self._cost(table) for table in tables]
        while self._exchanged(tables, costs):
            pass
        ranked = [sorted(table, key=self._playing.index) for table in tables]
        return (sum(rematches for rematches, _ in costs), sum(apart for _, apart in costs)), ranked

    def _exchanged(self, tables: list[list[str]], costs: list[Cost]) -> bool:
        """Make every exchange of two bots that helps, in one pass.

        Return whether any exchange was made.
        """
        helped = False
        for one, other in combinations(range(len(tables)), 2):
            for x, y in product(range(self._seats), repeat=2):
                a, b = tables[one].copy(), tables[other].copy()
                a[x], b[y] = b[y], a[x]
                new = self._cost(a), self._cost(b)
                if _sum(*new) < _sum(costs[one], costs[other]):
                    tables[one], tables[other] = a, b
                    costs[one], costs[other] = new
                    helped = True
        return helped

    def _cost(self, table: Sequence[str]) -> Cost:
        pairs = list(combinations(sorted(table), 2))
        rematches = sum(self._met[pair] ** 2 for pair in pairs)
        return rematches, sum((self._points[a] - self._points[b]) ** 2 for a, b in pairs)


def _sum(a: Cost, b: Cost) -> Cost:
    # Rounded, because otherwise an exchange and its reverse could both seem to help.
    return a[0] + b[0], round(a[1] + b[1], 9)


def knockout_round(alive: Sequence[str], seats: int, advance: int | None = None) -> Round:
    """The next round among the remaining bots, which are in the order of their seeds.

    The best bots meet the last ones, and sit out if not all can play. From each table
    `advance` bots go on, by default half; from the final, one. Raises ValueError if no
    table can be filled.

    Byes in the first rounds reduce the field to a number with which all can play. If
    `advance` does not divide the seats of a full round, no number suits every round,
    and later rounds have byes too.
    """
    distinct(alive, seats)
    through = seats // 2 if advance is None else advance
    if not 1 <= through < seats:
        raise ValueError(f"of a table of {seats}, from 1 to {seats - 1} go on, not {through}")
    if len(alive) == seats:
        return Round((tuple(sorted(alive)),), (), (1,))
    target = seats
    while (larger := target * seats // through) < len(alive):
        target = larger
    out = min(len(alive) - target, len(alive) // seats * (seats - through))
    tables = -(-out // (seats - through))
    playing = alive[len(alive) - tables * seats :]
    rows = [playing[first : first + tables] for first in range(0, len(playing), tables)]
    seated = zip(*(row if at % 2 == 0 else row[::-1] for at, row in enumerate(rows)), strict=True)
    fewer = [seats - through] * (tables - 1) + [out - (tables - 1) * (seats - through)]
    return Round(
        tuple(tuple(sorted(table)) for table in seated),
        tuple(sorted(alive[: len(alive) - len(playing)])),
        tuple(seats - gone for gone in fewer),
    )


def knockout_rounds(bots: int, seats: int, advance: int | None = None) -> int:
    """How many rounds a knockout of this many bots has, whatever the results.

    0 if no table can be filled.
    """
    alive: Sequence[str] = [f"{bot:06}" for bot in range(bots)]
    rounds = 0
    while len(alive) >= seats:
        played = knockout_round(alive, seats, advance)
        alive = survivors(alive, played, dict.fromkeys(alive, 0.0))
        rounds += 1
        if len(played.tables) == 1 and not played.byes and played.advance == (1,):
            break
    return rounds


def survivors(alive: Sequence[str], played: Round, points: Mapping[str, float]) -> tuple[str, ...]:
    """The bots that go on, best seeded first; equal points go by seed."""
    seed = {bot: at for at, bot in enumerate(alive)}
    on = set(played.byes)
    for table, advance in zip(played.tables, played.advance, strict=True):
        on.update(sorted(table, key=lambda bot: (-points[bot], seed[bot]))[:advance])
    return tuple(bot for bot in alive if bot in on)


def by_seed(played: Round, points: Mapping[str, float], on: Collection[str], out: Collection[str]) -> tuple[str, ...]:
    """Those that go on, although one that is out has equal points at their table."""
    return tuple(
        bot
        for table in played.tables
        for bot in table
        if bot in on and any(points[bot] == points[other] for other in table if other in out)
    )
