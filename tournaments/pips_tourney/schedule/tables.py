"""The parts of every kind of tournament: who sits with whom, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from zlib import crc32


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match of a schedule."""

    combination: tuple[str, ...]
    """The bots at the table, sorted."""
    deal: int
    """Which deal of this combination, from 0."""
    rotation: int
    """From 0 to seats - 1: in every rotation the same bots sit one seat further."""
    seating: tuple[str, ...]
    """The bot at each seat. Process r of a bot plays rotation r."""


@cache
def cyclic_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Orders around a table in which all bots sit behind all others equally often.

    All orders for up to 4 seats. In general one player is in the middle (listed first)
    and m = seats - 1 are around it. The orders are the zigzag 0, 1, -1, 2, -2, ... and
    its m turns. For even m every neighbour on the left comes exactly once (E. J.
    Williams 1949). For odd m every neighbour comes twice, when each order is followed
    by its mirror image.
    """
    around = seats - 1
    zigzag = [-(step // 2) if step % 2 == 0 else step // 2 + 1 for step in range(around)]
    orders: dict[tuple[int, ...], None] = {}
    for turn in range(max(around, 1)):
        others = [1 + (place + turn) % around for place in zigzag] if around else []
        orders[(0, *others)] = None
        if around % 2:
            orders[(0, *reversed(others))] = None
    return tuple(orders)


def play_deal(combination: Sequence[str], deal: int) -> Iterator[Pairing]:
    """One deal in every rotation.

    The deal decides the order at the table, the combination decides where it starts.
    """
    bots = tuple(sorted(combination))
    seats = len(bots)
    orders = cyclic_orders(seats)
    order = orders[(deal + crc32("\n".join(bots).encode())) % len(orders)]
    for rotation in range(seats):
        seating = tuple(bots[order[(seat + rotation) % seats]] for seat in range(seats))
        yield Pairing(bots, deal, rotation, seating)


def play_once(combination: Sequence[str], deal: int) -> Pairing:
    """One deal in one rotation.

    As many deals in a row as there are seats have every rotation once. The first
    rotation depends on the combination. So no bot has the odd seats of all its tables.
    """
    bots = tuple(sorted(combination))
    turn = deal + crc32("\n".join(bots).encode())
    rotations = list(play_deal(bots, deal // len(bots)))
    return replace(rotations[turn % len(bots)], deal=deal)


def play_deals(combinations: Iterable[Sequence[str]], deals: int, first_deal: int = 0) -> Iterator[Pairing]:
    """Play deal by deal: one of every combination before the next of any.

    So every complete deal is fair to all.
    """
    tables = [tuple(sorted(combination)) for combination in combinations]
    for deal in range(first_deal, first_deal + deals):
        for table in tables:
            yield from play_deal(table, deal)


def distinct(bots: Iterable[str], seats: int) -> list[str]:
    """The bots, sorted.

    ValueError when a bot is there twice or a table cannot be filled.
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
