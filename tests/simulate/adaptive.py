"""Deals where they decide, beside equal deals: what they save, and whether they err.

Run it alone as `python -m tests.simulate.adaptive [LEAGUES]`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np

from pips_tourney.ratings import Columns, rate
from pips_tourney.ratings.stopping import Settled, Verdict
from pips_tourney.ratings.sums import MODEL, Sums
from pips_tourney.ratings.tally import tally
from pips_tourney.schedule.adaptive import Table, next_depths, whole_turn
from tests.simulate.coverage import limit, values
from tests.simulate.leagues import World, performances
from tests.simulate.stopping import chance

SPREAD = 0.7
"""The standard deviation of strengths, in that of one performance's luck."""
MOST = 640
FIELDS = ((6, 2), (12, 2), (24, 2), (6, 4), (12, 4))


@dataclass(slots=True)
class Night:
    """A simulated night: the results of every combination, as far as it has played."""

    world: World
    rng: np.random.Generator
    tables: list[Table]
    places: dict[Table, list[np.ndarray]] = field(default_factory=dict)
    depths: dict[Table, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.depths = dict.fromkeys(self.tables, 0)
        self.places = {table: [] for table in self.tables}

    def play(self, planned: dict[Table, int]) -> None:
        """Play every combination up to the planned number of deals."""
        seats, names = self.world.seats, self.world.names
        number = {name: at for at, name in enumerate(names)}
        turned = [[(seat + turn) % seats for seat in range(seats)] for turn in range(seats)]
        lacks = [(table, deals - self.depths[table]) for table, deals in planned.items() if deals > self.depths[table]]
        rows = np.array([[number[bot] for bot in table] for table, _ in lacks]).reshape(-1, seats)[:, turned]
        seating = np.repeat(rows, [lack for _, lack in lacks], axis=0)
        points = performances(self.world, seating, self.rng)
        places = 1 + np.sum(points[..., None, :] > points[..., :, None], axis=-1)
        at = 0
        for (table, lack), row in zip(lacks, rows, strict=True):
            self.places[table].append(np.stack([np.broadcast_to(row, (lack, *row.shape)), places[at : at + lack]]))
            at += lack
        self.depths = dict(planned)

    def columns(self) -> Columns:
        played = np.concatenate([part for parts in self.places.values() for part in parts], axis=1)
        seats = self.world.seats
        seating, places = (side.reshape(-1, seats) for side in played)
        block = np.repeat(np.arange(played.shape[1]), seats)
        return Columns(self.world.names, block, seating, places)

    def sums(self, *, evened: bool) -> Sums:
        return Sums(tally(self.columns()), None, (), MODEL._replace(evened=evened))

    @property
    def deals(self) -> int:
        return sum(self.depths.values())


def look(sums: Sums, rule: Settled, level: int) -> Verdict:
    """The verdict on the table, bots without an Elo by the middle of what is known."""
    at = sums.likelihood.strengths if np.isnan(sums.elo).any() else sums.elo
    order = np.argsort(-at, kind="stable").tolist()
    names = sums.tally.names
    return rule.judge([names[bot] for bot in order], [float(sums.level[a, b]) for a, b in pairwise(order)], level)


def one(night: Night, rule: Settled) -> tuple[Verdict, Sums]:
    """Play until it is settled, or nothing is open, or after the last look.

    Rounds are adaptive if the rule has turns.
    """
    open_pairs: list[tuple[str, str]] = []
    for level in rule.looks:
        if open_pairs and rule.turn is not None:
            night.play(next_depths(night.depths, open_pairs, level, rule.max_deals, rule.turn))
        else:
            night.play(dict.fromkeys(night.tables, level))
        sums = night.sums(evened=rule.turn is not None)
        verdict = look(sums, rule, level)
        open_pairs = [pair.names for pair in verdict.pairs if pair.is_open]
        if verdict.last or not open_pairs:
            return verdict, sums
    raise AssertionError("the last look is the last")


@dataclass(slots=True)
class Compared:
    """Leagues played with equal and with adaptive deals."""

    ratios: list[float] = field(default_factory=list)
    """Deals of the equal night for one of the adaptive."""
    undecided: list[tuple[int, int]] = field(default_factory=list)
    """Neighbours not decided at the end, of equal and adaptive nights."""
    wrong: list[bool] = field(default_factory=list)
    """Whether an adaptive night decided a pair wrongly."""


def compare(bots: int, seats: int, leagues: int, rng: np.random.Generator) -> Compared:
    """Leagues whose strengths are drawn anew."""
    found, turn = Compared(), whole_turn(seats, duplicate=True)
    equal = Settled(0.95, MOST, first=-(-10 // turn) * turn)
    adaptive = Settled(0.95, MOST, turn=turn)
    for _ in range(leagues):
        world = World(bots, seats, 0.3, drawn=tuple(rng.normal(0, SPREAD, bots)))
        tables = list(combinations(world.names, seats))
        nights = Night(world, rng, tables), Night(world, rng, tables)
        (before, _), (after, _) = one(nights[0], equal), one(nights[1], adaptive)
        strength = dict(zip(world.names, world.strengths, strict=True))
        found.ratios.append(nights[0].deals / nights[1].deals)
        left = [sum(not pair.decided for pair in verdict.pairs) for verdict in (before, after)]
        found.undecided.append((left[0], left[1]))
        found.wrong.append(any(p.decided and strength[p.better] < strength[p.worse] for p in after.pairs))
    return found


WORLDS = (
    World(6, 2, 0.3),
    World(6, 2, 0.3, span=0.3, circle=0.3),
    World(12, 2, 0.3),
    World(6, 4, 0.3),
    World(6, 4, 0.3, span=0.3, circle=0.2),
)
"""Fields for the coverage of intervals at the end of adaptive nights."""


def covered(world: World, nights: int, truth: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Shares of the intervals of ratings, and of differences, that hold the value.

    `truth` is what ratings reach with unlimited equal deals.
    """
    rule = Settled(0.95, MOST, turn=whole_turn(world.seats, duplicate=True))
    held = []
    for _ in range(nights):
        night = Night(world, rng, list(combinations(world.names, world.seats)))
        one(night, rule)
        _, low, high = values(rate(night.columns(), model=MODEL._replace(evened=True)), world.names).T
        held.append((low <= truth) & (truth <= high))
    share = np.mean(held, axis=0)
    return float(share[: world.bots].mean()), float(share[world.bots :].mean())


def coverage_table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise.

    Chance alone does not break a promise: intervals of one night hang together, so each
    night counts as one.
    """
    yield "| bots | seats | circle | nights | ratings | differences |", True
    yield "|---" * 6 + "|", True
    for world in WORLDS:
        nights = max(leagues * 36 // world.bots**2 // (world.seats // 2), 4)
        shares = covered(world, nights, limit(world, rng), rng)
        kept = " | ".join(f"{100 * share:.1f} %" for share in shares)
        line = f"| {world.bots} | {world.seats} | {world.circle} | {nights} | {kept} |"
        luck = chance(0.05, nights)
        yield line, all(0.93 - luck <= share <= 0.97 + luck for share in shares)


def table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield "| bots | seats | leagues | deals of equal for one adaptive | undecided: equal | adaptive | wrong |", True
    yield "|---" * 7 + "|", True
    for bots, seats in FIELDS:
        runs = max(leagues * 36 // bots**2 // (seats // 2), 4)
        found = compare(bots, seats, runs, rng)
        low, middle, high = np.percentile(found.ratios, [25, 50, 75])
        undecided = " | ".join(f"{share:.2f}" for share in np.mean(found.undecided, axis=0))
        wrong = float(np.mean(found.wrong))
        ratio = f"{middle:.2f} ({low:.2f} to {high:.2f})"
        line = f"| {bots} | {seats} | {runs} | {ratio} | {undecided} | {100 * wrong:.1f} % |"
        yield line, wrong <= 0.05 + chance(0.05, runs)


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for lines in (table, coverage_table):
        for printed, _ in lines(runs, np.random.default_rng(2026)):
            print(printed, flush=True)
