"""The parts of every kind of tournament: who sits with whom, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final
from zlib import crc32

from msgspec import Struct, structs


class Pairing(Struct, frozen=True):
    """One match of a schedule."""

    combination: tuple[str, ...]
    """The bots at the table, sorted."""
    deal: int
    """The number of the deal in this combination, from 0."""
    rotation: int
    """From 0 to seats - 1: each rotation moves the same bots one seat further."""
    seating: tuple[str, ...]
    """The bot at each seat. Process r of a bot plays rotation r."""


@cache
def orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Orders around a table in which all bots sit behind all others equally often.

    From 6 to 12 seats they also sit two places behind all others equally often. Up to 4
    seats, these are all orders. In general one player is in the middle (listed first),
    and m = seats - 1 players are around it. The orders are the zigzag 0, 1, -1, 2, -2,
    ... and its m turns. For even m, every neighbour on the left comes exactly once (E.
    J. Williams 1949). For odd m, each order is followed by its mirror image, and every
    neighbour comes twice.
    """
    around = seats - 1
    if bases := BASES.get(seats):
        return tuple((0, *(1 + (place + turn) % around for place in base)) for turn in range(around) for base in bases)
    zigzag = [-(step // 2) if step % 2 == 0 else step // 2 + 1 for step in range(around)]
    made: dict[tuple[int, ...], None] = {}
    for turn in range(max(around, 1)):
        others = [1 + (place + turn) % around for place in zigzag] if around else []
        made[(0, *others)] = None
        if around % 2:
            made[(0, *reversed(others))] = None
    return tuple(made)


BASES: Final = {
    6: ((0, 3, 1, 4, 2), (0, 4, 3, 2, 1), (0, 1, 2, 3, 4), (0, 2, 4, 1, 3)),
    7: ((0, 2, 1, 4, 5, 3),),
    8: ((0, 4, 5, 1, 6, 3, 2), (0, 1, 3, 2, 5, 6, 4), (0, 2, 6, 4, 3, 5, 1)),
    9: ((0, 1, 3, 7, 4, 2, 5, 6), (6, 5, 2, 4, 7, 3, 1, 0)),
    10: ((0, 1, 3, 6, 5, 7, 2, 8, 4), (4, 8, 2, 7, 5, 6, 3, 1, 0)),
    11: ((0, 1, 3, 7, 4, 9, 2, 8, 6, 5),),
    12: ((0, 1, 2, 8, 10, 4, 7, 3, 5, 9, 6), (6, 9, 5, 3, 7, 4, 10, 8, 2, 1, 0)),
}
"""By seats: the orders around the player in the middle, before the turns.

Found by search: among the differences of neighbours around the table, modulo seats - 1,
every value comes equally often. The same holds for players two places apart.
"""


def play_deal(combination: Sequence[str], deal: int) -> Iterator[Pairing]:
    """One deal in every rotation.

    The deal decides the order at the table, and the combination the deal with which the
    orders begin.
    """
    bots = tuple(sorted(combination))
    every = orders(len(bots))
    order = every[(deal + crc32("\n".join(bots).encode())) % len(every)]
    for rotation, seating in enumerate(_seatings(bots, order)):
        yield Pairing(bots, deal, rotation, seating)


@lru_cache(maxsize=1 << 12)
def _seatings(bots: tuple[str, ...], order: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """The bots by seat, for each rotation."""
    seats = range(len(bots))
    return tuple(tuple(bots[order[(seat + rotation) % len(bots)]] for seat in seats) for rotation in seats)


def play_once(combination: Sequence[str], deal: int) -> Pairing:
    """One deal in one rotation.

    With as many deals in a row as there are seats, every rotation comes once. The first
    rotation depends on the combination, so no bot gets the odd seats of all its tables.
    """
    bots = tuple(sorted(combination))
    turn = deal + crc32("\n".join(bots).encode())
    rotations = list(play_deal(bots, deal // len(bots)))
    return structs.replace(rotations[turn % len(bots)], deal=deal)


def play_deals(combinations: Iterable[Sequence[str]], deals: int, first_deal: int = 0) -> Iterator[Pairing]:
    """Play deal by deal: one deal of every combination before the next deal of any.

    So every complete deal is fair to all.
    """
    tables = [tuple(sorted(combination)) for combination in combinations]
    for deal in range(first_deal, first_deal + deals):
        for table in tables:
            yield from play_deal(table, deal)


def distinct(bots: Iterable[str], seats: int) -> list[str]:
    """The bots, sorted.

    ValueError if a bot is listed twice or a table cannot be filled.
    """
    names = sorted(bots)
    for name, after in pairwise(names):
        if name == after:
            raise ValueError(f"{name} is there twice")
    if seats < 2:
        raise ValueError(f"a table has at least two seats, not {seats}")
    if len(names) < seats:
        raise ValueError(f"{len(names)} bots cannot fill a table of {seats}")
    return names
