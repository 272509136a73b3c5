"""The sums over deals of the working variances, beside their definition."""

from __future__ import annotations

import numpy as np
import pytest

from pips_tourney.ratings.fit.errors import (
    LONG_VECTOR,
    MOST_NUMBERS,
    VarianceSums,
    at_places,
    distinct,
    of_differences,
    summed_at,
)
from pips_tourney.ratings.fit.tally import Floats, Ints


def slow(shift: Floats, at: Ints, adjustment: Floats, working: Floats, often: Floats) -> Floats:
    """Satterthwaite's degrees of freedom less one, one deal after the other."""
    total, squares = np.zeros((2, len(shift), len(shift)))
    for deal, times in enumerate(often):
        influence = shift[:, at[deal]] @ adjustment[deal]
        variance = of_differences(influence @ working[deal] @ influence.T)
        total += times * variance
        squares += times * variance**2
    return np.maximum(total**2 / np.where(squares > 0, squares, np.inf) - 1, 1.0)


@pytest.mark.parametrize("q", [4, LONG_VECTOR + 1], ids=["small tables", "large tables"])
@pytest.mark.parametrize("most", [MOST_NUMBERS, 1], ids=["at once", "in parts"])
def test_freedom_is_that_of_every_deal_alone(q: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.ratings.fit.errors.MOST_NUMBERS", most)
    rng = np.random.default_rng(5)
    deals, p, m = 40, 15, 6
    shift = rng.normal(size=(m, p))
    shift[3] = shift[2]  # their difference has no variance
    at = np.array([rng.choice(p, q, replace=False) for _ in range(deals)])
    adjustment = np.eye(q) + 0.1 * rng.normal(size=(deals, q, q))
    half = rng.normal(size=(deals, q, 2))
    working, often = half @ np.swapaxes(half, 1, 2), rng.integers(1, 9, deals).astype(float)
    sums = VarianceSums(m)
    for part in (slice(0, 15), slice(15, deals)):
        sums.add(shift, at[part], adjustment[part], working[part], often[part])
    assert sums.freedom() == pytest.approx(slow(shift, at, adjustment, working, often), rel=1e-9)
    assert sums.freedom()[2, 3] == 1.0


def test_parts_go_to_their_places() -> None:
    at = distinct(np.array([[4, 1, 4, 1], [0, 2, 5, 5]]), 5)
    assert at.tolist() == [[1, 4], [0, 2]]
    matrix = np.arange(25.0).reshape(5, 5)
    assert at_places(matrix, at).tolist() == [[[6, 9], [21, 24]], [[0, 2], [10, 12]]]
    assert summed_at(np.ones((2, 2, 2)), np.array([[1, 4], [1, 5]]), 5).sum() == 5, "place 5 is none"
    assert distinct(np.array([[3, 3], [1, 2]]), 5).tolist() == [[3, 5], [1, 2]]
