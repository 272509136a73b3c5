"""Fit a model's weights to positions, and say how well its values come true.

A logistic regression of a pair's result on the differences of their features. Between
two knots the weights change evenly with what is left. Fitted by Newton's method with a
ridge that is small beside the data (Hastie, Tibshirani, Friedman, The Elements of
Statistical Learning, 2nd ed., section 4.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tests.lab.worth.positions import Pairs

KNOTS: dict[str, tuple[int, ...]] = {
    "serpent": (0, 3, 6, 12, 24, 48, 96, 144),
    "wichita": (0, 2, 6, 12, 24, 48, 96),
    "pippip": (0, 1, 3, 7, 13, 26, 52, 104),
    "dominion": (0, 2, 4, 8, 16, 32, 64, 128, 200),
}
RIDGE = 0.3
"""The penalty on a weight, for a feature of standard deviation 1."""
NEWTON_STEPS = 30
BINS = 10

Array = NDArray[np.float64]


def hats(left: Array, knots: tuple[int, ...]) -> Array:
    """The part each knot has in the weights: (positions, knots), rows sum to 1."""
    inside = np.clip(left, knots[0], knots[-1])
    return np.stack([np.interp(inside, knots, row) for row in np.eye(len(knots))], axis=1)


def fit(pairs: Pairs, knots: tuple[int, ...]) -> Array:
    """The weights by knot and feature, in logits a unit: shape (knots, features)."""
    scale = np.maximum(pairs.differences.std(axis=0), 1e-9)
    parts = hats(pairs.left, knots)
    features = pairs.differences / scale
    design = (parts[:, :, None] * features[:, None, :]).reshape(len(features), -1)
    weights = np.zeros(design.shape[1])
    for _ in range(NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (pairs.results - chances) - RIDGE * weights
        curve = (design * (chances * (1 - chances))[:, None]).T @ design
        curve[np.diag_indices_from(curve)] += RIDGE
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    fitted: Array = weights.reshape(len(knots), -1) / scale
    return fitted


@dataclass(frozen=True)
class Bin:
    """Pairs of about the same value: what was said, what came, and its error."""

    pairs: int
    said: float
    came: float
    error: float
    """The standard error of `came`, by matches, as positions of one match are alike."""


@dataclass(frozen=True)
class Reliability:
    """How well values came true in matches that the fit has not seen."""

    bins: tuple[Bin, ...]
    brier: float
    """The mean squared error of a value; 0.25 is what one half for all would have."""

    @property
    def worst(self) -> float:
        """The largest gap between said and came, in points of a percent."""
        return max([100 * abs(each.said - each.came) for each in self.bins])


def reliability(chances: Array, pairs: Pairs) -> Reliability:
    """Said against came, in ten bins of equal width; bins of few pairs are left out."""
    bins = []
    for place in range(BINS):
        inside = (chances >= place / BINS) & (chances < (place + 1) / BINS + (place == BINS - 1))
        if inside.sum() < 100:
            continue
        said, came = chances[inside].mean(), pairs.results[inside].mean()
        bins.append(Bin(int(inside.sum()), said, came, _error(pairs.results[inside] - came, pairs.matches[inside])))
    return Reliability(tuple(bins), float(np.mean((chances - pairs.results) ** 2)))


def _error(residuals: Array, matches: NDArray[np.int64]) -> float:
    """The standard error of their mean, clustered by match."""
    sums = np.bincount(matches, residuals)
    return sqrt(float((sums**2).sum())) / len(residuals)
