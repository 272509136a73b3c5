"""Points, and how much of the results the deals explain.

These sums over a tally need no fit, or only read one.
"""

from __future__ import annotations

import numpy as np

from pips_tourney.ratings.fit.davidson import Fit, Pairs, moments
from pips_tourney.ratings.fit.tally import Floats, Ints, Tally


def deals(tally: Tally) -> Ints:
    """(n, n) the number of deals in which the row's and the column's bot both sat.

    The diagonal counts a bot's own deals.
    """
    n = len(tally.names)
    together = np.zeros((n, n))
    for block in tally.deals:
        often = np.bincount(block.design, block.count, len(block.designs))
        at_table = tally.seatings[block.designs].reshape(len(often), -1)
        present = np.zeros((len(often), n))  # whole numbers as floats: their products are far quicker
        np.put_along_axis(present, at_table, 1, axis=1)
        together += present.T @ (often[:, None] * present)
    return together.astype(np.int64)


def seat_points(tally: Tally) -> Floats:
    """(T, k) the points of each seat in each kind of match.

    Points are the share of the other seats that the seat is above; a tie counts half.
    """
    points = np.zeros(tally.kind_rank.shape)
    for won, (first, second) in zip((tally.outcome.T + 1) / 2, tally.pairs, strict=True):
        points[:, first] += won
        points[:, second] += 1 - won
    return np.asarray(points / (tally.seats - 1))


def against(tally: Tally) -> Floats:
    """(n, n) points of the row's bot against the column's.

    At a table of k seats, beating one opponent is worth 1 / (k - 1).
    """
    n, (kind, i, j, outcome) = len(tally.names), tally.meetings()
    worth = (tally.kind_count / (tally.seats - 1))[kind]
    won = worth * (outcome + 1) / 2
    points = np.bincount(i * n + j, won, n * n) + np.bincount(j * n + i, worth - won, n * n)
    return np.asarray(points.reshape(n, n), float)


def by_seat(tally: Tally) -> tuple[Floats, Ints]:
    """(n, k) the points and the matches of each bot in each seat."""
    n, k = len(tally.names), tally.seats
    code, count = (tally.seatings[tally.kind_seating] * k + np.arange(k)).ravel(), np.repeat(tally.kind_count, k)
    points = np.bincount(code, count * seat_points(tally).ravel(), n * k)
    matches = np.bincount(code, count, n * k).astype(np.int64)
    return np.asarray(points.reshape(n, k)), matches.reshape(n, k)


def deal_share(tally: Tally, pairs: Pairs, fit: Fit) -> float | None:
    """The share of the variance of points that a seat's cards explain, for any bot.

    It is the intraclass correlation of a seat's residuals over the rotations of one
    deal; None if no deal was repeated.
    """
    together = own = 0.0
    won = (tally.outcome + 1) / 2
    for block in tally.deals:
        matches = block.kinds.shape[1]
        if matches < 2:
            continue
        chance = moments(fit.difference(pairs.entry[block.designs]), fit.theta[fit.layout.tie]).score
        surprise = (won[block.kinds] - chance[block.design]) * pairs.used[block.designs][block.design]
        residual = np.zeros((*block.kinds.shape, tally.seatings.shape[1]))
        for r, (a, b) in enumerate(tally.pairs):
            residual[:, :, a] += surprise[:, :, r]
            residual[:, :, b] -= surprise[:, :, r]
        squared = (residual**2).sum(axis=1)
        together += float((block.count[:, None] * (residual.sum(axis=1) ** 2 - squared)).sum()) / (matches - 1)
        own += float((block.count[:, None] * squared).sum())
    return min(max(together / own, 0.0), 1.0) if own > 0 else None
