"""When enough has been played.

A night that stops when its table is settled looks at fixed numbers of deals: 10, 20,
40, ... It spends its error in equal parts over the looks (K. K. G. Lan & D. L. DeMets
1983, Biometrika 70). Adaptive rounds look more often, and spend the error by a power of
the deals (K. Kim & D. L. DeMets 1987, Biometrika 74). The first look spends most, 28.7
% at 10 of 640 deals, and so settles clear pairs at once. The second spends 2.4 %, later
ones from 2.6 to 6.1 %.

The critical values come from the exact recursion of Armitage, McPherson & Rowe (1969,
JRSS A 132). They are used as levels for the clustered t tests (Jennison & Turnbull
2000, chapter 11).

Neighbouring pairs share the error, and one part for each is enough. If the printed
order is wrong, some two neighbours of the true order are decided the wrong way round
(standard errors obey the triangle inequality).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from typing import Final, Self

import numpy as np
from scipy.special import ndtr, ndtri

from pips_tourney.ratings.table import Margins, Ratings

NODES: Final = 256
"""Points of the numerical integration."""
HOPELESS: Final = 0.1
"""A pair gets no more deals if its chance to be decided by the last look is smaller."""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """Two neighbours in the table, the better one first."""

    better: str
    worse: str
    doubt: float
    """The two-sided level at which they differ."""
    decided: bool
    deals_needed: int | None
    """An estimate of the total deals after which they are decided.

    None if they will not be decided within the limit.
    """
    given_up: bool = False
    """Whether the limit would hardly decide them; if so, they get no deals."""
    more: int | None = None
    """In adaptive rounds: how many more deals the pair gets, over all combinations."""

    @property
    def names(self) -> tuple[str, str]:
        return self.better, self.worse

    @property
    def is_open(self) -> bool:
        """Whether the pair should get more deals."""
        return not self.decided and not self.given_up


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one look."""

    deals: int
    settled: bool
    last: bool
    """There is no further look: an open pair stays `not decided`."""
    pairs: tuple[PairVerdict, ...]
    round: int = 0
    """In adaptive rounds: how many rounds were played."""
    total: int = 0
    """In adaptive rounds: how many deals were played, over all combinations."""

    @property
    def deals_needed(self) -> int | None:
        """Total deals needed for every pair; None if the limit is too low."""
        needed = [pair.deals_needed for pair in self.pairs]
        return None if None in needed else max((deals for deals in needed if deals is not None), default=self.deals)


@dataclass(frozen=True, slots=True)
class Settled:
    """The rule `stop = "settled"`.

    With probability `confidence`, no two bots are decided in the wrong order.
    """

    confidence: float = 0.95
    max_deals: int = 2000
    """Maximum deals of every combination."""
    first: int = 10
    turn: int | None = None
    """In adaptive rounds, a combination plays a multiple of this number of deals."""
    growth: tuple[int, int] = (2, 1)
    """The factor from the deals of one look to those of the next, as a fraction."""
    power: float = 0.0
    """A look has spent the share (deals / most deals)**power of the error.

    With 0, all looks have equal parts.
    """

    @classmethod
    def adaptive(cls, confidence: float, max_deals: int, turn: int) -> Self:
        """The rule of adaptive rounds."""
        return cls(confidence, max_deals, turn=turn, growth=(5, 4), power=0.3)

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of deals at which the table is looked at."""
        turn, (times, by) = self.turn or 1, self.growth
        looks, deals = [], -(-self.first // turn) * turn
        while deals < self.max_deals:
            looks.append(deals)
            deals = -(-deals * times // (by * turn)) * turn
        return (*looks, self.max_deals)

    def look(self, table: Ratings | Margins, deals: int, bots: Container[str] | None = None) -> Verdict:
        """Judge the table of exactly the first `deals` deals of every combination.

        Neighbours are those by Elo, or by margin. ValueError if there is no look at
        this number of deals. With `bots` given, only these have to be put in order.
        """
        order = [row.bot for row in table.rows if bots is None or row.bot in bots]
        return self.judge(order, [table.level(a, b) for a, b in pairwise(order)], deals)

    def judge(self, table: Sequence[str], better: Sequence[float], deals: int) -> Verdict:
        """Judge a table, best first, at one of the looks.

        For each two neighbours, `better` has one less the one-sided level at which the
        upper one is better.
        """
        looks = self.looks
        if deals not in looks:
            raise ValueError(f"the table is looked at after {', '.join(map(str, looks))} deals, not after {deals}")
        levels = critical_levels(looks, (1 - self.confidence) / max(len(better), 1), self.power)
        pairs = tuple(
            self._judged(a, b, 2 * (1 - level), deals, levels)
            for (a, b), level in zip(pairwise(table), better, strict=True)
        )
        return Verdict(deals, all(pair.decided for pair in pairs), deals == looks[-1], pairs)

    def _judged(self, a: str, b: str, doubt: float, deals: int, levels: tuple[float, ...]) -> PairVerdict:
        """Judge a pair at a look; in adaptive rounds, give it up if it is hopeless."""
        looks = self.looks
        if doubt <= levels[looks.index(deals)]:
            return PairVerdict(a, b, doubt, True, deals)
        # The distance in standard errors grows with the square root of the deals.
        distance = -float(ndtri(min(doubt, 1.0) / 2))
        later = (
            look
            for look, level in zip(looks, levels, strict=True)
            if look > deals and distance * sqrt(look / deals) >= -float(ndtri(level / 2))
        )
        hopeless = self.turn is not None and _chance(distance, deals, looks[-1], levels[-1]) < HOPELESS
        return PairVerdict(a, b, doubt, False, next(later, None), hopeless)


def _chance(distance: float, deals: int, most: int, level: float) -> float:
    """The chance that the last look decides a pair that is at this distance now.

    It is the predictive probability, with a flat prior for the true difference (D. J.
    Spiegelhalter, L. S. Freedman & P. R. Blackburn 1986, Controlled Clinical Trials 7).
    """
    if deals >= most:
        return 0.0
    ahead = distance * sqrt(most / deals) + float(ndtri(level / 2))
    return float(ndtr(ahead / sqrt(most / deals - 1)))


@lru_cache
def critical_levels(looks: tuple[int, ...], alpha: float, power: float = 0.0) -> tuple[float, ...]:
    """The two-sided level of each look.

    If there is no difference, each look stops with a chance of alpha / looks. With a
    `power`, a look of d deals or one before it stops with a chance of alpha (d /
    most)**power.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    parts = (
        np.diff([0.0, *((deals / looks[-1]) ** power for deals in looks)]) if power else [1 / len(looks)] * len(looks)
    )
    levels: list[float] = []
    # Random walks that have not crossed yet, as values with weights; the variance of a
    # walk is its number of deals.
    at, mass, before = np.zeros(1), np.ones(1), 0
    for deals, part in zip(looks, parts, strict=True):
        step, spent = sqrt(deals - before), alpha * part
        low, high = 0.0, 20.0
        for _ in range(60):
            critical = (low + high) / 2
            edge = critical * sqrt(deals)
            crossed = float(mass @ (ndtr((at - edge) / step) + ndtr((-at - edge) / step)))
            low, high = (critical, high) if crossed > spent else (low, critical)
        levels.append(2 * float(ndtr(-high)))
        edge = high * sqrt(deals)
        ahead = nodes * edge
        density = np.exp(-(((ahead[:, None] - at[None, :]) / step) ** 2) / 2) @ mass / (step * sqrt(2 * np.pi))
        at, mass, before = ahead, density * weights * edge, deals
    return tuple(levels)
