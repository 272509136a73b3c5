"""Which tables to play if there are too many, and in which order.

Bots play about equally often, and meet each other about equally often. Bots are numbers
here, and the result depends only on the counts of bots, seats and tables: a generator
with a fixed seed chooses between equal bots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heapreplace
from itertools import combinations
from math import comb
from random import Random

Table = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Balance:
    """The least and the most matches, over bots and over pairs of bots."""

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

    Every prefix of their order is fair. The numbers of tables per bot differ by two at
    most.
    """
    every = comb(bots, seats)
    if tables >= every:
        chosen = list(combinations(range(bots), seats))
    elif 2 * tables > every:
        left_out = {*_even_tables(bots, seats, every - tables)}
        chosen = [table for table in combinations(range(bots), seats) if table not in left_out]
    else:
        chosen = sorted(_even_tables(bots, seats, tables))
    return tuple(_in_fair_order(bots, chosen))


def _in_fair_order(bots: int, tables: Sequence[Table]) -> list[Table]:
    """Order tables by how little their bots have played.

    The next table is always the one whose bots have played least; among equal ones, the
    one whose bots have met least.
    """
    number_of = {part: number for number, part in enumerate([*range(bots), *combinations(range(bots), 2)])}
    parts = [[number_of[part] for part in (*table, *combinations(sorted(table), 2))] for table in tables]
    more_than_meetings = sum(map(len, parts)) + 1
    steps = [more_than_meetings] * bots + [1] * (len(number_of) - bots)
    costs = [0] * len(number_of)
    queue = [(0, at) for at in range(len(tables))]
    order: list[Table] = []
    while queue:  # costs only grow: the first table is next if its known cost is still right
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


def _even_tables(bots: int, seats: int, tables: int) -> Sequence[Table]:
    """Fill table after table, for at most half of all possible tables.

    The next seat goes to the bot that has played least; among equal ones, to the bot
    that has met the others at the table least. The last seat is chosen so that the
    table is new.
    """
    random = Random(f"{bots} {seats} {tables}")
    played, met = [0] * bots, [[0] * bots for _ in range(bots)]
    chosen: dict[Table, None] = {}

    def next_seat(table: Table, free: Sequence[int]) -> Table:
        keys = {bot: (played[bot], sum(met[bot][other] ** 2 for other in table), random.random()) for bot in free}
        return tuple(sorted((*table, min(keys, key=keys.__getitem__))))

    while len(chosen) < tables:
        table: Table = ()
        while len(table) < seats:
            free = [bot for bot in range(bots) if bot not in table]
            if len(table) == seats - 1:
                free = [bot for bot in free if tuple(sorted((*table, bot))) not in chosen]
            table = next_seat(table, free) if free else tuple(random.sample(range(bots), seats - 1))
        chosen[table] = None
        for bot in table:
            played[bot] += 1
        for a, b in combinations(table, 2):
            met[a][b] += 1
            met[b][a] += 1
    return list(chosen)
