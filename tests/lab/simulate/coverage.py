"""How often the intervals of the ratings keep their promise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.table import Difference, Rating, Ratings
from tests.lab.simulate.leagues import World, league, schedule

UNLIMITED = 1_000_000
"""Deals of a world from which the value that a rating finally reaches is taken."""


LEAGUES_IGNORING = 250
"""Leagues in which intervals are computed without regard to deals too."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of intervals that hold the value, and the median half width.

    `wider` is how many times as wide all are as they need be to hold 95 %.

    There is one share for each rating and each difference.
    """

    ratings: np.ndarray
    differences: np.ndarray
    width: float
    wider: float

    @property
    def kept(self) -> str:
        """`95.1 % (94.2 to 96.0)`: the mean, and the extremes of single ones.

        It is given for ratings and for differences.
        """
        return " | ".join(
            f"{100 * s.mean():.1f} % ({100 * s.min():.1f} to {100 * s.max():.1f})"
            for s in (self.ratings, self.differences)
        )


def values(ratings: Ratings, names: list[str]) -> np.ndarray:
    """(bots + pairs, 3) Elo, low and high of every rating and every difference.

    Infinite if there is no end.
    """
    found: list[Rating | Difference] = [ratings[name] for name in names]
    found += [ratings.difference(a, b) for a, b in combinations(names, 2)]
    ends = [(x.elo, x.low, x.high) for x in found]
    missing = (np.nan, -np.inf, np.inf)
    return np.array([[m if x is None else x for x, m in zip(end, missing, strict=True)] for end in ends])


def limit(world: World, rng: np.random.Generator) -> np.ndarray:
    """(bots + pairs,) what a rating of that world reaches with unlimited deals.

    It is computed in ten parts to save memory.
    """
    tables = len(schedule(world, 1)[0])
    seating, block = schedule(world, UNLIMITED // 10 // tables)
    parts = [values(rate(league(world, seating, block, rng)), world.names)[:, 0] for _ in range(10)]
    return np.asarray(np.mean(parts, axis=0))


def covered(
    world: World, deals: int, leagues: int, truth: np.ndarray, rng: np.random.Generator
) -> tuple[Coverage, Coverage]:
    """Coverage of the intervals, and of those that take all matches for independent."""
    seating, block = schedule(world, deals)
    held: list[list[np.ndarray]] = [[], []]
    widths: list[list[np.ndarray]] = [[], []]
    needed: list[list[np.ndarray]] = [[], []]
    for number in range(leagues):
        night = league(world, seating, block, rng)
        each = replace(night, block=np.arange(len(block)))
        for which, columns in enumerate((night, each)[: 1 + (number < LEAGUES_IGNORING)]):
            elo, low, high = values(rate(columns), world.names).T
            held[which].append((low <= truth) & (truth <= high))
            widths[which].append((high - low) / 2)
            finite = np.isfinite(high - low)
            needed[which].append((np.abs(elo - truth) / ((high - low) / 2))[finite])
    shares = [np.mean(hold, axis=0) for hold in held]
    clustered, alone = (
        Coverage(
            share[: world.bots],
            share[world.bots :],
            float(np.median(width)),
            1 / float(np.quantile(np.concatenate(need), 0.95)),
        )
        for share, width, need in zip(shares, widths, needed, strict=True)
    )
    return clustered, alone


WORLDS = [World(bots, seats, share) for bots, seats in ((4, 2), (8, 2), (6, 4)) for share in (0.0, 0.7)]
TASTES = [World(4, 2, 0.2, taste=0.5), World(6, 4, 0.2, taste=0.5)]
"""Cards that suit one bot more than another.

Matches of a deal resemble each other, so ignoring the deal is dangerous.
"""
HARD = [World(2, 2, 0.5, span=0.3), World(2, 2, 0.98, span=0.2), World(6, 2, 0.5, drawn=(0, 0.1, -0.1, 0.2, -0.2, 2.9))]
"""Two bots, results that the cards nearly decide, and a bot that is hardly ever beaten.

Ten deals of two bots, and cards that decide, cannot say how wide intervals must be.
"""
DEALS = (10, 20, 100)


def table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    heads = ["bots", "seats", "deal share", "own share", "deals", "ratings", "differences", "± Elo", "wider"]
    heads += ["ignoring deals: ratings", "differences", "± Elo"]
    yield "| " + " | ".join(heads) + " |", True
    yield "|---" * len(heads) + "|", True
    for world in WORLDS + TASTES + HARD:
        truth = limit(world, rng)
        for deals in DEALS:
            found, alone = covered(world, deals, leagues, truth, rng)
            cells = [world.bots, world.seats, world.share, world.taste, deals, found.kept, f"{found.width:.0f}"]
            cells += [f"{found.wider:.2f}"]
            cells += [f"{100 * shares.mean():.1f} %" for shares in (alone.ratings, alone.differences)]
            line = "| " + " | ".join(map(str, [*cells, f"{alone.width:.0f}"])) + " |"
            low, high = (0.93, 0.97) if deals >= 20 else (0.92, 1.0)
            yield line, all(low <= shares.mean() <= high for shares in (found.ratings, found.differences))
