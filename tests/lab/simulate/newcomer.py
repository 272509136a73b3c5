"""A bot that joins a settled adaptive table: three ways to place it, side by side.

Run it alone as `python -m tests.lab.simulate.newcomer [LEAGUES]`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations

import numpy as np

from pips_tourney.ratings.stopping import Settled, Verdict
from pips_tourney.schedule.adaptive import Table, next_depths, whole_turn
from tests.lab.simulate.adaptive import MOST, SPREAD, look, one
from tests.lab.simulate.leagues import World
from tests.lab.simulate.night import Night
from tests.lab.simulate.stopping import chance

FIELDS = ((6, 2), (12, 2), (6, 4))
"""Bots before the newcomer, and seats."""


class Way(StrEnum):
    """How the deals of a newcomer are planned."""

    TEN = "ten deals each"
    """At least 10 deals in each of its combinations; then as the rounds go."""
    TURN = "one turn each"
    """The looks begin after one turn of each of its combinations."""
    BURST = "burst"
    """One turn of each; then its deals go only to tables with its open neighbours."""


def _following(night: Night, pairs: list[tuple[str, str]], level: int, rule: Settled, way: Way) -> dict[Table, int]:
    """The depths after the next round."""
    assert rule.turn is not None
    newcomer = night.world.names[-1]
    others = [pair for pair in pairs if way is not Way.BURST or newcomer not in pair]
    planned = next_depths(night.depths, others, level, rule.max_deals, rule.turn)
    for pair in (pair for pair in pairs if pair not in others):
        for table in planned:
            if set(pair) <= set(table):
                planned[table] = max(planned[table], level)
    return planned


def _neighbours(night: Night, rule: Settled) -> list[tuple[str, str]]:
    """The newcomer with the bot above and the bot below it."""
    newcomer = night.world.names[-1]
    pairs = look(night.sums(evened=True), rule, rule.looks[0]).pairs
    return [pair.names for pair in pairs if newcomer in pair.names]


def place(night: Night, rule: Settled, way: Way) -> Verdict:
    """Play until the table with its newcomer, the world's last bot, is settled."""
    turn = whole_turn(night.world.seats, duplicate=True)
    rule = replace(rule, first=turn) if way is Way.TURN else rule
    first: int = rule.looks[0] if way is Way.TEN else turn
    night.play({table: deals or first for table, deals in night.depths.items()})
    if way is Way.BURST:
        planned = _following(night, _neighbours(night, rule), rule.looks[0], rule, way)
        if planned != night.depths:
            night.play(planned)
    verdict = look(night.sums(evened=True), rule, rule.looks[0])
    for level in rule.looks[1:]:
        open_pairs = [pair.names for pair in verdict.pairs if pair.is_open]
        planned = _following(night, open_pairs, level, rule, way)
        if planned != night.depths:
            night.play(planned)
            verdict = look(night.sums(evened=True), rule, level)
    return verdict


def joined(settled: Night, world: World) -> Night:
    """The same results in the world that has one bot more."""
    night = Night(world, settled.rng, list(combinations(world.names, world.seats)))
    night.depths |= settled.depths
    night.places |= {table: list(parts) for table, parts in settled.places.items()}
    for at, table in enumerate(settled.tables):
        night.often[night.tables.index(table)] = settled.often[at]
    return night


@dataclass(slots=True)
class Placed:
    """Leagues in which one way was taken."""

    deals: list[int] = field(default_factory=list)
    """Deals since the newcomer came."""
    undecided: list[int] = field(default_factory=list)
    """Pairs of the newcomer and a neighbour that were not decided."""
    wrong: list[bool] = field(default_factory=list)
    """Whether such a pair was decided wrongly."""


def compare(bots: int, seats: int, leagues: int, rng: np.random.Generator) -> dict[Way, Placed]:
    """Leagues whose strengths are drawn anew; every way goes on from the same night."""
    found = {way: Placed() for way in Way}
    rule = Settled.adaptive(0.95, MOST, whole_turn(seats, duplicate=True))
    for _ in range(leagues):
        drawn = tuple(rng.normal(0, SPREAD, bots + 1))
        before, after = World(bots, seats, 0.3, drawn=drawn[:-1]), World(bots + 1, seats, 0.3, drawn=drawn)
        settled = Night(before, rng, list(combinations(before.names, seats)))
        one(settled, rule)
        strength = dict(zip(after.names, after.strengths, strict=True))
        for way, placed in found.items():
            night = joined(settled, after)
            pairs = [pair for pair in place(night, rule, way).pairs if after.names[-1] in pair.names]
            placed.deals.append(night.deals - settled.deals)
            placed.undecided.append(sum(not pair.decided for pair in pairs))
            placed.wrong.append(any(p.decided and strength[p.better] < strength[p.worse] for p in pairs))
    return found


def _mean(values: list[int], digits: int) -> str:
    """The mean, and how far the true one may be in 95 % of runs."""
    error = 1.96 * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


def table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield "| bots | seats | leagues | way | deals, median (quartiles) | mean | undecided | wrong |", True
    yield "|---" * 8 + "|", True
    for bots, seats in FIELDS:
        runs = max(leagues * 12 // bots**2, 4)
        for way, placed in compare(bots, seats, runs, rng).items():
            low, middle, high = np.percentile(placed.deals, [25, 50, 75])
            deals = f"{middle:.0f} ({low:.0f} to {high:.0f}) | {_mean(placed.deals, 0)}"
            wrong = float(np.mean(placed.wrong))
            line = f"| {bots} | {seats} | {runs} | {way} | {deals} | {_mean(placed.undecided, 2)}"
            promised = wrong <= 0.05 + chance(0.05, runs) or way is not Way.TEN
            yield f"{line} | {100 * wrong:.1f} % |", promised


if __name__ == "__main__":
    for printed, _ in table(int(sys.argv[1]) if len(sys.argv) > 1 else 100, np.random.default_rng(2026)):
        print(printed, flush=True)
