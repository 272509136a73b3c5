"""What could be known of twins at most: somebody who knows the field, not who is who.

They know that bots are pairs of twins, how far those are apart, and the spread of the
pairs' levels. All ways to pair the bots, and to say which twin is ahead, are weighed by
the likelihood of the estimates. So no prior can have a smaller log loss on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.special import ndtr

from pips_tourney.ratings.fit.clumps import Estimates
from pips_tourney.ratings.fit.tally import Floats

WIDE = 1e6
"""The variance of the mean of all, of which nothing is known, in Elo."""


def pairings(bots: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """All ways to put an even number of bots into pairs."""
    if not bots:
        yield []
        return
    first, *others = bots
    for other in others:
        for rest in pairings([bot for bot in others if bot != other]):
            yield [(first, other), *rest]


def twins_better(of: Estimates, apart: float, spread: float) -> Floats:
    """(n, n) the chance that the row's bot is better, by what is known of the field."""
    n = len(of.value)
    i, j = np.triu_indices(n, 1)
    signs = np.array([*product((-1.0, 1.0), repeat=n // 2)])
    known, chances = [], []
    for pairs in pairings(range(n)):
        first, second = np.eye(n)[[a for a, _ in pairs]], np.eye(n)[[b for _, b in pairs]]
        prior = spread**2 * (first + second).T @ (first + second) + WIDE
        lead = signs @ (first - second) * apart / 2
        whole, left = of.covariance + prior, of.value - lead
        kept = prior @ np.linalg.inv(whole)
        mean, covariance = lead + left @ kept.T, prior - kept @ prior
        variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
        chances.append(ndtr((mean[:, i] - mean[:, j]) / np.sqrt(np.maximum(variance, 1e-6))))
        known.append(-(np.linalg.slogdet(whole)[1] + (left @ np.linalg.inv(whole) * left).sum(axis=1)) / 2)
    weight = np.exp(np.concatenate(known) - np.max(known))
    better = np.full((n, n), 0.5)
    better[i, j] = weight @ np.concatenate(chances) / weight.sum()
    better[j, i] = 1 - better[i, j]
    return better
