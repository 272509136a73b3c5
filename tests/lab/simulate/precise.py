"""Whether rounding decides what is said of an order.

    python -m tests.lab.simulate.precise [FITS]

Fits of 4 to 40 bots, sparse schedules among them, are worked out a second time: with 64
bits of mantissa and eliminations of its own, where the ratings use those of LAPACK, and
no eigenvalues. No probability may differ by more than 0.001, nor change with names.
"""

from __future__ import annotations

import sys
from unittest.mock import patch

import numpy as np

from pips_tourney.ratings.fit import clumps
from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import Columns, tally

CLOSE = 0.001


def inverse(matrix: np.ndarray) -> np.ndarray:
    """The inverse of matrices (..., n, n) by Gauss and Jordan, in long doubles."""
    return _eliminated(matrix)[0]


def slogdet(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sign and logarithm of determinants, likewise; of positive ones."""
    size = _eliminated(matrix)[1]
    return np.ones_like(size), size


def _eliminated(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverses and log determinants of positive definite matrices."""
    n = matrix.shape[-1]
    left = np.array(matrix, np.longdouble)
    right = np.broadcast_to(np.eye(n, dtype=np.longdouble), left.shape).copy()
    size = np.zeros(left.shape[:-2], np.longdouble)
    for at in range(n):
        pivot = left[..., at, at].copy()
        size += np.log(np.abs(pivot))
        for side in (left, right):
            side[..., at, :] /= pivot[..., None]
        rest = left[..., :, at].copy()
        rest[..., at] = 0
        left -= rest[..., :, None] * left[..., at, None, :]
        right -= rest[..., :, None] * right[..., at, None, :]
    return right.astype(float), size.astype(float)


def alone(group: clumps.Estimates) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `clumps._alone`, but without eigenvalues."""
    return clumps._solved(group, np.eye(len(group.value)) * clumps.SPREADS[:, None, None] ** 2)


def league(number: int) -> Columns:
    """A league of that number: who meets whom is random, and everybody is connected."""
    luck = np.random.default_rng([37, number])
    n, deals = int(luck.integers(4, 41)), int(luck.integers(2, 12))
    strengths = luck.normal(0, luck.choice([0.02, 0.2, 1.0]), n).round(int(luck.integers(0, 3)))
    dense = luck.random() ** 2
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n) if b == a + 1 or luck.random() < dense]
    seating = np.repeat(np.array([[pair, pair[::-1]] for pair in pairs]), deals, axis=0).reshape(-1, 2)
    won = luck.random(len(seating)) < 1 / (1 + np.exp(strengths[seating[:, 1]] - strengths[seating[:, 0]]))
    names = [f"bot{at:02}" for at in range(n)]
    return Columns(names, np.repeat(np.arange(len(seating) // 2), 2), seating, np.where(won[:, None], [1, 2], [2, 1]))


def said(columns: Columns) -> np.ndarray:
    """(n, n) the chance that one bot is better, in the order of `league`'s names."""
    sums = Sums(tally(columns))
    order = [sums.tally.names.index(name) for name in columns.names]
    return sums.better[np.ix_(order, order)]


def furthest(number: int) -> tuple[float, float]:
    """The largest difference by rounding, and by other names of bots."""
    columns = league(number)
    plain = said(columns)
    with (
        patch.object(np.linalg, "inv", inverse),
        patch.object(np.linalg, "slogdet", slogdet),
        patch.object(clumps, "_alone", alone),
    ):
        precise = said(columns)
    luck = np.random.default_rng([38, number])
    renamed = said(columns_named(columns, luck.permutation(len(columns.names))))
    return float(np.abs(plain - precise).max()), float(np.abs(plain - renamed).max())


def columns_named(columns: Columns, order: np.ndarray) -> Columns:
    """The same league with the names in another order."""
    return Columns([columns.names[at] for at in order], columns.block, columns.seating, columns.places)


def main(fits: int) -> int:
    found = np.array([furthest(number) for number in range(fits)])
    for what, column in zip(("by rounding", "by names"), found.T, strict=True):
        print(f"{fits} fits {what}: at most {column.max():.2g}, over {CLOSE} in {(column > CLOSE).sum()}")
    return int((found > CLOSE).any())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
