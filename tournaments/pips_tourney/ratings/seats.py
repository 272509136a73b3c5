"""What the results say of seats, without anything that only the prior says.

The maximum likelihood of bots is finite only where a chain of matches not lost leads
from every bot to every other (`separation.py`; L. R. Ford 1957). The same holds here
for seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from pips_tourney.ratings.davidson import Pairs
from pips_tourney.ratings.separation import chained
from pips_tourney.ratings.table import Bound
from pips_tourney.ratings.tally import Ints, Tally


@dataclass(frozen=True, slots=True, eq=False)
class SeatResults:
    """Results between the k seats of tables of one size.

    They are of the matches from which the advantage of a seat is estimated.
    """

    deals: Ints
    """(k, k) deals in which the row's seat met the column's."""
    unbeaten: Ints
    """(k, k) 1 where the row's seat was at least once not below the column's."""

    @property
    def connected(self) -> bool:
        return bool(chained(self.unbeaten).all())

    def deals_of(self, seat: int) -> int:
        """The fewest deals in which the seat met another one."""
        return int(np.delete(self.deals[seat], seat).min())

    def bound(self, seat: int, alpha: float) -> tuple[float | None, float | None, Bound]:
        """The least and the most that a seat may be worth against the mean seat.

        A level of `alpha` does not rule these ends out. There is a bound only for a
        seat that was above all others in every match, or below them all. It is the
        binomial bound of one comparison a deal. Where bots differ, a seat wins less
        often in both their hands. So level bots give the bound for all. The seat itself
        is part of the mean.
        """
        others = np.arange(len(self.deals)) != seat
        always, never = not self.unbeaten[others, seat].any(), not self.unbeaten[seat, others].any()
        deals = self.deals_of(seat)
        if deals == 0 or not (always or never):
            return None, None, ""
        chance = alpha ** (1 / deals)
        lead = log(chance / (1 - chance)) * float(others.mean())
        return (lead, None, ">") if always else (None, -lead, "<")


def seat_results(tally: Tally, pairs: Pairs, size: int) -> SeatResults:
    """What is known of the seats of tables of that size."""
    deals, unbeaten = np.zeros((size, size), np.int64), np.eye(size, dtype=np.int64)
    seats = [(r, a, b) for r, (a, b) in enumerate(tally.pairs) if b < size]
    informs = (pairs.used > 0) & (tally.size == size)[:, None]
    for block in tally.deals:
        often = np.bincount(block.design, block.count, len(block.designs)).astype(np.int64)
        met = informs[block.designs].any(axis=1)
        for r, a, b in seats:
            deals[a, b] += often[met[:, r]].sum()
    for r, a, b in seats:
        outcome = tally.outcome[informs[tally.kind_seating, r], r]
        unbeaten[a, b], unbeaten[b, a] = (outcome >= 0).any(), (outcome <= 0).any()
    return SeatResults(deals + deals.T, unbeaten)
