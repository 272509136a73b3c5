"""Whether rare and huge luck settles a night by points too early.

    python -m tests.lab.simulate.heavy [NIGHTS [MINUTES [PROCESSES]]]

Bots are equal by points, and so is every pair that is called decided wrong. One bot has
the luck that the row names, the others have a little normal luck.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from pips_tourney.ratings.margins import rate_scores
from pips_tourney.ratings.stopping import Settled
from tests.lab.simulate.kept import Kept, asked
from tests.lab.simulate.leagues import World, schedule
from tests.lab.simulate.margins import CAP
from tests.lab.simulate.stopping import chance

Luck = np.random.Generator
CHUNK = 250
STEADY: Final = 0.1
"""The standard deviation of the others' luck, in scales."""


def _exponential(luck: Luck, shape: tuple[int, ...]) -> np.ndarray:
    return luck.exponential(0.7, shape) - 0.7


def _gambler(share: float) -> Callable[[Luck, tuple[int, ...]], np.ndarray]:
    """Wins a little nearly always, and loses a lot with that chance."""
    return lambda luck, shape: np.where(luck.random(shape) < share, share - 1, share) * 2


def _mixture(luck: Luck, shape: tuple[int, ...]) -> np.ndarray:
    return luck.normal(0, np.where(luck.random(shape) < 0.1, 0.8, 0.1))


LUCK: Final[dict[str, Callable[[Luck, tuple[int, ...]], np.ndarray]]] = {
    "normal": lambda luck, shape: luck.normal(0, 0.7, shape),
    "exponential, huge wins": _exponential,
    "exponential, huge losses": lambda luck, shape: -_exponential(luck, shape),
    "gambler, 1 in 5": _gambler(0.2),
    "gambler, 1 in 10": _gambler(0.1),
    "gambler, 1 in 20": _gambler(0.05),
    "gambler, 1 in 50": _gambler(0.02),
    "mixture": _mixture,
}
RULES: Final = {"settled": Settled(max_deals=640), "adaptive": Settled.adaptive(0.95, 640, 1)}


def early(luck: str, rule: str, bots: int, ahead: float, nights: int, rng: Luck) -> list[list[int]]:
    """By night: the deals of the first look at which a pair was decided (0: none), and
    of the look at which all were."""
    world, of = World(bots, 2, 0.0), RULES[rule]
    seating, _ = schedule(world, of.max_deals)
    tables, rows = len(seating) // of.max_deals, []
    for _ in range(nights):
        scores = rng.normal(0, STEADY, seating.shape)
        own = seating == 0
        scores[own] = LUCK[luck](rng, (int(own.sum()),)) + ahead
        decided = 0
        for deals in of.looks:
            part = slice(0, deals * tables)
            verdict = of.look(rate_scores(world.names, [(seating[part], scores[part])], CAP), deals)
            decided = decided or deals * any(pair.decided for pair in verdict.pairs)
            if verdict.settled:
                break
        rows.append([decided, deals])
    return rows


def table(nights: int, kept: Kept) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield "| luck | rule | bots | nights | wrongly decided | at the first look | deals |", True
    yield "|---|---|---|---|---|---|---|", True
    for luck in LUCK:
        for rule, bots in (("settled", 2), ("settled", 4), ("adaptive", 2)):
            rows = np.array(kept.rows(early, luck, rule, bots, 0.0, leagues=nights, chunk=CHUNK)).reshape(-1, 2)
            if not len(rows):
                continue
            wrong, first = (rows[:, 0] > 0).mean(), (rows[:, 0] == RULES[rule].looks[0]).mean()
            shares = f"{100 * wrong:.1f} % | {100 * first:.1f} %"
            line = f"| {luck} | {rule} | {bots} | {len(rows)} | {shares} | {rows[:, 1].mean():.0f} |"
            yield line, bool(wrong <= 0.05 + chance(0.05, len(rows)))
    for ahead in (0.05, 0.1, 0.2, 0.4, 0.8):
        rows = np.array(kept.rows(early, "normal", "settled", 2, ahead, leagues=nights, chunk=CHUNK)).reshape(-1, 2)
        yield (
            f"| normal, {ahead} ahead | settled | 2 | {len(rows)} | | | {rows[:, 1].sum() / max(len(rows), 1):.0f} |",
            True,
        )


if __name__ == "__main__":
    many, keeper = asked()
    broken = 0
    for printed, as_promised in table(many, keeper):
        print(printed if as_promised else f"{printed}  <- not as promised", flush=True)
        broken += not as_promised
    sys.exit(keeper.report() or min(broken, 1))
