"""How often the rules that stop a night, or a comparison, are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.sprt import TRACE, Sprt, expected_score
from pips_tourney.ratings.stopping import Settled, Verdict
from pips_tourney.ratings.tally import Columns
from tests.lab.simulate.leagues import World, league, schedule

SCORES = np.arange(5) / 4
BAND, FIRST = 0.2, 0.3
MOST_DEALS = 10_000
SCALE, CAP = 6, 3
"""Points of one scale, and the scales that one match counts at most."""


def compared(elo: float, share: float, test: Sprt, runs: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Shares of comparisons that accepted and rejected, and the mean deals."""

    means = expected_score(test.lead0), expected_score(test.lead1)
    lead = lead_of(elo)

    def points(deals: int) -> np.ndarray:
        return np.asarray(sum((at > BAND).astype(int) + (at > -BAND) for at in _performed(lead, share, deals, rng)))

    return _tested(points, SCORES, means, test, runs)


def compared_by_points(
    elo: float, share: float, test: Sprt, runs: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The same by points, for leads that are as far apart as these Elos.

    A score is a whole number of points, one scale is SCALE points.
    """
    lead, most = lead_of(elo), 2 * CAP * SCALE
    means = tuple((SCALE * lead_of(limit) / 2**0.5 / (CAP * SCALE) + 1) / 2 for limit in (test.lead0, test.lead1))

    def points(deals: int) -> np.ndarray:
        leads = np.round(SCALE * _performed(lead, share, deals, rng) / 2**0.5)
        return np.asarray(np.clip(leads, -CAP * SCALE, CAP * SCALE).sum(axis=0) + most, int)

    return _tested(points, np.arange(2 * most + 1) / (2 * most), means, test, runs)


def lead_of(elo: float) -> float:
    """By how much a bot performs better that is so many Elo better."""

    def score(lead: float) -> float:
        at = np.array([lead + side * FIRST + edge for side in (-1, 1) for edge in (-BAND, BAND)])
        return float(ndtr(at / 2**0.5).mean())

    return float(brentq(lambda at: score(at) - expected_score(elo), -3, 3))


def _performed(lead: float, share: float, deals: int, rng: np.random.Generator) -> np.ndarray:
    """(2, deals) by how much the first bot performs better, from either seat."""
    side = FIRST + rng.standard_normal(deals) * (2 * share) ** 0.5
    luck = rng.standard_normal((2, deals)) * (2 * (1 - share)) ** 0.5
    return np.asarray(np.stack([lead + side, lead - side]) + luck)


def _tested(
    points: Callable[[int], np.ndarray], values: np.ndarray, means: Sequence[float], test: Sprt, runs: int
) -> tuple[float, float, float]:
    """What `compared` returns. `points` draws deals, each as an index into `values`."""
    counts = np.zeros((runs, len(values)))
    verdict, deals = np.zeros(runs), np.zeros(runs)
    playing = np.arange(runs)
    while len(playing) and deals.max() < MOST_DEALS:
        counts[playing, points(len(playing))] += 1
        deals[playing] += 1
        llr = log_likelihood_ratios(values, counts[playing], *means)
        verdict[playing] = np.where(llr >= test.upper, 1, np.where(llr <= test.lower, -1, 0))
        playing = playing[verdict[playing] == 0]
    return float((verdict == 1).mean()), float((verdict == -1).mean()), float(deals.mean())


def log_likelihood_ratios(values: np.ndarray, counts: np.ndarray, mean0: float, mean1: float) -> np.ndarray:
    """`sprt.log_likelihood_ratio` of many comparisons; `counts` is (..., values)."""
    weights = counts + TRACE * np.isin(values, (0.0, 0.5, 1.0))
    share = weights / weights.sum(axis=-1, keepdims=True)

    def tilted(mean: float) -> np.ndarray:
        """log(share / share under that mean)."""
        away = values - mean
        low = np.full(share.shape[:-1], -1 / away.max() + 1e-9)
        high = np.full(share.shape[:-1], -1 / away.min() - 1e-9)
        for _ in range(60):
            middle = (low + high) / 2
            rising = (share * away / (1 + middle[..., None] * away)).sum(axis=-1) > 0
            low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        return np.asarray(np.log1p(((low + high) / 2)[..., None] * away))

    return np.asarray((weights * (tilted(mean0) - tilted(mean1))).sum(axis=-1))


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
    yield "| true Elo | deal share | accepted | rejected | deals | by points: accepted | rejected | deals |", True
    yield "|---|---|---|---|---|---|---|---|", True
    test = Sprt(lead1=20.0)
    for elo in (0.0, 20.0, -20.0, 40.0):
        for share in (0.0, 0.7):
            found = [way(elo, share, test, runs, rng) for way in (compared, compared_by_points)]
            wrong = max(accepted if elo <= test.lead0 else rejected for accepted, rejected, _ in found)
            cells = (f"{100 * yes:.1f} % | {100 * no:.1f} % | {deals:.0f}" for yes, no, deals in found)
            yield f"| {elo:.0f} | {share} | {' | '.join(cells)} |", wrong <= 0.05 + chance(0.05, runs)


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
