"""Deals where they decide: how many deals each combination plays in the next round.

A difference of two ratings, with all combinations weighing alike, has a variance of
sum(g / n) over the combinations, n deals each. In a combination of k bots in which both
sit, g is 2k / (k - 1) times what it is where one of them sits; elsewhere it is next to
nothing. For a given variance the sum of deals is least where n goes with the root of g
(J. Neyman 1934, Journal of the Royal Statistical Society 97). So two bots that are not
decided get what equal deals would tell of them, from the fewest deals.

All is in whole numbers, so every machine plans the same rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Final

from pips_tourney.schedule.tables import Pairing, cyclic_orders, play_deal

Table = tuple[str, ...]
FINE: Final = 1000
"""Roots are taken in parts of this."""


def whole_turn(seats: int, *, duplicate: bool) -> int:
    """The deals after which a combination has had every order at the table.

    Where a deal is played in one rotation: every rotation.
    """
    return len(cyclic_orders(seats)) if duplicate else seats


def next_depths(
    depths: Mapping[Table, int],
    open_pairs: Iterable[tuple[str, str]],
    level: int,
    most: int,
    turn: int,
    hero: str | None = None,
) -> dict[Table, int]:
    """By combination, the deals it has played after the next round.

    `depths` are those after the last one. Each open pair gets what `level` deals of
    every combination would tell of it. In a gauntlet the `hero` sits at every table, so
    a table says something only of the other bots. No combination plays more than
    `most`.
    """
    planned = dict(depths)
    for pair in open_pairs:
        asked = [bot for bot in pair if bot != hero]
        for table, wanted in _wanted(planned, asked, level):
            whole = min(-(-wanted // turn) * turn, most)
            planned[table] = max(planned[table], whole)
    return planned


def _wanted(tables: Iterable[Table], asked: Sequence[str], level: int) -> Iterator[tuple[Table, int]]:
    """The tables that tell of these bots, and how many deals each needs."""
    sat = {table: sum(bot in table for bot in asked) for table in tables}
    both = [table for table, bots in sat.items() if bots == len(asked)]
    one = [table for table, bots in sat.items() if 0 < bots < len(asked)]
    seats = len(both[0] if both else one[0]) if both or one else 2
    root = isqrt(FINE * FINE * 2 * seats // (seats - 1))
    # The variance is (both * root**2 + one) / level by equal deals, and by the plan
    # (both * root + one) / single.
    above, below = len(both) * root * FINE + len(one) * FINE**2, len(both) * root**2 + len(one) * FINE**2
    for table in one:
        yield table, -(-level * above // below)
    for table in both:
        yield table, -(-level * above * root // (below * FINE))


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
