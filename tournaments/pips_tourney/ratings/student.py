"""Student's t distribution, for commands that have no scipy.

Its tail is a regularised incomplete beta function: the continued fraction of W. H.
Press et al., Numerical Recipes, 6.4, by Lentz's method.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p
from typing import Final

TINY: Final = 1e-300
STEPS: Final = 10_000


def t_probability(freedom: float, t: float) -> float:
    """The probability of a value below `t`."""
    tail = _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t), t * t / (freedom + t * t)) / 2
    return 1 - tail if t > 0 else tail


def t_quantile(freedom: float, probability: float) -> float:
    """The value with that probability below it."""
    if not (freedom > 0 and 0 < probability < 1):
        raise ValueError(f"there is no quantile {probability} with {freedom} degrees of freedom")
    if probability < 0.5:
        return -t_quantile(freedom, 1 - probability)
    low, high = 0.0, 1.0
    while t_probability(freedom, high) < probability:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if t_probability(freedom, middle) < probability else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function at `x`; `rest` is 1 - x."""
    if x == 0 or rest == 0:
        return float(rest == 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    power = a * (log(x) if x < 0.5 else log1p(-rest)) + b * (log(rest) if rest < 0.5 else log1p(-x))
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + power) / a
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _away(1 + term * d), _away(1 + term / c)
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * fraction


def _away(value: float) -> float:
    """The value, or what is next to 0 in its place."""
    return value if abs(value) > TINY else TINY
