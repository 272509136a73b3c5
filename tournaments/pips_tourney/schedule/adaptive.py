"""Deals where they decide: how many deals each combination plays in the next round.

If all combinations have the same weight, a difference of two ratings has a variance of
sum(g / n) over the combinations, with n deals each. In a combination of k bots that
seats both, g is 2k / (k - 1) times what it is if only one of them sits there; in others
it is almost zero. For given variances of some pairs, the total number of deals is least
if n is proportional to the root of a weighted sum of their g, with one weight for each
pair (J. Neyman 1934, Journal of the Royal Statistical Society 97; Lagrange's
multipliers). So undecided bots get the same precision as from equal deals, with the
fewest deals.

All numbers are whole, so every machine plans the same rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Final

from pips_tourney.schedule.tables import Pairing, orders, play_deal

Table = tuple[str, ...]
FINE: Final = 1000
"""Deals and roots are in units of 1 / FINE."""
PRECISE: Final = FINE**5
"""Variances are in units of 1 / PRECISE."""
STEPS: Final = 40
"""How many steps of improvement a plan gets."""


def whole_turn(seats: int, *, duplicate: bool) -> int:
    """How many deals give a combination every order at the table.

    If a deal is played in only one rotation: every rotation.
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
    """By combination, how many deals it has played after the next round.

    `depths` are the deals after the last round. Each open pair gets the precision of
    `level` deals of every combination, with as few deals in total as possible. In a
    gauntlet the `hero` sits at every table, so a table measures only the other bots. No
    combination plays more than `most` deals.
    """
    told = [tables for pair in open_pairs if (tables := _told(depths, pair, hero))]
    aims = [PRECISE * sum(tables.values()) // (FINE * level) for tables in told]
    planned = dict(depths)
    for table, deals in _least_deals(depths, told, aims, level, most).items():
        if deals > depths[table] * FINE:
            planned[table] = max(depths[table], min(-(-deals // (FINE * turn)) * turn, most))
    return planned


def _told(tables: Iterable[Table], pair: tuple[str, str], hero: str | None) -> dict[Table, int]:
    """The tables that measure a pair, with the g of each, in units of 1 / FINE."""
    asked = [bot for bot in pair if bot != hero]
    sat = ((table, sum(bot in table for bot in asked)) for table in tables)
    return {table: FINE * 2 * len(table) // (len(table) - 1) if bots == 2 else FINE for table, bots in sat if bots > 0}


def _least_deals(
    depths: Mapping[Table, int], told: Sequence[Mapping[Table, int]], aims: Sequence[int], level: int, most: int
) -> dict[Table, int]:
    """The tables that measure some pair, with the fewest deals that reach every aim.

    Deals are in units of 1 / FINE, variances in units of 1 / PRECISE. A pair's weight
    grows while its variance is above its aim, and shrinks while it is below.
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
    """The plan, or the part of it that fits into this number of deals.

    Each combination gets the same share of the deals that it lacks, in whole turns; the
    combinations that lack most get the rest. None if no combination gets a turn.
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
    """The matches from `depths` to `planned`: each deal in all rotations."""
    lowest, highest = min(depths.values(), default=0), max(planned.values(), default=0)
    for deal in range(lowest, highest):
        for table in planned:
            if depths[table] <= deal < planned[table]:
                yield from play_deal(table, deal)
