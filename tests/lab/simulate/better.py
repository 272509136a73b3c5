"""Whether "better" is true as often as it is said.

Bots are drawn from fields of a known spread. For every two neighbours in a table, the
printed chance that the upper one is better is compared with the truth.

`python -m tests.lab.simulate.better [LEAGUES [MINUTES [PROCESSES]]]` runs it. What
is missing after so many minutes is played when it is run again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import Columns, tally
from pips_tourney.ratings.rate import rate
from tests.lab.simulate.kept import Kept, asked
from tests.lab.simulate.leagues import World, league, schedule

ELO: float = 4 / (2 * np.pi**0.5) * 400 / np.log(10)
"""Elo of one standard deviation of a performance's luck, between close bots."""
BANDS = ((0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 0.999))
SPREADS = (15, 30, 100, 300)
CHUNK = 100
"""Leagues of a file."""
WITHIN = 0.02
"""How far a band may be from the truth, besides three standard errors of its own."""


def neighbours(world: World, spread: float, deals: int, leagues: int, rng: np.random.Generator) -> list[list[float]]:
    """Said and true, of the neighbours in the tables of this many leagues.

    A row a league: said, true, said, true, ... `spread` is in Elo.
    """
    seating, block = schedule(world, deals)
    found = []
    for _ in range(leagues):
        strength = rng.normal(0, spread / ELO, world.bots)
        drawn = World(world.bots, world.seats, world.share, drawn=tuple(strength.tolist()))
        sums = Sums(tally(league(drawn, seating, block, rng)))
        true = {name: float(at) for name, at in zip(world.names, strength, strict=True)}
        row = []
        for a, b in pairwise(in_order(sums)):
            said = round(float(sums.better[a, b]), 4)
            upper_is = true[sums.tally.names[a]] > true[sums.tally.names[b]]
            row += [said, float(upper_is)] if said >= 0.5 else [1 - said, float(not upper_is)]
        found.append(row)
    return found


def in_order(sums: Sums) -> list[int]:
    """The bots, best first; those without an Elo by the middle of what is known."""
    at = sums.likelihood.strengths if np.isnan(sums.elo).any() else sums.elo
    return [int(bot) for bot in np.argsort(-at, kind="stable")]


def pairs_of(leagues: Sequence[Sequence[float]]) -> np.ndarray:
    """(pairs, 2) said and true, of all leagues."""
    return np.array([value for row in leagues for value in row], float).reshape(-1, 2)


def of_bands(found: np.ndarray) -> list[tuple[float, float, int] | None]:
    """By band: the mean of what is said, how often it is true, and the number of pairs.

    None for a band without pairs.
    """
    bands = []
    for low, high in BANDS:
        said, true = found[(found[:, 0] >= low) & (found[:, 0] < high)].T
        bands.append((float(said.mean()), float(true.mean()), len(said)) if len(said) else None)
    return bands


WORLDS = (
    (World(8, 2, 0.5), 50, 1),
    (World(8, 2, 0.5), 200, 1),
    (World(16, 2, 0.5), 20, 1),
    (World(16, 2, 0.5), 50, 1),
    (World(8, 4, 0.5), 1, 5),
    (World(8, 4, 0.5), 5, 2),
    (World(8, 4, 0.5), 20, 1),
)
"""Fields, deals of every combination, and how many times the usual leagues are played.

Short nights at four seats are quick, and have more pairs that are not sure.
"""


def table(leagues: int, kept: Kept) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise.

    Chance alone does not break a promise. All fields of a spread follow, together.
    """
    bands = " | ".join(f"{100 * low:g} to {100 * high:g}" for low, high in BANDS)
    yield f"| bots | seats | deals | leagues | spread | {bands} |", True
    yield "|---" * (5 + len(BANDS)) + "|", True
    together: dict[tuple[int, int], list[np.ndarray]] = {}
    for world, deals, times in WORLDS:
        for spread in SPREADS:
            rows = kept.rows(neighbours, world, spread, deals, leagues=times * leagues, chunk=CHUNK)
            found = pairs_of(rows)
            together.setdefault((world.seats, spread), []).append(found)
            cells, kept_all = [], True
            for band in of_bands(found):
                if band is None:
                    cells.append("-")
                    continue
                said, true, number = band
                cells.append(f"{100 * said:.1f}: {100 * true:.1f} ({number})")
                allowed = WITHIN + 3 * (said * (1 - said) / number) ** 0.5
                kept_all &= abs(said - true) <= allowed
            yield f"| {world.bots} | {world.seats} | {deals} | {len(rows)} | {spread} | {' | '.join(cells)} |", kept_all
    yield from together_lines(together, bands)


def together_lines(together: Mapping[tuple[int, int], Sequence[np.ndarray]], bands: str) -> Iterator[tuple[str, bool]]:
    """Said, true, and the difference with its 95 % interval, by seats and spread."""
    yield "", True
    yield f"| seats | spread | {bands} |", True
    yield "|---" * (2 + len(BANDS)) + "|", True
    for (seats, spread), parts in sorted(together.items()):
        cells = []
        for band in of_bands(np.concatenate(parts)):
            if band is None:
                cells.append("-")
                continue
            said, true, number = band
            error = 196 * (said * (1 - said) / number) ** 0.5
            cells.append(f"{100 * said:.1f}: {100 * true:.1f}, {100 * (true - said):+.1f} ± {error:.1f}")
        yield f"| {seats} | {spread} | {' | '.join(cells)} |", True


def circle(edges: np.ndarray, deals: int, rng: np.random.Generator) -> Columns:
    """A league of two seats with given chances.

    `edges` (n, n) is the chance that the row's bot wins against the column's.
    """
    bots = len(edges)
    names = [f"bot{number}" for number in range(bots)]
    pairs = np.array([(a, b) for a in range(bots) for b in range(a + 1, bots)])
    seating = np.tile(np.stack([pairs, pairs[:, ::-1]], axis=1)[:, None], (1, deals, 1, 1)).reshape(-1, 2)
    won = rng.random(len(seating)) < edges[seating[:, 0], seating[:, 1]]
    places = np.where(won[:, None], [1, 2], [2, 1])
    return Columns(names, np.repeat(np.arange(len(seating) // 2), 2), seating, places)


def edges(bots: int, wins: dict[tuple[int, int], float]) -> np.ndarray:
    """(n, n) chances; level where nothing is said."""
    chance = np.full((bots, bots), 0.5)
    for (a, b), won in wins.items():
        chance[a, b], chance[b, a] = won, 1 - won
    return chance


ADA_AND_BO = edges(5, {(0, 1): 0.6, (0, 2): 0.6, (0, 3): 0.6, (0, 4): 0.6, (1, 2): 0.97, (1, 3): 0.97, (1, 4): 0.97})
"""Bot 0 beats everybody 60 to 40.

