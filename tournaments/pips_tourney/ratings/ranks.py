"""The first and the last place of the table that a bot may truly have.

The place of a bot is one more than the number of better bots. Whether one bot is better
than it and whether another is are not independent: both depend on the bot's own error.
With equal errors half of the variance of each difference is the bot's own. Given that
error the others are independent (a one-factor normal copula with a correlation of 1/2;
O. Vasicek 2002, Risk 15). For each value of it the place is then a sum of independent
events.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from pips_tourney.ratings.tally import Floats, Ints

NODES: Final = 40
SHARED: Final = 0.5
"""The bot's own share of the variance of a difference."""


def rank_intervals(better: Floats, confidence: float = 0.95) -> Ints:
    """(n, 2) the first and the last place that each of n bots may have, 1 for the best.

    `better` (n, n) holds the probability that the row's bot is better than the
    column's.
    """
    n = len(better)
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    above = ndtri(np.clip(better.T, 1e-12, 1 - 1e-12))
    places = np.zeros((n, 2), np.int64)
    for bot in range(n):
        others = np.delete(above[bot], bot)
        chance = ndtr((others[None, :] - SHARED**0.5 * nodes[:, None]) / (1 - SHARED) ** 0.5)
        share = np.zeros((NODES, n))
        share[:, 0] = 1.0
        for other in range(n - 1):
            p = chance[:, other, None]
            share[:, 1:] = share[:, 1:] * (1 - p) + share[:, :-1] * p
            share[:, 0] *= 1 - p[:, 0]
        upto = np.cumsum(weights @ share)
        tail = (1 - confidence) / 2
        places[bot] = np.searchsorted(upto, tail, "right") + 1, np.searchsorted(upto, 1 - tail - 1e-12) + 1
    return np.minimum(places, n)
