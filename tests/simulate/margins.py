"""Whether the intervals of margins keep their promise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pips_tourney.ratings.margins import rate_margins
from pips_tourney.ratings.tally import Result
from tests.simulate.leagues import World, performances, schedule

CAP = 3.0
UNLIMITED = 20_000
"""Deals of the night whose margins count as the truth."""


def night(world: World, seating: np.ndarray, rng: np.random.Generator) -> list[Result]:
    """One night, with the scores of every match.

    In standard deviations of a difference.
    """
    points = performances(world, seating, rng) / 2**0.5
    names = world.names
    return [
        Result(str(block), tuple(names[bot] for bot in seats), (1,) * world.seats, tuple(scores))
        for block, (deal, own) in enumerate(zip(seating.tolist(), points.tolist(), strict=True))
        for seats, scores in zip(deal, own, strict=True)
    ]


def covered(world: World, deals: int, leagues: int, rng: np.random.Generator) -> tuple[float, float]:
    """The share of margins' intervals that hold the value, and their median half width.

    The cap makes the value only nearly the difference of strengths.
    """
    seating, _ = schedule(world, deals)
    whole, _ = schedule(world, UNLIMITED)
    limit = rate_margins(night(world, whole, rng), CAP)
    assert limit is not None
    held, widths = [], []
    for _ in range(leagues):
        found = rate_margins(night(world, seating, rng), CAP)
        assert found is not None
        for row in found.rows:
            assert row.low is not None and row.high is not None
            true = limit.of(row.bot)
            assert true is not None
            held.append(row.low <= true.margin <= row.high)
            widths.append((row.high - row.low) / 2)
    return float(np.mean(held)), float(np.median(widths))


def table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield "| bots | seats | deal share | own share | deals | margins | ± scales |", True
    yield "|---|---|---|---|---|---|---|", True
    for world in (World(4, 2, 0.0), World(4, 2, 0.7), World(8, 2, 0.7), World(6, 4, 0.7), World(4, 2, 0.2, taste=0.5)):
        for deals in (10, 20, 100):
            held, width = covered(world, deals, leagues, rng)
            line = f"| {world.bots} | {world.seats} | {world.share} | {world.taste} | {deals} "
            low, high = (0.93, 0.97) if deals >= 20 else (0.92, 1.0)
            yield f"{line}| {100 * held:.1f} % | {width:.3f} |", low <= held <= high
