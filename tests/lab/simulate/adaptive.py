"""Deals where they decide, beside equal deals: what they save, and whether they err.

Run it alone as `python -m tests.lab.simulate.adaptive [LEAGUES [MINUTES [PROCESSES]]]`.
What is missing after so many minutes is played when it is run again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np

from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.stopping import Settled, Verdict
from pips_tourney.schedule.adaptive import next_depths, whole_turn
from tests.lab.simulate.better import in_order
from tests.lab.simulate.coverage import limit, values
from tests.lab.simulate.kept import Kept, asked
from tests.lab.simulate.leagues import World, schedule
from tests.lab.simulate.margins import UNLIMITED, rated
from tests.lab.simulate.night import Night, ScoredNight
from tests.lab.simulate.stopping import chance

SPREAD = 0.7
"""The standard deviation of strengths, in that of one performance's luck."""
MOST = 640
CHUNK = 20
"""Leagues of a file."""
FIELDS = ((6, 2), (12, 2), (24, 2), (6, 4), (12, 4))
BY_POINTS = ((6, 2), (6, 4))
"""The fields that are played by points too: bots and seats."""


def look(sums: Sums, rule: Settled, level: int) -> Verdict:
    """The verdict on the table."""
    order, names = in_order(sums), sums.tally.names
    return rule.judge([names[bot] for bot in order], [float(sums.level[a, b]) for a, b in pairwise(order)], level)


def judged(night: Night, rule: Settled, level: int) -> Verdict:
    """A look at the night, by points if it has scores."""
    if isinstance(night, ScoredNight):
        return rule.look(night.margins(evened=rule.turn is not None), level)
    return look(night.sums(evened=rule.turn is not None), rule, level)


def one(night: Night, rule: Settled) -> Verdict:
    """Play until it is settled, or nothing is open, or after the last look.

    Rounds are adaptive if the rule has turns.
    """
    open_pairs: list[tuple[str, str]] = []
    for level in rule.looks:
        if open_pairs and rule.turn is not None:
            planned = next_depths(night.depths, open_pairs, level, rule.max_deals, rule.turn)
            if planned == night.depths and level < rule.max_deals:
                continue
            night.play(planned)
        else:
            night.play(dict.fromkeys(night.tables, level))
        verdict = judged(night, rule, level)
        open_pairs = [pair.names for pair in verdict.pairs if pair.is_open]
        if verdict.last or not open_pairs:
            return verdict
    raise AssertionError("the last look is the last")


