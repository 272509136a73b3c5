"""The critical levels of the looks at a table.

The critical values come from the exact recursion of Armitage, McPherson & Rowe (1969,
JRSS A 132). They are used as levels for the clustered t tests (Jennison & Turnbull
2000, chapter 11).
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

NODES: Final = 256
"""Points of the numerical integration."""
HOPELESS: Final = 0.1
"""A pair less likely to be decided by the last look gets no more deals."""


class Looks:
    """The looks at a table, and the level of each; `alpha` is the error of a pair."""

    def __init__(self, looks: tuple[int, ...], alpha: float, power: float, *, gives_up: bool) -> None:
        self._looks, self._gives_up = looks, gives_up
        self._levels = critical_levels(looks, alpha, power)

    def judged(self, doubt: float, deals: int) -> tuple[bool, int | None, bool]:
        """Judge a pair at a look, by the two-sided level at which it differs.

        Returns whether it is decided, how many deals decide it, and whether it is given
        up. See `PairVerdict`.
        """
        if doubt <= self._levels[self._looks.index(deals)]:
            return True, deals, False
        # The distance in standard errors grows with the square root of the deals.
        distance = -float(ndtri(min(doubt, 1.0) / 2))
        later = (
            look
            for look, level in zip(self._looks, self._levels, strict=True)
            if look > deals and distance * sqrt(look / deals) >= -float(ndtri(level / 2))
        )
        hopeless = self._gives_up and _chance(distance, deals, self._looks[-1], self._levels[-1]) < HOPELESS
        return False, next(later, None), hopeless


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
