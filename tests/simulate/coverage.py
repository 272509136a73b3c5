"""How often the intervals of the ratings hold what they promise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from pips_tourney.ratings import Columns, Ratings, rate
from tests.simulate.leagues import World, league, schedule

UNLIMITED = 1_000_000
"""Deals of a world from which the value is taken that a rating reaches in the end."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of one world and number of deals: shares of intervals that hold the value, and mean half widths in Elo."""

    rating: float
    worst_rating: float
    difference: float
    worst_difference: float
    width: float
    rating_ignoring_deals: float
    difference_ignoring_deals: float
    width_ignoring_deals: float


def values(ratings: Ratings, names: list[str]) -> np.ndarray:
    """(bots + pairs, 3) Elo, low and high of every rating and every difference; infinite where there is no end."""
    rows = [ratings[name] for name in names]
    differences = [ratings.difference(a, b) for a, b in combinations(names, 2)]
    ends = [(x.elo, x.low, x.high) for x in (*rows, *differences)]
    missing = (np.nan, -np.inf, np.inf)
    return np.array([[m if x is None else x for x, m in zip(end, missing, strict=True)] for end in ends])


def limit(world: World, rng: np.random.Generator) -> np.ndarray:
    """(bots + pairs,) what a rating of that world reaches with unlimited deals, in ten parts to save memory."""
    tables = len(schedule(world, 1)[0])
    seating, block = schedule(world, UNLIMITED // 10 // tables)
    parts = [values(rate(league(world, seating, block, rng)), world.names)[:, 0] for _ in range(10)]
    return np.asarray(np.mean(parts, axis=0))


def covered(world: World, deals: int, leagues: int, truth: np.ndarray, rng: np.random.Generator) -> Coverage:
    """Play the leagues and count."""
    seating, block = schedule(world, deals)
    each = Columns(world.names, np.arange(len(block)), np.empty(0), np.empty(0))
    held, held_alone, width, width_alone = [], [], [], []
    for _ in range(leagues):
        night = league(world, seating, block, rng)
        for columns, hold, wide in ((night, held, width), (replace(night, block=each.block), held_alone, width_alone)):
            found = values(rate(columns), world.names)
            hold.append((found[:, 1] <= truth) & (truth <= found[:, 2]))
            wide.append((found[:, 2] - found[:, 1]) / 2)
    rates, alone = np.mean(held, axis=0), np.mean(held_alone, axis=0)
    n = world.bots
    return Coverage(
        rates[:n].mean(),
        rates[:n].min(),
        rates[n:].mean(),
        rates[n:].min(),
        float(np.median(width)),
        alone[:n].mean(),
        alone[n:].mean(),
        float(np.median(width_alone)),
    )


WORLDS = [World(bots, seats, share) for bots, seats in ((4, 2), (8, 2), (6, 4)) for share in (0.0, 0.7)]
DEALS = (10, 20, 100)


def table(leagues: int, rng: np.random.Generator) -> Iterator[str]:
    """As lines of Markdown."""
    heads = ["bots", "seats", "deal share", "deals", "rating", "worst", "difference", "worst", "± Elo"]
    heads += ["ignoring deals: rating", "difference", "± Elo"]
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for world in WORLDS:
        truth = limit(world, rng)
        for deals in DEALS:
            c = covered(world, deals, leagues, truth, rng)
            shares = [c.rating, c.worst_rating, c.difference, c.worst_difference]
            cells = [
                world.bots,
                world.seats,
                world.share,
                deals,
                *(f"{100 * s:.1f} %" for s in shares),
                f"{c.width:.0f}",
            ]
            cells += [f"{100 * s:.1f} %" for s in (c.rating_ignoring_deals, c.difference_ignoring_deals)]
            yield "| " + " | ".join(map(str, [*cells, f"{c.width_ignoring_deals:.0f}"])) + " |"
