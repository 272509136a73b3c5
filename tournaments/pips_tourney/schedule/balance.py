"""Which tables to play when there are too many, and in which order.

All bots play equally often, and with one another equally often. Bots are numbers here,
and everything is a pure function of how many there are. The search draws from its own
generator with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from heapq import heappop, heapreplace
from itertools import combinations
from math import comb
from random import Random
from typing import Final

from pips_tourney.schedule.cyclic import Table, turned_tables

STEPS: Final = 600
"""Exchanges that the search tries for every pair of bots.

At most `MOST_STEPS` in all.
"""
MOST_STEPS: Final = 160_000
LOOKS: Final = 8
"""Pairs among which it looks for the one that met least."""
WORSE: Final = 0.001
"""The chance of accepting the smallest step backwards."""


@dataclass(frozen=True, slots=True)
class Balance:
    """The least and the most, over bots and over pairs of bots."""

    tables: tuple[int, int]
    meetings: tuple[int, int]


def balance(bots: int, tables: Sequence[Table]) -> Balance:
    """How even a choice of tables is."""
    played, met = [0] * bots, dict.fromkeys(combinations(range(bots), 2), 0)
    for table in tables:
        for bot in table:
            played[bot] += 1
        for pair in combinations(sorted(table), 2):
            met[pair] += 1
    return Balance((min(played), max(played)), (min(met.values(), default=0), max(met.values(), default=0)))


@cache
def balanced_tables(bots: int, seats: int, tables: int) -> tuple[Table, ...]:
    """This many different tables, or all if there are no more.

    Their order is fair at every point. Tables per bot are equal to within one. So are
    the meetings of pairs where the search finds such a choice.
    """
    every = comb(bots, seats)
    if tables >= every:
        chosen = list(combinations(range(bots), seats))
    elif 2 * tables > every:
        left_out = set(_TableSearch(bots, seats, every - tables).best())
        chosen = [table for table in combinations(range(bots), seats) if table not in left_out]
    else:
        chosen = sorted(_TableSearch(bots, seats, tables).best())
    return tuple(_in_fair_order(bots, chosen))


def _in_fair_order(bots: int, tables: Sequence[Table]) -> list[Table]:
    """Order tables by how little their bots have played.

    Next is always the table whose bots have played least, and among those met least.
    """
    number_of = {part: number for number, part in enumerate([*range(bots), *combinations(range(bots), 2)])}
    parts = [[number_of[part] for part in (*table, *combinations(sorted(table), 2))] for table in tables]
    more_than_meetings = sum(map(len, parts)) + 1
    steps = [more_than_meetings] * bots + [1] * (len(number_of) - bots)
    costs = [0] * len(number_of)
    queue = [(0, at) for at in range(len(tables))]
    order: list[Table] = []
    while queue:  # a cost only grows: a table is next when its known cost is still right
        known, at = queue[0]
        cost = sum(map(costs.__getitem__, parts[at]))
        if cost > known:
            heapreplace(queue, (cost, at))
        else:
            heappop(queue)
            order.append(tables[at])
            for part in parts[at]:
                costs[part] += steps[part]
    return order


class _TableSearch:
    """Search for an even choice of tables.

    It starts from tables that turn in a circle and adds what is missing. Then it
    exchanges bots between tables, to lower the sums of the squares of tables and of
    meetings.
    """

    def __init__(self, bots: int, seats: int, tables: int) -> None:
        self._random = Random(f"{bots} {seats} {tables}")
        self._bots, self._seats = bots, seats
        self._never = tables + 1
        self._played = [0] * bots
        self._met = [[0] * bots for _ in range(bots)]
        self._tables: list[Table] = []
        self._taken: set[Table] = set()
        self._at: list[list[int]] = [[] for _ in range(bots)]
        for table in turned_tables(bots, seats, tables // bots, self._random):
            self._add(table)
        while len(self._tables) < tables:
            self._add(self._least_played())

    def best(self) -> list[Table]:
        """The most even choice of tables met on the way."""
        best, spread = self._tables.copy(), self._spread()
        for _ in range(min(STEPS * self._bots**2, MOST_STEPS)):
            if max(spread) <= 1:
                break
            if self._step() and (now := self._spread()) < spread:
                best, spread = self._tables.copy(), now
        return best

    def _spread(self) -> tuple[int, int]:
        """The spreads between most and least: tables of a bot, meetings of a pair.

        A spread of 1 in tables counts as none.
        """
        met = [self._met[a][b] for a, b in combinations(range(self._bots), 2)]
        return max(max(self._played) - min(self._played), 1), max(met) - min(met)

    def _least_played(self) -> Table:
        for _ in range(20):
            table: list[int] = []
            for _ in range(self._seats):
                others = [bot for bot in range(self._bots) if bot not in table]
                table.append(min(others, key=partial(self._burden, table)))
            found = tuple(sorted(table))
            if found not in self._taken:
                return found
        while (found := tuple(sorted(self._random.sample(range(self._bots), self._seats)))) in self._taken:
            pass
        return found

    def _burden(self, table: Sequence[int], bot: int) -> tuple[int, int, float]:
        return self._played[bot], self._meetings(bot, table), self._random.random()

    def _meetings(self, bot: int, table: Iterable[int]) -> int:
        met = self._met[bot]
        return sum(met[other] for other in table)

    def _add(self, table: Table) -> None:
        for bot in table:
            self._played[bot] += 1
            self._at[bot].append(len(self._tables))
        for a, b in combinations(table, 2):
            self._met[a][b] += 1
            self._met[b][a] += 1
        self._taken.add(table)
        self._tables.append(table)

    def _step(self) -> bool:
        """Try to bring together two bots that have met little.

        One takes a seat at the other's table.
        """
        bots, random = self._bots, self._random.random
        pairs = [(int(random() * bots), int(random() * bots)) for _ in range(LOOKS)]
        host, guest = min(pairs, key=lambda pair: self._met[pair[0]][pair[1]] if pair[0] != pair[1] else self._never)
        if not self._at[host] or host == guest:
            return False
        table = self._random.choice(self._at[host])
        leaver = self._random.choice(self._tables[table])
        if guest in self._tables[table] or leaver == host:
            return False
        if self._played[leaver] > self._played[guest] and self._random.random() < 0.5:
            return self._exchange(table, leaver, guest, None)
        if self._at[guest]:
            other = self._random.choice(self._at[guest])
            return leaver not in self._tables[other] and self._exchange(table, leaver, guest, other)
        return False

    def _exchange(self, table: int, leaver: int, guest: int, other: int | None) -> bool:
        """Try to let the guest and the leaver exchange seats.

        The guest takes the leaver's seat, and the leaver the guest's at the other
        table. It is done only if it is worth it.
        """
        moves = [(table, leaver, guest)] if other is None else [(table, leaver, guest), (other, guest, leaver)]
        after = {tuple(sorted({*self._tables[at], comes} - {goes})) for at, goes, comes in moves}
        if after & self._taken or len(after) < len(moves):
            return False
        here, there = set(self._tables[table]) - {leaver}, set() if other is None else {*self._tables[other]} - {guest}
        change = 0 if other is not None else self._played[guest] - self._played[leaver] + 1
        for company, goes, comes in ((here - there, leaver, guest), (there - here, guest, leaver)):
            change += self._meetings(comes, company) - self._meetings(goes, company) + len(company)
        if change > 0 and self._random.random() > WORSE**change:
            return False
        for at, goes, comes in moves:
            self._replace(at, goes, comes)
        return True

    def _replace(self, table: int, goes: int, comes: int) -> None:
        stay = [bot for bot in self._tables[table] if bot != goes]
        self._taken.remove(self._tables[table])
        self._tables[table] = tuple(sorted([*stay, comes]))
        self._taken.add(self._tables[table])
        for bot, by in ((goes, -1), (comes, 1)):
            self._played[bot] += by
            for other in stay:
                self._met[bot][other] += by
                self._met[other][bot] += by
        self._at[goes].remove(table)
        self._at[comes].append(table)
