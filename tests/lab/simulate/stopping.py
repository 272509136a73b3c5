"""How often the rule that stops a night is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pips_tourney.ratings.fit.tally import Columns
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.stopping import Settled, Verdict
from tests.lab.simulate.leagues import World, league, schedule


def one_night(night: Columns, rule: Settled, matches_a_deal: int) -> tuple[Verdict, list[str]]:
    """The look at which the night stops, and its table then."""
    looks = iter(rule.looks)
    while True:
        deals = next(looks)
        matches = deals * matches_a_deal
        part = Columns(night.names, night.block[:matches], night.seating[:matches], night.places[:matches])
        ratings = rate(part)
        verdict = rule.look(ratings, deals)
        if verdict.settled or verdict.last:
            return verdict, [row.bot for row in ratings.rows]


def settled(world: World, rule: Settled, nights: int, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Shares of nights that settled, settled wrongly, and called a pair wrongly.

    A night settled wrongly if its order was wrong. The last value is the mean of deals.
    """
    seating, block = schedule(world, rule.max_deals)
    tables = len(seating) // rule.max_deals
    order = sorted(world.names, reverse=True)
    stopped = wrong = wrong_pair = 0
    deals = 0
    for _ in range(nights):
        night = league(world, seating, block, rng)
        verdict, found = one_night(night, rule, tables * world.seats)
        stopped += verdict.settled
        misplaced = [pair for pair in verdict.pairs if pair.decided and (world.span == 0 or pair.better < pair.worse)]
        wrong_pair += bool(misplaced)
        wrong += verdict.settled and (world.span == 0 or found != order)
        deals += verdict.deals
    return stopped / nights, wrong / nights, wrong_pair / nights, deals / nights


def chance(share: float, runs: int) -> float:
    """How far luck may exceed the share in this many runs: three standard errors."""
    return 3 * float(np.sqrt(share * (1 - share) / runs))


def settled_table(nights: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise.

    Chance alone does not break a promise.
    """
    yield "| bots | seats | span | deal share | settled | in a wrong order | any pair wrongly decided | deals |", True
    yield "|---|---|---|---|---|---|---|---|", True
    rule = Settled(confidence=0.95, max_deals=640)
    for bots, seats, span in ((2, 2, 0.0), (2, 2, 0.1), (4, 2, 0.0), (4, 2, 0.6), (5, 4, 0.3)):
        for share in (0.0, 0.7):
            world = World(bots, seats, share, span=span)
            runs = nights if seats == 2 else nights // 4
            stopped, wrong, pair, deals = settled(world, rule, runs, rng)
            shares = " | ".join(f"{100 * value:.1f} %" for value in (stopped, wrong, pair))
            line = f"| {bots} | {seats} | {span} | {share} | {shares} | {deals:.0f} |"
            yield line, pair <= 0.05 + chance(0.05, runs)
