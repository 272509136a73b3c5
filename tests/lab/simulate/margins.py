"""Whether the intervals of margins keep their promise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pips_tourney.ratings.margins import rate_scores
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.stopping import Settled, Verdict
from pips_tourney.ratings.table import Margins
from tests.lab.simulate.leagues import World, performances, schedule
from tests.lab.simulate.stopping import chance

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


def rated(world: World, seating: np.ndarray, rng: np.random.Generator) -> Margins:
    """The margins of one night; as `rate_margins` of its results, and quicker."""
    return rate_scores(world.names, [(seating, performances(world, seating, rng) / 2**0.5)], CAP)


def covered(world: World, deals: int, leagues: int, rng: np.random.Generator) -> tuple[float, float]:
    """The share of margins' intervals that hold the value, and their median half width.

    The cap makes the value only nearly the difference of strengths.
    """
    seating, _ = schedule(world, deals)
    whole, _ = schedule(world, UNLIMITED)
    limit = rated(world, whole, rng)
    held, widths = [], []
    for _ in range(leagues):
        found = rated(world, seating, rng)
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


def settled(world: World, rule: Settled, nights: int, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """As `stopping.settled`, by margin."""
    seating, _ = schedule(world, rule.max_deals)
    order = sorted(world.names, reverse=True)
    stopped = wrong = wrong_pair = deals = 0
    for _ in range(nights):
        verdict, found = one_night(world, seating, rule, rng)
        stopped += verdict.settled
        misplaced = [pair for pair in verdict.pairs if pair.decided and (world.span == 0 or pair.better < pair.worse)]
        wrong_pair += bool(misplaced)
        wrong += verdict.settled and (world.span == 0 or found != order)
        deals += verdict.deals
    return stopped / nights, wrong / nights, wrong_pair / nights, deals / nights


def one_night(world: World, seating: np.ndarray, rule: Settled, rng: np.random.Generator) -> tuple[Verdict, list[str]]:
    """The look at which the night stops, and its table by margin then."""
    points = performances(world, seating, rng) / 2**0.5
    tables = len(seating) // rule.max_deals
    looks = iter(rule.looks)
    while True:
        deals = next(looks)
        table = rate_scores(world.names, [(seating[: deals * tables], points[: deals * tables])], CAP)
        verdict = rule.look(table, deals)
        if verdict.settled or verdict.last:
            return verdict, [row.bot for row in table.rows]


def settled_table(nights: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise.

    Chance alone does not break a promise.
    """
    yield "| bots | seats | span | deal share | settled | in a wrong order | any pair wrongly decided | deals |", True
    yield "|---|---|---|---|---|---|---|---|", True
    rule = Settled(confidence=0.95, max_deals=640)
    for bots, seats, span in ((2, 2, 0.0), (2, 2, 0.1), (4, 2, 0.0), (4, 2, 0.6), (5, 4, 0.3)):
        for share in (0.0, 0.7):
            stopped, wrong, pair, deals = settled(World(bots, seats, share, span=span), rule, nights, rng)
            shares = " | ".join(f"{100 * value:.1f} %" for value in (stopped, wrong, pair))
            line = f"| {bots} | {seats} | {span} | {share} | {shares} | {deals:.0f} |"
            yield line, pair <= 0.05 + chance(0.05, nights)
