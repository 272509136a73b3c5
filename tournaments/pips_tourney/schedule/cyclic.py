"""Choices of tables that turn in a circle.

They are balanced among bots by construction, among pairs by a small search. All bots
sit in a circle of n. A base table and its n turns are n tables in which every bot sits
k times. How often two bots meet depends only on their distance (R. C. Bose's difference
families, 1939, as far as they exist).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random
from typing import Final

Table = tuple[int, ...]
TRIES: Final = 40
"""Exchanges tried for every base table and every distance."""


def turned_tables(bots: int, seats: int, orbits: int, random: Random) -> list[Table]:
    """The turns of this many base tables; fewer if there are no more.

    Meetings are as even as the search gets them.
    """
    bases = _bases(bots, seats, orbits, random)
    return [tuple(sorted((bot + turn) % bots for bot in base)) for base in bases for turn in range(bots)]


def _bases(bots: int, seats: int, orbits: int, random: Random) -> list[Table]:
    taken: dict[Table, None] = {}
    for _ in range(TRIES * orbits):
        base = _canonical(random.sample(range(bots), seats), bots)
        if base is not None and len(taken) < orbits:
            taken[base] = None
    bases = list(taken)
    met = [0] * bots
    for base in bases:
        _count(met, base, 1)
    for _ in range(TRIES * len(bases) * bots):
        if _even(met):
            break
        at = int(random.random() * len(bases))
        old = bases[at]
        new = _canonical({*old} - {random.choice(old)} | {int(random.random() * bots)}, bots)
        if new is None or len(new) < seats or new in taken:
            continue
        before = _cost(met)
        _count(met, old, -1)
        _count(met, new, 1)
        if _cost(met) > before:
            _count(met, new, -1)
            _count(met, old, 1)
            continue
        del taken[old]
        taken[new] = None
        bases[at] = new
    return bases


def _canonical(table: Iterable[int], bots: int) -> Table | None:
    """The first of the table's turns.

    None if it has fewer turns than there are bots.
    """
    members = list(table)
    turns = {tuple(sorted((bot - first) % bots for bot in members)) for first in members}
    return min(turns) if len(turns) == len(members) else None


def _count(met: list[int], base: Table, by: int) -> None:
    """Add the meetings of two bots at each distance, seen from both."""
    for a, b in combinations(base, 2):
        met[(a - b) % len(met)] += by
        met[(b - a) % len(met)] += by


def _cost(met: list[int]) -> int:
    return sum(meetings * meetings for meetings in met)


def _even(met: list[int]) -> bool:
    return max(met[1:]) - min(met[1:]) <= 1
