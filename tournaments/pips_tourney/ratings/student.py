"""Student's t distribution, for commands that have no scipy."""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt
from statistics import NormalDist
from typing import Final

MANY: Final = 200
"""With more degrees of freedom, quantiles are expanded around the normal ones."""


def t_probability(freedom: int, t: float) -> float:
    """The probability of a value below `t`, as a finite sum.

    Source: M. Abramowitz & I. Stegun, Handbook of Mathematical Functions, 26.7.3 and
    26.7.4.
    """
    angle, odd = atan2(t, sqrt(freedom)), freedom % 2
    term = total = 0.0 if freedom == 1 else cos(angle) if odd else 1.0
    for number in range(2 + odd, freedom - 1, 2):
        term *= (number - 1) / number * cos(angle) ** 2
        total += term
    return 0.5 + ((angle + sin(angle) * total) / pi if odd else sin(angle) * total / 2)


def t_quantile(freedom: int, probability: float) -> float:
    """The value with this probability below it, to seven digits."""
    if not (freedom > 0 and 0 < probability < 1):
        raise ValueError(f"there is no quantile {probability} with {freedom} degrees of freedom")
    z = NormalDist().inv_cdf(probability)
    if freedom > MANY:  # 26.7.5
        terms = z**3 + z, 5 * z**5 + 16 * z**3 + 3 * z, 3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z
        return z + terms[0] / (4 * freedom) + terms[1] / (96 * freedom**2) + terms[2] / (384 * freedom**3)
    low, high = min(z, 0.0), max(z, 0.0)  # the tails are heavier than the normal ones
    while t_probability(freedom, low) > probability:
        low *= 2
    while t_probability(freedom, high) < probability:
        high *= 2
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if t_probability(freedom, middle) < probability else (low, middle)
    return high
