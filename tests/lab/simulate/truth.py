"""Whether what is believed of an order is true, over a fixed panel of fields.

    python -m tests.lab.simulate.truth [LEAGUES [MINUTES [PROCESSES [FIELD ...]]]]

Plays this many leagues of every field, through the ratings as in a night. What is said
of neighbours in the table, of who is first and of places is compared with the truth.
Beside the log loss stands that of the same leagues where the prior knows no clumps.
Among twins there is also the log loss of somebody who knows the field (`oracle.py`).
What is missing after so many minutes is played when it is run again. With numbers of
fields, those alone are played; all that was ever played is shown.

Half of the luck belongs to the deals. Strengths are in Elo.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from pips_tourney.ratings.fit import clumps
from pips_tourney.ratings.fit.better import firsts, intervals
from pips_tourney.ratings.fit.clumps import Estimates
from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import tally
from pips_tourney.ratings.table import Margins
from tests.lab.simulate.better import ELO, in_order
from tests.lab.simulate.kept import Kept, asked
from tests.lab.simulate.leagues import World, league, schedule
from tests.lab.simulate.margins import rated
from tests.lab.simulate.oracle import twins_better

Luck = np.random.Generator
BINS = (0.5, 0.6, 0.75, 0.9, 0.95, 0.99, 1.0001)
CHUNK = 25
ORDINARY, COPIES, STEPS = "ordinary", "copies", "steps"
UNLIKE, MARGIN = "unlike deals", "margin"
TWINS, LEVELS = 4.0, 200.0
"""How far twins are apart, and the standard deviation of their levels."""


class Panelist(NamedTuple):
    """A kind of field, with the bots and seats of its tables and the deals of each."""

    name: str
    bots: int
    seats: int
    deals: int
    kind: str
    strengths: Callable[[Luck, int], np.ndarray]
    by: str = "Elo"


def _normal(sd: float) -> Callable[[Luck, int], np.ndarray]:
    return lambda luck, bots: luck.normal(0, sd, bots)


def _groups(sizes: Sequence[int], within: float, between: float) -> Callable[[Luck, int], np.ndarray]:
    """Groups of bots, by their sizes, around levels of their own."""
    return lambda luck, bots: np.repeat(luck.normal(0, between, len(sizes)), sizes) + luck.normal(0, within, bots)


def _twins(apart: float, sd: float = LEVELS) -> Callable[[Luck, int], np.ndarray]:
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
    Panelist("normal 60", 8, 2, 40, ORDINARY, _normal(60), UNLIKE),
    Panelist("normal 100", 6, 4, 10, ORDINARY, _normal(100), UNLIKE),
    Panelist("twins", 8, 2, 40, COPIES, _twins(4), UNLIKE),
    Panelist("normal 60", 8, 2, 20, ORDINARY, _normal(60), MARGIN),
    Panelist("normal 60", 6, 4, 10, ORDINARY, _normal(60), MARGIN),
    Panelist("twins", 8, 2, 20, COPIES, _twins(4), MARGIN),
)  # fmt: skip
"""The fields that every prior is judged by, in three ways to rate them."""


def said(panelist: int, leagues: int, luck: Luck) -> list[dict[str, list[float]]]:
    """What was said and what is true, a row a league."""
    of = PANEL[panelist]
    shape = World(of.bots, of.seats, 0.5)
    whole, block = schedule(shape, of.deals)
    seating, rows = whole, []
    for _ in range(leagues):
        strengths = of.strengths(luck, of.bots)
        drawn = World(of.bots, of.seats, 0.5, drawn=tuple((strengths / ELO).tolist()))
        if of.by == MARGIN:
            rows.append(_of_margins(rated(drawn, seating, luck), dict(zip(shape.names, strengths, strict=True))))
            continue
        if of.by == UNLIKE:
            seating, block = _thinned(whole, luck)
        counted = tally(league(drawn, seating, block, luck))
        true = np.array([strengths[shape.names.index(name)] for name in counted.names])
        sums = Sums(counted, weigh_alike=of.by == UNLIKE)
        row = _row(sums, true)
        if of.name == "twins":
            row["oracle"] = _pairs(sums, true, _by_the_field(sums))
        with patch.object(clumps, "MOST_BOTS", 0):
            rows.append(row | {"alone": _pairs(Sums(counted, weigh_alike=of.by == UNLIKE), true)})
    return rows


def _thinned(seating: np.ndarray, luck: Luck) -> tuple[np.ndarray, np.ndarray]:
    """A quarter to all deals of each combination, with the numbers of their blocks."""
    _, which = np.unique(np.sort(seating[:, 0], axis=1), axis=0, return_inverse=True)
    share = luck.choice([0.25, 0.5, 1.0], int(which.max()) + 1)
    kept = seating[luck.random(len(seating)) < share[which.reshape(-1)]]
    return kept, np.repeat(np.arange(len(kept)), kept.shape[1])


def _claim(chance: float, true: float, other: float) -> list[float]:
    right = float((np.sign(true - other) + 1) / 2)
    return [chance, right] if chance >= 0.5 else [1 - chance, 1 - right]


def _of_margins(found: Margins, true: dict[str, float]) -> dict[str, list[float]]:
    order = [row.bot for row in found.rows]
    pairs = [number for a, b in pairwise(order) for number in _claim(found.better[a][b], true[a], true[b])]
    return {"pairs": pairs, "first": [], "places": [], "alone": []}


def _pairs(sums: Sums, true: np.ndarray, better: np.ndarray | None = None) -> list[float]:
    chances, neighbours = sums.better if better is None else better, pairwise(in_order(sums))
    return [number for a, b in neighbours for number in _claim(float(chances[a, b]), true[a], true[b])]


def _by_the_field(sums: Sums) -> np.ndarray:
    """What somebody would say who knows that bots are twins.

    Of a field in which somebody has lost everything they say what is printed.
    """
    if len(set(sums.groups.of.tolist())) > 1:
        return sums.better
    centre = np.eye(sums.n) - 1 / sums.n
    covariance = -centre @ sums.clustered.variance[: sums.n, : sums.n] @ centre * sums.unit**2 / 2
    return twins_better(Estimates(sums.value[: sums.n] * sums.unit, covariance), TWINS, LEVELS)


def _row(sums: Sums, true: np.ndarray) -> dict[str, list[float]]:
    places = sums.belief.places(sums.rated, sums.level)
    first, ends = firsts(places, sums.belief.stronger), intervals(places)
    above = (true[None, :] > true[:, None] + 1e-9).sum(axis=1) + 1
    level = above + (np.abs(true[None, :] - true[:, None]) < 1e-9).sum(axis=1) - 1
    best = (above == 1) / (above == 1).sum()
    held = (ends[:, 0] <= level) & (above <= ends[:, 1])
    return {"pairs": _pairs(sums, true), "first": [*first.tolist(), *best.tolist()], "places": [float(held.mean())]}


def _loss(chance: np.ndarray, right: np.ndarray) -> np.ndarray:
    chance = np.clip(chance, 1e-4, 1 - 1e-4)
    return np.asarray(-right * np.log(chance) - (1 - right) * np.log(1 - chance))


def claims(rows: Sequence[dict[str, list[float]]], what: str) -> list[np.ndarray]:
    """By league (claims, 2): said and true."""
    if what == "first":
        return [np.array(row["first"]).reshape(2, -1).T for row in rows]
    return [np.array(row[what]).reshape(-1, 2) for row in rows]


class Cell(NamedTuple):
    """Claims, what was said, truth less that, and its standard error by leagues."""

    claims: int
    said: float
    off: float
    error: float

    @property
    def text(self) -> str:
        off, error = 100 * self.off, 100 * self.error
        return f"{100 * self.said:.1f}, {100 * (self.said + self.off):.1f} ({off:+.1f} ± {error:.1f})"

    def shy(self) -> float:
        """By how many points at least too little was said, beyond two errors."""
        return 100 * (self.off - 2 * self.error)

    def bold(self) -> float:
        return 100 * (-self.off - 2 * self.error)


def cells(leagues: Sequence[np.ndarray], weights: Sequence[float] | None = None) -> list[Cell | None]:
    """A cell for each of `BINS`, and one for all."""
    weights = weights or [1.0] * len(leagues)
    return [_cell(leagues, weights, low, high) for low, high in [*pairwise(BINS), (0.0, 1.1)]]


def _cell(leagues: Sequence[np.ndarray], weights: Sequence[float], low: float, high: float) -> Cell | None:
    chosen = [each[(each[:, 0] >= low) & (each[:, 0] < high)] for each in leagues]
    sums = np.array([(w * len(c), w * c[:, 0].sum(), w * c[:, 1].sum()) for c, w in zip(chosen, weights, strict=True)])
    number, one, true = sums.sum(axis=0)
    if number == 0:
        return None
    off = (true - one) / number
    error = float(np.sqrt(((sums[:, 2] - sums[:, 1] - off * sums[:, 0]) ** 2).sum())) / number
    return Cell(sum(map(len, chosen)), one / number, off, error)


MOST_BOLD = {
    ORDINARY: (4, 4, 4, 4, 4, 4, 2),
    COPIES: (99, 8, 14, 14, 6, 99, 5),
    STEPS: (1, 1, 1, 1, 1, 1, 1),
    "all": (2, 2, 2, 2, 2, 2, 1),
}
MOST_SHY = {ORDINARY: (4, 4, 4, 4, 4, 4, 2), COPIES: (99,) * 6 + (5,), STEPS: (12,) * 7, "all": (2,) * 6 + (1,)}
"""By kind of field, the points that each bin and all may be off, beyond two errors."""
MOST_LOSS, LEAST_GAIN = 0.003, 0.06
"""How much the log loss may rise in ordinary fields, and must fall among twins."""
MOST_SHARE = 0.8
"""Where it is more than this share of what the oracle gains, the share is asked for."""
FEWEST = 300
"""Bins of fewer claims are not judged."""


def broken(kind: str, found: Sequence[Cell | None]) -> Iterator[str]:
    """The targets that are missed, a sentence each."""
    names = [*(f"{100 * low:g} to {min(100, 100 * high):g} %" for low, high in pairwise(BINS)), "all claims"]
    for name, cell, bold, shy in zip(names, found, MOST_BOLD[kind], MOST_SHY[kind], strict=True):
        if cell is not None and cell.claims >= FEWEST and (cell.bold() > bold or cell.shy() > shy):
            yield f"{name}: {cell.text}"


def gain(here: Sequence[np.ndarray], alone: Sequence[np.ndarray]) -> tuple[float, float]:
    """How much larger the log loss is without clumps, and the standard error."""
    each = np.array([(_loss(*b.T) - _loss(*a.T)).mean() for a, b in zip(here, alone, strict=True)])
    return float(each.mean()), float(each.std() / len(each) ** 0.5)


def _gains(of: Panelist, rows: Sequence[dict[str, list[float]]]) -> tuple[str, str, bool]:
    """What clumps gain, what who knows the field gains, and whether that is enough."""
    if of.by == MARGIN:
        return "-", "-", True
    alone = claims(rows, "alone")
    by, error = gain(claims(rows, "pairs"), alone)
    more = f"{by:+.4f} ± {error:.4f}"
    if of.name != "twins":
        return more, "-", of.kind != ORDINARY or -by - 2 * error <= MOST_LOSS
    could, unsure = gain(claims(rows, "oracle"), alone)
    return more, f"{could:+.4f} ± {unsure:.4f}", by + 2 * error >= min(LEAST_GAIN, MOST_SHARE * could)


def table(leagues: int, kept: Kept, fields: Sequence[int] = ()) -> Iterator[str]:
    """Lines of Markdown: each field, and all of six and more bots, each alike.

    With `fields` given, numbers from 1, those alone are played.
    """
    bins = " | ".join(f"{100 * low:g}-{min(100, 100 * high):g}" for low, high in pairwise(BINS))
    yield (
        f"| field | leagues | {bins} | all | wrong over 95 | log loss | no clumps | oracle: no clumps "
        "| first: log loss | places hold |"
    )
    yield "| -- " * (len(BINS) + 8) + "|"
    idle = Kept(until=0.0)
    pairs: list[np.ndarray] = []
    weights: list[float] = []
    first: list[np.ndarray] = []
    missed: list[str] = []
    for number, of in enumerate(PANEL):
        player = kept if not fields or number + 1 in fields else idle
        rows = player.rows(said, number, leagues=leagues, chunk=CHUNK)
        if not rows:
            continue
        here, who = claims(rows, "pairs"), claims(rows, "first")
        found, field = cells(here), f"{number + 1}. {of.kind}: {of.name} {of.bots}/{of.seats}/{of.deals}, by {of.by}"
        if of.bots > 5:
            missed += [f"{field}, {sentence}" for sentence in broken(of.kind, found)]
        if of.bots > 5 and of.by == "Elo":
            pairs, first = pairs + here, first + who
            weights += [1 / len(rows) / (of.bots - 1)] * len(rows)
        every, all_first = np.concatenate(here), np.concatenate(who)
        sure = every[every[:, 0] >= 0.95]
        wrong = f"{100 * (1 - sure[:, 1].mean()):.1f}" if len(sure) else "-"
        losses = (_loss(*every.T).mean(), _loss(*all_first.T).sum() / len(rows))
        places = np.array([row["places"] or [np.nan] for row in rows])
        held, error = 100 * places.mean(), 100 * places.std() / len(rows) ** 0.5
        if held + 2 * error < 95:
            missed.append(f"{field}, places hold {held:.1f} ± {error:.1f} %")
        if of.kind == COPIES and len(sure) >= FEWEST and 1 - sure[:, 1].mean() > 0.02 + 2 * 0.14 / len(sure) ** 0.5:
            missed.append(f"{field}, over 95 %: {wrong} % wrong")
        more, most, is_well = _gains(of, rows)
        if not is_well:
            missed.append(f"{field}, log loss without clumps {more}, by who knows the field {most}")
        yield (
            f"| {field} | {len(rows)} | {' | '.join(_texts(found))} | {wrong} | {losses[0]:.4f} | {more} | {most} "
            f"| {losses[1]:.3f} | {held:.1f} |"
        )
    for what, of_all in (("all of 6 and more", cells(pairs, weights)), ("first, all", cells(first, weights))):
        missed += [f"{what}, {sentence}" for sentence in broken("all", of_all)]
        yield f"| {what} | | {' | '.join(_texts(of_all))} | | | | | | |"
    kept.missing += idle.missing
    yield f"\n{len(missed)} targets missed beyond two standard errors"
    yield from missed


def _texts(found: Sequence[Cell | None]) -> list[str]:
    return ["-" if cell is None else cell.text for cell in found]


if __name__ == "__main__":
    many, keeper = asked(leagues=2000)
    for line in table(many, keeper, [int(word) for word in sys.argv[4:]]):
        print(line, flush=True)
    sys.exit(keeper.report())
