"""Deals where they decide: how many deals each combination plays in the next round.

A difference of two ratings, with all combinations weighing alike, has a variance of
sum(g / n) over the combinations, n deals each. In a combination of k bots in which both
sit, g is 2k / (k - 1) times what it is where one of them sits; elsewhere it is next to
nothing. For given variances of some pairs the sum of deals is least where n goes with
the root of a sum of their g, each pair with a weight of its own (J. Neyman 1934,
Journal of the Royal Statistical Society 97; Lagrange's multipliers). So bots that are
not decided get what equal deals would tell of them, from the fewest deals.

All is in whole numbers, so every machine plans the same rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Final

from pips_tourney.schedule.tables import Pairing, orders, play_deal

Table = tuple[str, ...]
FINE: Final = 1000
"""Deals and roots are in parts of this."""
PRECISE: Final = FINE**5
"""Variances are in parts of this."""
STEPS: Final = 40
"""How often a plan is made better."""


def whole_turn(seats: int, *, duplicate: bool) -> int:
    """The deals after which a combination has had every order at the table.

    Where a deal is played in one rotation: every rotation.
    """
    return len(orders(seats)) if duplicate else seats


def next_depths(
    depths: Mapping[Table, int],
    open_pairs: Sequence[tuple[str, str]],
    level: int,
    most: int,
    turn: int,
    hero: str | None = None,
) -> dict[Table, int]:
    """By combination, the deals it has played after the next round.

    `depths` are those after the last one. Each open pair gets what `level` deals of
    every combination would tell of it, and all of them together as few deals as that
    takes. In a gauntlet the `hero` sits at every table, so a table says something only
    of the other bots. No combination plays more than `most`.
    """
    told = [tables for pair in open_pairs if (tables := _told(depths, pair, hero))]
    aims = [PRECISE * sum(tables.values()) // (FINE * level) for tables in told]
    planned = dict(depths)
    for table, deals in _least_deals(depths, told, aims, level, most).items():
        if deals > depths[table] * FINE:
            planned[table] = max(depths[table], min(-(-deals // (FINE * turn)) * turn, most))
    return planned


def _told(tables: Iterable[Table], pair: tuple[str, str], hero: str | None) -> dict[Table, int]:
    """The tables that tell of the pair: g of each, in parts of FINE."""
    asked = [bot for bot in pair if bot != hero]
    sat = ((table, sum(bot in table for bot in asked)) for table in tables)
    return {table: FINE * 2 * len(table) // (len(table) - 1) if bots == 2 else FINE for table, bots in sat if bots > 0}


def _least_deals(
    depths: Mapping[Table, int], told: Sequence[Mapping[Table, int]], aims: Sequence[int], level: int, most: int
) -> dict[Table, int]:
    """The tables that tell of a pair, with the fewest deals that reach every aim.

    Deals are in parts of FINE, variances in parts of PRECISE. The weight of a pair
    grows as long as it is above its aim, and shrinks where others bring it below.
    """
    heard: dict[Table, list[tuple[int, int]]] = {}
    for pair, tables in enumerate(told):
        for table, part in tables.items():
            heard.setdefault(table, []).append((pair, part))

    def variances() -> list[int]:
        return [sum(part * PRECISE // deals[table] for table, part in tables.items()) for tables in told]

    deals: dict[Table, int] = {}
    weights = [(FINE * level) ** 2 // len(told) for _ in told]
    for _ in range(STEPS):
        for table, of in heard.items():
            root = isqrt(sum(weights[pair] * part for pair, part in of) // FINE)
            deals[table] = min(max(root, depths[table] * FINE, 1), most * FINE)
        weights = [weight * now // aim + 1 for weight, now, aim in zip(weights, variances(), aims, strict=True)]
    for _ in range(STEPS):
        above = max((now * FINE // aim for now, aim in zip(variances(), aims, strict=True)), default=0)
        if above <= FINE:
            break
        deals = {table: min(number * above // FINE + 1, most * FINE) for table, number in deals.items()}
    return deals


def within(depths: Mapping[Table, int], planned: Mapping[Table, int], deals: int, turn: int) -> dict[Table, int] | None:
    """The plan, or as much of it as this number of deals allows.

    Each combination gets the same share of what it lacks, in whole turns; the first of
    them get the rest. None if not even one combination gets a turn.
    """
    lacks = {table: planned[table] - depths[table] for table in planned}
    if (wanted := sum(lacks.values())) <= deals:
        return dict(planned) if wanted else None
    given = {table: lack * deals // wanted // turn * turn for table, lack in lacks.items()}
    left = deals - sum(given.values())
    for table, lack in sorted(lacks.items(), key=lambda item: (-item[1], item[0])):
        more = min(turn, lack - given[table])
        if 0 < more <= left:
            given[table] += more
            left -= more
    return {table: depths[table] + more for table, more in given.items()} if any(given.values()) else None


def play_depths(depths: Mapping[Table, int], planned: Mapping[Table, int]) -> Iterator[Pairing]:
    """The matches between two depths, deal by deal, every deal in all rotations."""
    lowest, highest = min(depths.values(), default=0), max(planned.values(), default=0)
    for deal in range(lowest, highest):
        for table in planned:
            if depths[table] <= deal < planned[table]:
                yield from play_deal(table, deal)
