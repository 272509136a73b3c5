"""The prior of clumps: beside all partitions written out, and among copies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import factorial

import numpy as np
import pytest

from pips_tourney.ratings.fit.clumps import SCALE, SHAPES, SPREADS, WITHIN, Estimates, posterior, quasi_variances
from pips_tourney.ratings.rate import rate
from tests.lab.simulate.better import ELO
from tests.lab.simulate.leagues import World, league, schedule


def runs(n: int) -> Iterator[tuple[int, ...]]:
    """All ways to cut a row of bots into runs, by their lengths."""
    for cuts in range(n):
        for at in combinations(range(1, n), cuts):
            ends = (0, *at, n)
            yield tuple(ends[x + 1] - ends[x] for x in range(cuts + 1))


def set_partitions(n: int) -> Iterator[list[int]]:
    """The sizes of all partitions of n bots."""
    if n == 0:
        yield []
        return
    for size in range(1, n + 1):
        for rest in set_partitions(n - size):
            yield from [[size, *rest]] * (factorial(n - 1) // factorial(size - 1) // factorial(n - size))


def written_out(group: Estimates) -> np.ndarray:
    """(n,) posterior means, less their mean, from every partition into runs."""
    n, order = len(group.value), np.argsort(group.value)
    total, mean = 0.0, np.zeros(n)

    def model(prior: np.ndarray, weight: float) -> None:
        nonlocal total, mean
        contrasts = np.eye(n)[1:] - np.eye(n)[:1]
        whole = contrasts @ (group.covariance + prior) @ contrasts.T
        value = contrasts @ group.value
        known = weight * np.exp(-value @ np.linalg.solve(whole, value) / 2) / np.linalg.det(whole) ** 0.5
        at = prior @ contrasts.T @ np.linalg.solve(whole, value)
        total, mean = total + known, mean + known * (at - at.mean())

    for tau in SPREADS:
        spread = tau / (1 + (tau / SCALE) ** 2)
        model(tau**2 * np.eye(n), spread)
        for c, g in SHAPES:
            size = np.arange(1, n + 1)
            share = np.where(size == 1, 1 - c, c * (1 - g) * g ** np.maximum(size - 2.0, 0))
            rate_of = n * share / (size * share).sum()
            each = [factorial(k) * rate_of[k - 1] for k in size]
            whole = sum(np.prod([each[k - 1] for k in of]) for of in set_partitions(n))
            for of in runs(n):
                label = np.repeat(np.arange(len(of)), of)
                together = np.zeros((n, n))
                together[np.ix_(order, order)] = label[:, None] == label[None, :]
                chance = np.prod([each[k - 1] for k in of]) / whole
                for s in WITHIN:
                    model(tau**2 * together + s**2 * np.eye(n), spread * chance / len(SHAPES) / len(WITHIN))
    return np.asarray(mean / total)


@pytest.mark.parametrize("value", [(0, 4, 90, 97, 230), (0, 60, 61, 62, 63), (0, 15, 30, 45, 60)])
def test_the_draws_are_those_of_all_partitions(value: tuple[float, ...]) -> None:
    root = np.random.default_rng(1).normal(0, 10, (5, 5)) + 30 * np.eye(5)
    centred = np.eye(5) - 0.2
    group = Estimates(np.array(value, float), centred @ root @ root.T @ centred)
    drawn = posterior([group], np.zeros(len(SPREADS)))
    weight = np.exp(drawn.weight - drawn.weight.max())
    found = weight @ drawn.mean[0][drawn.field] / weight.sum()
    assert found == pytest.approx(written_out(group), abs=2.5)
    assert drawn.covariance[0][drawn.field].shape == (len(weight), 5, 5)


def test_quasi_variances_are_exact_where_errors_are_independent() -> None:
    own, centred = np.array([1.0, 2.0, 3.0, 10.0]), np.eye(4) - 0.25
    assert quasi_variances(centred @ np.diag(own) @ centred) == pytest.approx(own)


def test_among_twins_less_is_said_than_in_a_normal_field() -> None:
    """Four pairs of twins 4 Elo apart: luck between twins is no strength."""
    rng, said = np.random.default_rng(3), list[float]()
    for _ in range(12):
        strengths = np.repeat(rng.normal(0, 200, 4), 2) + np.tile([0, 4], 4)
        world = World(8, 2, 0.5, drawn=tuple((strengths / ELO).tolist()))
        ratings = rate(league(world, *schedule(world, 20), rng))
        said += [ratings.difference(f"bot{twin}", f"bot{twin + 1}").better or 0.5 for twin in range(0, 8, 2)]
    assert np.mean(np.abs(np.array(said) - 0.5) > 0.45) < 0.05
    assert np.mean(np.abs(np.array(said) - 0.5)) < 0.17