Bot 1 loses to it and crushes three weak ones, so it has more Elo.
"""
SWEPT = 1 / (1 + 10 ** (-558 / 400))


def ada_better(leagues: int, rng: np.random.Generator) -> tuple[float, float]:
    """The shares of leagues of 100 deals that call ada better, and that call bo better.

    A bot is called better with over 95 %.
    """
    said = [rate(circle(ADA_AND_BO, 100, rng)).difference("bot0", "bot1").better or 0.5 for _ in range(leagues)]
    return float(np.mean(np.array(said) > 0.95)), float(np.mean(np.array(said) < 0.05))


def swept_said(bots: int, leagues: int, rng: np.random.Generator) -> float:
    """The share of leagues of 10 deals that say the truth about the last two bots.

    The stronger of them, by 558 Elo, is called so with 95 %. The others are between and
    above, as in a night of sample bots.
    """
    far = 558.0 / 400
    elos = np.array([0.0, -far, *(0.2 * np.arange(bots - 2))])
    chance = 1 / (1 + 10 ** (elos[None, :] - elos[:, None]))
    said = [rate(circle(chance, 10, rng)).difference("bot0", "bot1").better or 0.0 for _ in range(leagues)]
    return float(np.mean(np.array(said) > 0.95))


def told_table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield "| league | said | share of leagues |", True
    yield "|---|---|---|", True
    ada, bo = ada_better(leagues, rng)
    yield f"| ada beats all 60:40, bo crushes three | ada is better, over 95 % | {100 * ada:.1f} % |", ada > 0.5
    yield f"| the same | bo is better, over 95 % | {100 * bo:.1f} % |", bo <= 0.01
    for bots in (2, 4, 6):
        share = swept_said(bots, leagues, rng)
        least = 0.9 - 3 * (0.09 / leagues) ** 0.5
        yield (
            f"| {bots} bots, two of them 558 Elo apart, 10 deals | the stronger one, over 95 % | {100 * share:.1f} % |",
            share >= least,
        )


ROCK_PAPER_SCISSORS = edges(3, {(0, 1): 0.6, (1, 2): 0.6, (2, 0): 0.6})


def told_of_circles(chance: np.ndarray, deals: int, leagues: int, rng: np.random.Generator) -> tuple[float, float]:
    """Shares of leagues said not to fit an order, and of leagues with a circle."""
    of = [rate(circle(chance, deals, rng)).circles for _ in range(leagues)]
    said = [each for each in of if each is not None]
    return float(np.mean([each.found for each in said])), float(np.mean([bool(each.circle) for each in said]))


def circles_table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise.

    Chance alone does not break a promise.
    """
    yield "| league | deals | does not fit | a circle is named |", True
    yield "|---|---|---|---|", True
    found, named = told_of_circles(ROCK_PAPER_SCISSORS, 100, leagues, rng)
    least = 0.95 - 3 * (0.95 * 0.05 / leagues) ** 0.5
    yield f"| three bots in a circle, 60:40 | 100 | {100 * found:.1f} % | {100 * named:.1f} % |", named >= least
    for bots, edge, deals in ((6, 0.7, 20), (6, 0.6, 100)):
        chance = edges(bots, {(0, 1): edge, (1, 2): edge, (2, 0): edge})
        found, named = told_of_circles(chance, deals, leagues, rng)
        line = f"| such three of {bots}, {100 * edge:.0f}:{100 - 100 * edge:.0f} | {deals} "
        yield f"{line}| {100 * found:.1f} % | {100 * named:.1f} % |", True
    most = 0.01 + 3 * (0.01 * 0.99 / leagues) ** 0.5
    for bots, spread, deals in ((3, 0, 100), (6, 100, 20), (6, 100, 100), (6, 300, 20), (12, 50, 20)):
        elo = rng.normal(0, spread, bots)
        found, named = told_of_circles(1 / (1 + 10 ** ((elo - elo[:, None]) / 400)), deals, leagues, rng)
        line = f"| {bots} bots without a circle, spread {spread} Elo | {deals} | {100 * found:.1f} % |"
        yield f"{line} {100 * named:.1f} % |", found <= most


if __name__ == "__main__":
    number, keeper = asked()
    for printed, _ in table(number, keeper):
        print(printed, flush=True)
    sys.exit(keeper.report())
