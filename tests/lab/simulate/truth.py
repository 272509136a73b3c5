"""Whether what is believed of an order is true, over a fixed panel of fields.

    python -m tests.lab.simulate.truth [LEAGUES [MINUTES [PROCESSES]]]

Plays this many leagues of every field, through the ratings as in a night. What is said
of neighbours in the table, of who is first and of places is compared with the truth.
What is missing after so many minutes is played when it is run again.

Half of the luck belongs to the deals. Strengths are in Elo.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pips_tourney.ratings.better import firsts, intervals
from pips_tourney.ratings.sums import MODEL, Sums
from pips_tourney.ratings.tally import tally
from tests.lab.simulate.better import ELO, in_order
from tests.lab.simulate.kept import Kept, asked
from tests.lab.simulate.leagues import World, league, schedule

Luck = np.random.Generator
BINS = (0.5, 0.6, 0.75, 0.9, 0.95, 0.99, 1.0001)
CHUNK = 25
ORDINARY, COPIES, STEPS = "ordinary", "copies", "steps"


class Panelist(NamedTuple):
    """A kind of field, with the bots and seats of its tables and the deals of each."""

    name: str
    bots: int
    seats: int
    deals: int
    kind: str
    strengths: Callable[[Luck, int], np.ndarray]


def _normal(sd: float) -> Callable[[Luck, int], np.ndarray]:
    return lambda luck, bots: luck.normal(0, sd, bots)


def _groups(sizes: Sequence[int], within: float, between: float) -> Callable[[Luck, int], np.ndarray]:
    """Groups of so many bots around levels of their own."""
    return lambda luck, bots: np.repeat(luck.normal(0, between, len(sizes)), sizes) + luck.normal(0, within, bots)


def _twins(apart: float, sd: float = 200) -> Callable[[Luck, int], np.ndarray]:
    return lambda luck, bots: np.repeat(luck.normal(0, sd, bots // 2), 2) + np.tile([0.0, apart], bots // 2)


def _two(*parts: tuple[int, float, float]) -> Callable[[Luck, int], np.ndarray]:
    """So many bots around a level with a standard deviation, and others."""
    return lambda luck, _: np.concatenate([luck.normal(level, sd, bots) for bots, level, sd in parts])


PANEL = (
    Panelist("twins", 8, 2, 20, COPIES, _twins(4)),
    Panelist("twins", 8, 2, 100, COPIES, _twins(4)),
    Panelist("twins", 6, 4, 10, COPIES, _twins(4)),
    Panelist("two clumps", 8, 2, 20, COPIES, lambda luck, n: np.repeat([0.0, 200], n // 2) + luck.normal(0, 10, n)),
    Panelist("two clumps", 8, 2, 100, COPIES, lambda luck, n: np.repeat([0.0, 200], n // 2) + luck.normal(0, 10, n)),
    Panelist("outlier", 8, 2, 20, COPIES, lambda luck, n: np.append(luck.normal(0, 15, n - 1), -500)),
    Panelist("heavy tails", 8, 2, 20, ORDINARY, lambda luck, n: 40 * luck.standard_t(2, n)),
    Panelist("class", 16, 2, 20, COPIES, _two((10, 0, 5), (6, 30, 150))),
    Panelist("copies", 23, 2, 20, COPIES, _two((20, 0, 3), (3, 150, 50))),
    Panelist("versions", 10, 2, 20, STEPS, _twins(15, 150)),
    Panelist("versions", 10, 2, 100, STEPS, _twins(15, 150)),
    Panelist("ladder", 12, 2, 20, STEPS, lambda _, n: 20.0 * np.arange(n)),
    Panelist("normal 15", 8, 2, 20, ORDINARY, _normal(15)),
    Panelist("normal 30", 8, 2, 20, ORDINARY, _normal(30)),
    Panelist("normal 15", 8, 2, 100, ORDINARY, _normal(15)),
    Panelist("normal 30", 8, 2, 100, ORDINARY, _normal(30)),
    Panelist("normal 100", 8, 2, 20, ORDINARY, _normal(100)),
    Panelist("normal 300", 8, 2, 20, ORDINARY, _normal(300)),
    Panelist("normal 60", 6, 4, 10, ORDINARY, _normal(60)),
    Panelist("normal 60", 2, 2, 20, ORDINARY, _normal(60)),
    Panelist("normal 60", 30, 2, 20, ORDINARY, _normal(60)),
    Panelist("exponential", 8, 2, 20, ORDINARY, lambda luck, n: luck.exponential(60, n)),
    Panelist("half twins", 8, 2, 20, COPIES, _groups((2, 2, 1, 1, 1, 1), 2, 150)),
    Panelist("triples", 12, 2, 20, COPIES, _groups((3, 3, 3, 3), 8, 120)),
    Panelist("families", 16, 2, 20, COPIES, lambda luck, _: np.concatenate(
        [luck.normal(luck.normal(0, 100), 4, 5), luck.normal(0, 100) + 15.0 * np.arange(4), luck.normal(0, 100, 7)]
    )),
    Panelist("quads", 12, 2, 40, COPIES, _groups((4, 4, 4), 6, 150)),
    Panelist("six the same", 8, 2, 50, COPIES, lambda luck, _: np.array([0.0] * 6 + [-300, 300])),
    Panelist("uniform", 10, 2, 20, ORDINARY, lambda luck, n: luck.uniform(-200, 200, n)),
    Panelist("laplace", 9, 2, 20, ORDINARY, lambda luck, n: luck.laplace(0, 50, n)),
    Panelist("two wide clumps", 10, 2, 20, ORDINARY, lambda luck, n: np.repeat([0, 300], 5) + luck.normal(0, 60, n)),
    Panelist("twins 10 apart", 8, 4, 5, COPIES, _twins(10)),
)  # fmt: skip
"""The fields that every prior is judged by. The last six were added before any run."""


def said(panelist: int, leagues: int, luck: Luck) -> list[dict[str, list[float]]]:
    """What was said and what is true, a row a league."""
    of = PANEL[panelist]
    shape = World(of.bots, of.seats, 0.5)
    seating, block = schedule(shape, of.deals)
    rows = []
    for _ in range(leagues):
        strengths = of.strengths(luck, of.bots)
        drawn = World(of.bots, of.seats, 0.5, drawn=tuple((strengths / ELO).tolist()))
        sums = Sums(tally(league(drawn, seating, block, luck)), None, (), MODEL)
        rows.append(_row(sums, np.array([strengths[shape.names.index(name)] for name in sums.tally.names])))
    return rows


def _row(sums: Sums, true: np.ndarray) -> dict[str, list[float]]:
    pairs: list[float] = []
    for a, b in pairwise(in_order(sums)):
        chance, right = float(sums.better[a, b]), (np.sign(true[a] - true[b]) + 1) / 2
        pairs += [chance, float(right)] if chance >= 0.5 else [1 - chance, float(1 - right)]
    places = sums.belief.places(sums.rated, sums.level)
    first, ends = firsts(places, sums.belief.stronger), intervals(places, 0.95)
    above = (true[None, :] > true[:, None] + 1e-9).sum(axis=1) + 1
    level = above + (np.abs(true[None, :] - true[:, None]) < 1e-9).sum(axis=1) - 1
    best = (above == 1) / (above == 1).sum()
    held = (ends[:, 0] <= level) & (above <= ends[:, 1])
    return {"pairs": pairs, "first": [*first.tolist(), *best.tolist()], "places": [float(held.mean())]}


def _loss(chance: np.ndarray, right: np.ndarray) -> np.ndarray:
    chance = np.clip(chance, 1e-4, 1 - 1e-4)
    return np.asarray(-right * np.log(chance) - (1 - right) * np.log(1 - chance))


def claims(rows: Sequence[dict[str, list[float]]], what: str) -> list[np.ndarray]:
    """By league (claims, 2): said and true."""
    if what == "pairs":
        return [np.array(row["pairs"]).reshape(-1, 2) for row in rows]
    return [np.array(row["first"]).reshape(2, -1).T for row in rows]


def cells(leagues: Sequence[np.ndarray], weights: Sequence[float] | None = None) -> Iterator[str]:
    """Said, true and the standard error by leagues of their difference, in percent."""
    weights = weights or [1.0] * len(leagues)
    for low, high in [*pairwise(BINS), (0.0, 1.1)]:
        sums = np.array(
            [
                (w * len(c), w * c[:, 0].sum(), w * c[:, 1].sum())
                for each, w in zip(leagues, weights, strict=True)
                for c in [each[(each[:, 0] >= low) & (each[:, 0] < high)]]
            ]
        )
        number, one, true = sums.sum(axis=0)
        if number == 0:
            yield "-"
            continue
        off = (true - one) / number
        error = float(np.sqrt(((sums[:, 2] - sums[:, 1] - off * sums[:, 0]) ** 2).sum())) / number
        yield f"{100 * one / number:.1f}, {100 * true / number:.1f} ({off * 100:+.1f} ± {100 * error:.1f})"


def table(leagues: int, kept: Kept) -> Iterator[str]:
    """Lines of Markdown: each field, and all of six and more bots, each alike."""
    bins = " | ".join(f"{100 * low:g}-{min(100, 100 * high):g}" for low, high in pairwise(BINS))
    yield f"| field | leagues | {bins} | all | wrong over 95 | log loss | first: log loss | places hold |"
    yield "| -- " * (len(BINS) + 6) + "|"
    pairs: list[np.ndarray] = []
    weights: list[float] = []
    first: list[np.ndarray] = []
    for number, of in enumerate(PANEL):
        rows = kept.rows(said, number, leagues=leagues, chunk=CHUNK)
        if not rows:
            continue
        here, who = claims(rows, "pairs"), claims(rows, "first")
        if of.bots > 5:
            pairs, first = pairs + here, first + who
            weights += [1 / len(rows) / (of.bots - 1)] * len(rows)
        every, all_first = np.concatenate(here), np.concatenate(who)
        sure = every[every[:, 0] >= 0.95]
        wrong = f"{100 * (1 - sure[:, 1].mean()):.1f}" if len(sure) else "-"
        losses = (_loss(*every.T).mean(), _loss(*all_first.T).sum() / len(rows))
        held = 100 * np.mean([row["places"] for row in rows])
        field = f"{of.kind}: {of.name} {of.bots}/{of.seats}/{of.deals}"
        yield (
            f"| {field} | {len(rows)} | {' | '.join(cells(here))} | {wrong} | {losses[0]:.4f} "
            f"| {losses[1]:.3f} | {held:.1f} |"
        )
    yield f"| all of 6 and more | | {' | '.join(cells(pairs, weights))} | | | | |"
    yield f"| first, all | | {' | '.join(cells(first, weights))} | | | | |"


if __name__ == "__main__":
    many, keeper = asked()
    for line in table(many, keeper):
        print(line, flush=True)
    sys.exit(keeper.report())
