"""How often the rules that stop a night, or a comparison, are wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from pips_tourney.ratings import Columns, rate
from pips_tourney.ratings.sprt import Sprt, expected_score, log_likelihood_ratio
from pips_tourney.ratings.stopping import Settled, Verdict
from tests.simulate.leagues import World, league, schedule

SCORES = np.arange(5) / 4
BAND, FIRST = 0.2, 0.3
MOST_DEALS = 10_000


def compared(elo: float, share: float, test: Sprt, runs: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Shares of comparisons that accepted and rejected, and the mean deals."""

    def score(lead: float) -> float:
        at = np.array([lead + side * FIRST + edge for side in (-1, 1) for edge in (-BAND, BAND)])
        return float(ndtr(at / 2**0.5).mean())

    lead = brentq(lambda at: score(at) - expected_score(elo), -3, 3)
    counts = np.zeros((runs, len(SCORES)))
    mean0, mean1 = expected_score(test.elo0), expected_score(test.elo1)
    verdict, deals = np.zeros(runs), np.zeros(runs)
    playing = np.arange(runs)
    while len(playing) and deals.max() < MOST_DEALS:
        side = FIRST + rng.standard_normal(len(playing)) * (2 * share) ** 0.5
        luck = rng.standard_normal((2, len(playing))) * (2 * (1 - share)) ** 0.5
        points = sum((at > BAND).astype(int) + (at > -BAND) for at in (lead + side + luck[0], lead - side + luck[1]))
        counts[playing, points] += 1
        deals[playing] += 1
        llr = log_likelihood_ratio(SCORES, counts[playing], mean0, mean1)
        verdict[playing] = np.where(llr >= test.upper, 1, np.where(llr <= test.lower, -1, 0))
        playing = playing[verdict[playing] == 0]
    return float((verdict == 1).mean()), float((verdict == -1).mean()), float(deals.mean())


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


def sprt_table(runs: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise.

    Chance alone does not break a promise.
    """
    yield "| true Elo | deal share | accepted | rejected | deals |", True
    yield "|---|---|---|---|---|", True
    test = Sprt(elo0=0.0, elo1=20.0, alpha=0.05, beta=0.05)
    for elo in (0.0, 20.0, -20.0, 40.0):
        for share in (0.0, 0.7):
            accepted, rejected, deals = compared(elo, share, test, runs, rng)
            wrong = accepted if elo <= test.elo0 else rejected
            line = f"| {elo:.0f} | {share} | {100 * accepted:.1f} % | {100 * rejected:.1f} % | {deals:.0f} |"
            yield line, wrong <= 0.05 + chance(0.05, runs)


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
