"""Points, and what the deals explain.

These sums over a tally need no fit, or only read one.
"""

from __future__ import annotations

import numpy as np

from pips_tourney.ratings.davidson import Fit, Pairs, moments
from pips_tourney.ratings.tally import EMPTY, Floats, Ints, Tally


def deals(tally: Tally) -> Ints:
    """(n, n) deals in which both bots sat at the table.

    The diagonal holds a bot's own deals.
    """
    n = len(tally.names)
    together = np.zeros((n, n))
    for block in tally.deals:
        often = np.bincount(block.design, block.count, len(block.designs))
        at_table = tally.seatings[block.designs].reshape(len(often), -1)
        present = np.zeros((len(often), n + 1))  # whole numbers as floats: their products are far quicker
        np.put_along_axis(present, np.where(at_table == EMPTY, n, at_table), 1, axis=1)
        together += present[:, :n].T @ (often[:, None] * present[:, :n])
    return together.astype(np.int64)


def seat_points(tally: Tally) -> Floats:
    """(T, k) the points of each seat in each kind of match.

    They are the share of the others that the seat is above; a tie counts half.
    """
    later = [b for _, b in tally.pairs]
    both = tally.seatings[tally.kind_seating][:, later] != EMPTY
    won = np.where(both, (tally.outcome + 1) / 2, 0.0)
    points = np.zeros(tally.kind_rank.shape)
    for r, (first, second) in enumerate(tally.pairs):
        points[:, first] += won[:, r]
        points[:, second] += both[:, r] - won[:, r]
    return np.asarray(points / (tally.size[tally.kind_seating] - 1)[:, None])


def against(tally: Tally) -> Floats:
    """(n, n) points of the row's bot against the column's.

    At a table of k seats a pair is worth 1 / (k - 1).
    """
    n, (kind, i, j, outcome) = len(tally.names), tally.meetings()
    worth = (tally.kind_count / (tally.size[tally.kind_seating] - 1))[kind]
    won = worth * (outcome + 1) / 2
    points = np.bincount(i * n + j, won, n * n) + np.bincount(j * n + i, worth - won, n * n)
    return np.asarray(points.reshape(n, n), float)


def by_seat(tally: Tally) -> tuple[Floats, Ints]:
    """(n, k) points, and matches, of each bot in each seat."""
    n, k = len(tally.names), tally.seatings.shape[1]
    at_seat = tally.seatings[tally.kind_seating]
    used = at_seat != EMPTY
    code = (at_seat * k + np.arange(k))[used]
    count = np.broadcast_to(tally.kind_count[:, None], used.shape)[used]
    points = np.bincount(code, count * seat_points(tally)[used], n * k)
    matches = np.bincount(code, count, n * k).astype(np.int64)
    return np.asarray(points.reshape(n, k)), matches.reshape(n, k)


def seat_means(tally: Tally) -> dict[int, list[float]]:
    """The mean points of each seat, by table size."""
    points, size = seat_points(tally), tally.size[tally.kind_seating]
    means = {}
    for seats in sorted(set(size.tolist())):
        at = size == seats
        total = tally.kind_count[at] @ points[at, :seats]
        means[seats] = (total / tally.kind_count[at].sum()).tolist()
    return means


def deal_share(tally: Tally, pairs: Pairs, fit: Fit) -> float | None:
    """How much of the variance of points a seat's cards explain, whoever holds them.

    The intraclass correlation of a seat's residuals over the rotations of one deal;
    None where no deal was repeated.
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
