"""How long answers took, counted in buckets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import log2
from typing import Final

BUCKETS_PER_DOUBLING: Final = 16
"""Answer times are counted in buckets 4.4 % wide.

So medians of long nights need no list of all times.
"""
LAST_BUCKET: Final = 64 * BUCKETS_PER_DOUBLING
"""No time of 64 bits is beyond it."""


@lru_cache(maxsize=1 << 16)
def bucket_of(used_us: int) -> int:
    """The bucket of an answer time."""
    return int(BUCKETS_PER_DOUBLING * log2(used_us + 1))


def quantile_us(buckets: Mapping[int, int], share: float) -> float | None:
    """The time, in microseconds, that this share of the answers stayed below.

    None without answers.
    """
    total = sum(buckets.values())
    seen = 0
    for bucket in sorted(buckets):
        seen += buckets[bucket]
        if seen >= share * total:
            return float(2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING) - 1)
    return None
