"""What the results alone, without the prior, show about seats.

The maximum likelihood of bots is finite only if a chain of matches not lost leads from
every bot to every other (`separation.py`; L. R. Ford 1957). The same holds for seats.
"""

from __future__ import annotations

import numpy as np

from pips_tourney.ratings.fit.davidson import Pairs
from pips_tourney.ratings.fit.separation import chained
from pips_tourney.ratings.fit.tally import Ints, Tally


def seat_deals(tally: Tally, pairs: Pairs) -> Ints | None:
    """(k,) for each seat, the fewest deals in which it met another seat.

    Only matches that help to estimate the advantage of a seat count. None if the
    results give no finite estimate.
    """
    deals, unbeaten = np.zeros((tally.seats, tally.seats), np.int64), np.eye(tally.seats, dtype=np.int64)
    informs = pairs.used > 0
    for r, (a, b) in enumerate(tally.pairs):
        outcome = tally.outcome[informs[tally.kind_seating, r], r]
        unbeaten[a, b], unbeaten[b, a] = (outcome >= 0).any(), (outcome <= 0).any()
        met = [block.count[informs[block.designs, r].any(axis=1)[block.design]].sum() for block in tally.deals]
        deals[a, b] = deals[b, a] = sum(met)
    np.fill_diagonal(deals, deals.max(initial=0))
    return np.asarray(deals.min(axis=0)) if chained(unbeaten).all() else None
