"""The names of the numbers in an observation, and what each is divided by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class ObservedField(NamedTuple):
    """A run of numbers in an observation that mean one thing."""

    name: str
    size: int
    """How many numbers."""
    most: int = 1
    """What they are divided by to lie from 0 to 1. Larger ones are cut to 1."""


def scales(fields: Sequence[ObservedField]) -> list[int]:
    """By number of an observation, what it is divided by."""
    return [field.most for field in fields for _ in range(field.size)]
