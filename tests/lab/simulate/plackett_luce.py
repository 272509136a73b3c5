"""Plackett-Luce with ties against pairs, on the same tables.

Which of them tells two bots apart with fewer matches? The model with ties is that of
Turner, van Etten, Firth & Kosmidis (2020, Computational Statistics 35). The next group
of equals is chosen from the bots left, with weight delta(size) * geometric mean of
strengths. Seats are added as for pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from pips_tourney.ratings.fit.tally import Columns
from pips_tourney.ratings.rate import rate
from tests.lab.simulate.leagues import World, league, schedule

PRIOR = 0.5


def plackett_luce(columns: Columns, start: np.ndarray) -> np.ndarray:
    """(bots + seats - 1 + seats,) log strengths, log tie weights, seats.

    Tie weights are those of groups of 2 and more.
    """
    bots, seats = len(columns.names), columns.seating.shape[1]
    rows, count = np.unique(np.hstack([columns.seating, columns.places]), axis=0, return_counts=True)
    seating, places = rows[:, :seats], rows[:, seats:]
    sets = np.array([[bool(code >> seat & 1) for seat in range(seats)] for code in range(1, 1 << seats)])
    size = sets.sum(axis=1)
    mean = sets / size[:, None]
    # (T, stages): the groups in order of their place, and who was left when each was
    # chosen.
    place = np.arange(1, seats + 1)
    chosen = places[:, None, :] == place[:, None]
    left = places[:, None, :] >= place[:, None]
    played = np.asarray(chosen.any(axis=2))
    possible = np.asarray(~(sets[None, None] & ~left[:, :, None, :]).any(axis=3))
    possible[~played] = size == seats
    which = np.where(played, (chosen * (1 << np.arange(seats))).sum(axis=2) - 1, len(sets) - 1)
    weight = played * count[:, None]

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        strength, tie, seat = np.split(theta, [bots, bots + seats - 1])
        eta = (strength[seating] + seat) @ mean.T + np.concatenate([[0.0], tie])[size - 1]
        options = np.where(possible, eta[:, None, :], -np.inf)
        value = weight * (np.take_along_axis(eta, which, axis=1) - logsumexp(options, axis=2))
        expected = (softmax(options, axis=2) * weight[:, :, None]).sum(axis=1)
        observed = np.zeros_like(eta)
        np.add.at(observed, (np.arange(len(eta))[:, None], which), weight)
        residual = observed - expected
        at_seat = residual @ mean
        gradient = np.concatenate(
            [
                np.bincount(seating.ravel(), at_seat.ravel(), bots) - PRIOR * np.tanh(strength / 2) / 2,
                np.bincount(size - 1, residual.sum(axis=0), seats)[1:] - 0.01 * tie,
                at_seat.sum(axis=0) - np.tanh(seat / 2) / 2,
            ]
        )
        prior = PRIOR * np.log(np.cosh(strength / 2)).sum() + np.log(np.cosh(seat / 2)).sum() + 0.005 * (tie**2).sum()
        return prior - value.sum(), -gradient

    return np.asarray(minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-4}).x)


def compare(world: World, deals: int, leagues: int, rng: np.random.Generator) -> tuple[float, float]:
    """How many matches Plackett-Luce needs for each match that pairs need.

    The mean over differences, and over neighbours.
    """
    seating, block = schedule(world, deals)
    start = np.zeros(world.bots + 2 * world.seats - 1)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(leagues):
        night = league(world, seating, block, rng)
        ratings = rate(night)
        start = plackett_luce(night, start)
        found.append((ratings.sums.elo, start[: world.bots]))
    pairs, luce = (np.array(side) for side in zip(*found, strict=True))
    a, b = np.array(list(combinations(range(world.bots), 2))).T
    precision = [(d.mean(axis=0) ** 2 / d.var(axis=0)) for d in (pairs[:, a] - pairs[:, b], luce[:, a] - luce[:, b])]
    ratio = precision[0] / precision[1]
    return float(np.exp(np.log(ratio).mean())), float(np.exp(np.log(ratio[b - a == 1]).mean()))


WORLDS = {
    "normal luck": World(6, 4, 0.0),
    "normal luck, 0.7 of it the cards'": World(6, 4, 0.7),
    "the same, many ties": World(6, 4, 0.7, grid=1.5),
    "the same, a wide field": World(6, 4, 0.7, span=4.0),
    "cards that suit one bot more than another": World(6, 4, 0.2, taste=0.5),
    "three seats": World(5, 3, 0.7),
    "Gumbel luck": World(6, 4, 0.0, gumbel=True),
    "Gumbel luck, 0.7 of it the cards'": World(6, 4, 0.7, gumbel=True),
}


def table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown; nothing is promised."""
    yield "| world | all differences | neighbours |", True
    yield "|---|---|---|", True
    for name, world in WORLDS.items():
        every, neighbours = compare(world, 10, leagues, rng)
        yield f"| {name} | {every:.2f} | {neighbours:.2f} |", True
