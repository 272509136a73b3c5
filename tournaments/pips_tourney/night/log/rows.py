"""Stored results and log entries, and the meaning of a result's columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log2
from typing import Any, Final, NamedTuple

BUCKETS_PER_DOUBLING: Final = 16
"""Answer times are counted in buckets, each 4.4 % wider than the one before.

So medians of long nights need no list of all times.
"""
LAST_BUCKET: Final = 64 * BUCKETS_PER_DOUBLING
"""The bucket of the longest 64-bit time."""


@lru_cache(maxsize=1 << 16)
def bucket_of(used_us: int) -> int:
    """The bucket of an answer time."""
    return int(BUCKETS_PER_DOUBLING * log2(used_us + 1))


def quantile_us(buckets: Mapping[int, int], share: float) -> float | None:
    """The time, in microseconds, within which this share of the answers came.

    None without answers.
    """
    total = sum(buckets.values())
    seen = 0
    for bucket in sorted(buckets):
        seen += buckets[bucket]
        if seen >= share * total:
            return float(2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING) - 1)
    return None


class SeatFault(NamedTuple):
    """A fault as stored in a row."""

    seat: int
    kind: str
    sentence: str


class Row(NamedTuple):
    """A stored result. Lists are JSON by seat; the properties parse them."""

    id: str
    game: str
    seats: str
    places: str
    scores: str
    faults: str
    questions: int
    times: str
    sha256: bytes
    record: bytes

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots' names, by seat."""
        return _listed(self.seats)

    @property
    def seat_places(self) -> tuple[int, ...]:
        """Places by seat, from 1; bots that tie share a place."""
        return _listed(self.places)

    @property
    def seat_scores(self) -> tuple[int, ...]:
        """Scores by seat."""
        return _listed(self.scores)

    @property
    def seat_faults(self) -> list[SeatFault]:
        """Faults in the order in which they happened."""
        return [SeatFault(*fault) for fault in json.loads(self.faults)] if self.faults != "[]" else []

    @property
    def answer_times(self) -> list[list[tuple[int, int]]]:
        """By seat, buckets of answer times with their counts.

        Raises `ValueError` for a value that no match would write.
        """
        seats = [[(bucket, count) for bucket, count in counts] for counts in json.loads(self.times)]
        if not all(0 <= bucket <= LAST_BUCKET and count > 0 for counts in seats for bucket, count in counts):
            raise ValueError("no answers take such times")
        return seats


@lru_cache(maxsize=4096)
def _listed(text: str) -> tuple[Any, ...]:
    """Read a JSON list.

    Most results of a night have the same bots and places, so the lists are cached.
    """
    return tuple(json.loads(text))


def points_of(places: Sequence[int]) -> tuple[float, ...]:
    """By seat, the value of its place.

    That is the share of the other seats that it beat; a tie counts half.
    """
    others = max(1, len(places) - 1)
    return tuple((sum((place < o) + (place == o) / 2 for o in places) - 0.5) / others for place in places)


class Entry(NamedTuple):
    """An entry of the log."""

    seq: int
    at: str
    kind: str
    payload: dict[str, Any]


class RawEntry(NamedTuple):
    """An entry as it is stored.

    If somebody changed the database, any value may be of another type.
    """

    seq: int
    at: str
    kind: str
    payload: str
