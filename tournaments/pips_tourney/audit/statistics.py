"""The audit's tests.

Does a response depend on a label, and how small is a p after correction for many tests?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

Floats = NDArray[np.float64]

FEWEST: Final = 30
"""The fewest comparable observations for a test."""
FEWEST_A_LABEL: Final = 8
TINY: Final = 1e-12
ROUNDING: Final = 1e-9
"""A number below this share of the largest one is taken for a rounding error."""


class Dependence(NamedTuple):
    """A test's p, and by label how far its responses exceed those of its strata."""

    p: float
    excess: dict[Hashable, float]


def dependence(response: Sequence[float], label: Sequence[Hashable], stratum: Sequence[Hashable]) -> Dependence | None:
    """Whether responses within a stratum depend on their labels.

    None if there are too few observations.

    The generalised Cochran-Mantel-Haenszel test of mean scores (Landis, Heyman and Koch
    1978). Under the hypothesis, all permutations of the labels within each stratum are
    equally likely. This holds whatever the distribution of the responses.
    """
    observations = _comparable(response, label, stratum)
    counts: dict[Hashable, int] = defaultdict(int)
    for _, what, _ in observations:
        counts[what] += 1
    rare = {what for what, count in counts.items() if count < FEWEST_A_LABEL}
    if rare:
        kept = [observation for observation in observations if observation[1] not in rare]
        observations = _comparable(*zip(*kept, strict=True)) if kept else []
    labels = sorted({what for _, what, _ in observations}, key=str)
    if len(observations) < FEWEST or len(labels) < 2:
        return None
    number = {what: at for at, what in enumerate(labels)}
    total, covariance = np.zeros(len(labels)), np.zeros((len(labels), len(labels)))
    seen = np.zeros(len(labels))
    strata: dict[Hashable, list[tuple[float, int]]] = defaultdict(list)
    for value, what, where in observations:
        strata[where].append((value, number[what]))
    for members in strata.values():
        values, at = np.array([value for value, _ in members]), np.array([what for _, what in members])
        residual, size = values - values.mean(), len(values)
        by_label = np.bincount(at, minlength=len(labels)).astype(float)
        total += np.bincount(at, residual, len(labels))
        seen += by_label
        spread = float(residual @ residual) / size / (size - 1)
        covariance += spread * (size * np.diag(by_label) - np.outer(by_label, by_label))
    excess = {what: float(total[at] / seen[at]) for what, at in number.items()}
    if np.trace(covariance) < TINY:  # all responses of a stratum are equal
        return Dependence(1.0, excess)
    inverse, rank = pseudo_inverse(covariance)
    statistic = float(total @ inverse @ total)
    return Dependence(float(chdtrc(rank, statistic)), excess)


def pseudo_inverse(covariance: Floats) -> tuple[Floats, int]:
    """The inverse over the directions that have variance, and their number.

    Variances below `ROUNDING` of the largest are taken for rounding errors.
    """
    axes, vectors = np.linalg.eigh(covariance)
    used = axes > ROUNDING * axes[-1]
    return np.asarray((vectors[:, used] / axes[used]) @ vectors[:, used].T), int(used.sum())


def _comparable(
    response: Sequence[float], label: Sequence[Hashable], stratum: Sequence[Hashable]
) -> list[tuple[float, Hashable, Hashable]]:
    """The observations from strata with more than one label."""
    labels = defaultdict(set)
    for what, where in zip(label, stratum, strict=True):
        labels[where].add(what)
    return [seen for seen in zip(response, label, stratum, strict=True) if len(labels[seen[2]]) > 1]


def unequal_means(rows: Floats) -> float | None:
    """The p of Hotelling's test that all columns have the same mean.

    None if there are too few rows. Rows, here deals, are independent; columns, here
    seats, are not.
    """
    size, columns = rows.shape
    if size < max(FEWEST, 3 * columns):
        return None
    contrasts = rows[:, 1:] - rows[:, :1]
    mean, covariance = contrasts.mean(axis=0), np.atleast_2d(np.cov(contrasts, rowvar=False))
    if np.abs(mean).max() < TINY:
        return 1.0
    inverse, rank = pseudo_inverse(covariance)
    if (
        np.abs(mean - covariance @ inverse @ mean).max() > ROUNDING * np.abs(mean).max()
    ):  # some seats always had the same difference
        return float(2.0 ** (1 - size))  # the probability of that with fair seats
    statistic = size * float(mean @ inverse @ mean)
    return float(fdtrc(rank, size - rank, statistic * (size - rank) / (rank * (size - 1))))


def holm(p: Sequence[float]) -> list[float]:
    """The p-values, corrected for their number (Holm 1979).

    The probability of any false alarm stays below the level.
    """
    corrected, highest = [0.0] * len(p), 0.0
    for place, at in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, min(1.0, (len(p) - place) * p[at]))
        corrected[at] = highest
    return corrected
