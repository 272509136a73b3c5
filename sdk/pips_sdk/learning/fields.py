"""The names of the numbers in an observation, and their divisors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class ObservedField(NamedTuple):
    """Consecutive numbers in an observation with the same meaning."""

    name: str
    size: int
    """How many numbers the field has."""
    most: int = 1
    """The divisor that scales them to 0 to 1. Larger results are cut to 1."""


def scales(fields: Sequence[ObservedField]) -> list[int]:
    """The divisor of each number in an observation."""
    return [field.most for field in fields for _ in range(field.size)]
