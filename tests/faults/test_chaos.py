"""A little of `make chaos`: nights whose processes are killed at random end as if nothing had happened."""

from __future__ import annotations

from tests.faults.chaos import BOT, MACHINE, RUNNER, Chaos, run


def test_killed_at_random_a_night_ends_as_if_nothing_had_happened() -> None:
    run(nights=2, steps=4, derandomize=True)
    assert set(Chaos.killed) == {RUNNER, *MACHINE, BOT}, "each was killed at least once"