def compared(bots: int, seats: int, by: str, leagues: int, rng: np.random.Generator) -> list[list[float]]:
    """Leagues whose strengths are drawn anew, with equal and with adaptive deals.

    A row each: the deals of the equal night for one of the adaptive, the neighbours not
    decided at the end of either, and whether the adaptive one decided a pair wrongly.
    """
    found, turn, kind = [], whole_turn(seats, duplicate=True), ScoredNight if by == "points" else Night
    equal = Settled(0.95, MOST, first=-(-10 // turn) * turn)
    adaptive = Settled.adaptive(0.95, MOST, turn)
    for _ in range(leagues):
        world = World(bots, seats, 0.3, drawn=tuple(rng.normal(0, SPREAD, bots).tolist()))
        tables = list(combinations(world.names, seats))
        nights = kind(world, rng, tables), kind(world, rng, tables)
        ends = [one(night, rule) for night, rule in zip(nights, (equal, adaptive), strict=True)]
        strength = dict(zip(world.names, world.strengths, strict=True))
        left = [float(sum(not pair.decided for pair in verdict.pairs)) for verdict in ends]
        wrong = any(p.decided and strength[p.better] < strength[p.worse] for p in ends[1].pairs)
        found.append([nights[0].deals / nights[1].deals, *left, float(wrong)])
    return found


WORLDS = (
    World(6, 2, 0.3),
    World(6, 2, 0.3, span=0.3, circle=0.3),
    World(12, 2, 0.3),
    World(6, 4, 0.3),
    World(6, 4, 0.3, span=0.3, circle=0.2),
)
"""Fields for the coverage of intervals at the end of adaptive nights."""


def limits(world: World, times: int, rng: np.random.Generator) -> list[list[float]]:
    """What ratings reach with unlimited equal deals."""
    return [limit(world, rng).tolist() for _ in range(times)]


def covered(world: World, truth: tuple[float, ...], nights: int, rng: np.random.Generator) -> list[list[float]]:
    """Each night's shares of ratings and differences whose intervals hold."""
    rule, found = Settled.adaptive(0.95, MOST, whole_turn(world.seats, duplicate=True)), []
    for _ in range(nights):
        night = Night(world, rng, list(combinations(world.names, world.seats)))
        one(night, rule)
        _, low, high = values(rate(night.columns(), weigh_alike=True), world.names).T
        held = (low <= truth) & (truth <= high)
        found.append([float(held[: world.bots].mean()), float(held[world.bots :].mean())])
    return found


def limits_by_points(world: World, times: int, rng: np.random.Generator) -> list[list[float]]:
    """The margins of unlimited equal deals, by name."""
    seating, _ = schedule(world, UNLIMITED)
    found = [rated(world, seating, rng) for _ in range(times)]
    return [[row.margin for row in sorted(each.rows, key=lambda row: row.bot)] for each in found]


def covered_by_points(
    world: World, truth: tuple[float, ...], nights: int, rng: np.random.Generator
) -> list[list[float]]:
    """Each night's share of margins whose intervals hold, if points decide."""
    rule, found = Settled.adaptive(0.95, MOST, whole_turn(world.seats, duplicate=True)), []
    for _ in range(nights):
        night = ScoredNight(world, rng, list(combinations(world.names, world.seats)))
        one(night, rule)
        rows = sorted(night.margins(evened=True).rows, key=lambda row: row.bot)
        held = [(row.low or 0.0) <= at <= (row.high or 0.0) for row, at in zip(rows, truth, strict=True)]
        found.append([float(np.mean(held))])
    return found


def coverage_table(leagues: int, kept: Kept) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise.

    Chance alone does not break a promise: intervals of one night hang together, so each
    night counts as one.
    """
    yield "| by | bots | seats | circle | nights | ratings, or margins | differences |", True
    yield "|---" * 7 + "|", True
    for by, world, limited, held in (
        *(("results", world, limits, covered) for world in WORLDS),
        *(("points", world, limits_by_points, covered_by_points) for world in WORLDS if world.bots == 6),
    ):
        for truth in kept.rows(limited, world, leagues=1, chunk=1):
            if nights := kept.rows(held, world, tuple(truth), leagues=leagues, chunk=CHUNK):
                yield coverage_line(by, world, np.array(nights))


def coverage_line(by: str, world: World, nights: np.ndarray) -> tuple[str, bool]:
    """The line of a world, with 95 % intervals over nights."""
    shares, errors = nights.mean(axis=0), 1.96 * nights.std(axis=0) / len(nights) ** 0.5
    cells = [f"{100 * share:.1f} ± {100 * error:.1f} %" for share, error in zip(shares, errors, strict=True)]
    luck = chance(0.05, len(nights))
    line = f"| {by} | {world.bots} | {world.seats} | {world.circle} | {len(nights)} | {' | '.join([*cells, ''][:2])} |"
    return line, all(0.93 - luck <= share <= 0.97 + luck for share in shares)


def table(leagues: int, kept: Kept) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    heads = ("by", "bots", "seats", "leagues", "saved", "quartiles", "undecided: equal", "adaptive", "more", "wrong")
    yield f"| {' | '.join(heads)} |", True
    yield "|---" * len(heads) + "|", True
    for by, bots, seats in (*(("results", *field) for field in FIELDS), *(("points", *field) for field in BY_POINTS)):
        if found := kept.rows(compared, bots, seats, by, leagues=leagues, chunk=CHUNK):
            yield compared_line(by, bots, seats, np.array(found))


def compared_line(by: str, bots: int, seats: int, found: np.ndarray) -> tuple[str, bool]:
    """The line of a field, with 95 % intervals (of the median by a bootstrap)."""
    rng = np.random.default_rng(1)
    ratios, more = found[:, 0], found[:, 2] - found[:, 1]
    low, middle, high = np.percentile(ratios, [25, 50, 75])
    ends = np.percentile(np.median(rng.choice(ratios, (500, len(ratios))), axis=1), [2.5, 97.5])
    saved = f"{middle:.2f} ({ends[0]:.2f} to {ends[1]:.2f}) | {low:.2f} to {high:.2f}"
    left = " | ".join(f"{value:.2f}" for value in found[:, 1:3].mean(axis=0))
    error = 1.96 * more.std() / len(more) ** 0.5
    wrong = float(found[:, 3].mean())
    line = f"| {by} | {bots} | {seats} | {len(found)} | {saved} | {left} | {more.mean():+.2f} ± {error:.2f} "
    return f"{line}| {100 * wrong:.1f} % |", wrong <= 0.05 + chance(0.05, len(found))


def main() -> int:
    leagues, kept = asked()
    for lines in (table, coverage_table):
        for printed, _ in lines(leagues, kept):
            print(printed, flush=True)
    return kept.report()


if __name__ == "__main__":
    sys.exit(main())
