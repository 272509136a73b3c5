"""What learners wait for: steps of many tables at once, in worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Final

import numpy as np

from pips_sdk.vector import VectorEnv
from tests.lab.bench.figures import ROUNDS, Figure, figure

TABLES: Final = 256
WORKERS: Final = 2
GAMES: Final[tuple[tuple[str, dict[str, object], int | None], ...]] = (
    ("serpent", {}, 100_000),
    ("pippip", {"rules": "hervey"}, 100_000),
    ("wichita", {}, None),
    ("dominion", {}, None),
)
"""Each game with its options and its budget, steps a second on two cores."""


def bench(*, quick: bool) -> Iterator[Figure]:
    """Random play of two seats, over worker processes."""
    seconds, rounds = (0.1, 2) if quick else (1.0, ROUNDS)
    for game, options, budget in GAMES:
        with VectorEnv(game, TABLES, WORKERS, seats=2, options=options) as env:
            env.reset(seed=1)
            found = [steps_a_second(env, seconds) for _ in range(rounds)]
        yield figure(f"{game}: {TABLES} tables in {WORKERS} processes", "steps/s", found, budget)


def steps_a_second(env: VectorEnv, seconds: float) -> float:
    """Steps of all tables with random legal actions."""
    rng, steps = np.random.default_rng(1), 0
    begun = perf_counter()
    while (passed := perf_counter() - begun) < seconds or not steps:
        env.step((env.masks * rng.random(env.masks.shape, np.float32)).argmax(axis=1))
        steps += env.table_count
    return steps / passed
