"""Glicko-2 (M. Glickman 2012, www.glicko.net/glicko/glicko2.pdf), to be held beside."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, pi, sqrt
from typing import Final

import numpy as np
from scipy.optimize import brentq

from pips_tourney.ratings.fit.tally import Floats

GLICKO: Final = 173.7178
TAU: Final = 0.5


def glicko2(nights: Sequence[Floats]) -> Floats:
    """A night is a rating period."""
    n = len(nights[0])
    mu, phi, sigma = np.zeros(n), np.full(n, 350 / GLICKO), np.full(n, 0.06)
    for points in nights:
        mu, phi, sigma = period(mu, phi, sigma, points)
    g = 1 / np.sqrt(1 + 3 * (phi[:, None] ** 2 + phi**2) / pi**2)
    return np.asarray(1 / (1 + np.exp(-g * (mu[:, None] - mu))))


def period(mu: Floats, phi: Floats, sigma: Floats, points: Floats) -> tuple[Floats, Floats, Floats]:
    """Ratings, deviations and volatilities after a period, in Glicko-2's own units."""
    matches, g = points + points.T, 1 / np.sqrt(1 + 3 * phi**2 / pi**2)
    chance = 1 / (1 + np.exp(-g * (mu[:, None] - mu)))
    known = (matches * g**2 * chance * (1 - chance)).sum(axis=1)
    gain = (g * (points - matches * chance)).sum(axis=1)
    each = zip(sigma.tolist(), phi.tolist(), known.tolist(), gain.tolist(), strict=True)
    sigma = np.array([_volatility(s, p, 1 / k, d / k) if k > 0 else s for s, p, k, d in each])
    phi = 1 / np.sqrt(1 / (phi**2 + sigma**2) + known)
    return mu + phi**2 * gain, phi, sigma


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    a = log(sigma**2)

    def slope(x: float) -> float:
        e = exp(x)
        return e * (delta**2 - phi**2 - v - e) / (2 * (phi**2 + v + e) ** 2) - (x - a) / TAU**2

    return sqrt(exp(brentq(slope, a - 20, a + 20)))
