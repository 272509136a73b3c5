"""A little of lab `chaos`: nights whose processes are killed end as if undisturbed."""

from __future__ import annotations

import pytest

from tests.lab.chaos import BOT, MACHINE, RUNNER, Chaos, run

KEEPER, REFEREE = MACHINE


@pytest.mark.long
def test_a_night_whose_machine_fails_piece_by_piece_and_then_all_at_once() -> None:
    """The standings are those of an undisturbed night, byte by byte."""
    night = Chaos()
    night.begin(arenas=2)
    night.kill(results=2, ms=50, victims={REFEREE}, number=0, gently=False)
    night.kill(results=4, ms=0, victims={KEEPER, REFEREE}, number=0, gently=False)
    night.kill(results=4, ms=10, victims={RUNNER, KEEPER, REFEREE}, number=0, gently=False)
    night.go_on(arenas=1)
    night.kill(results=3, ms=100, victims={RUNNER}, number=1, gently=True)
    night.teardown()


@pytest.mark.long
def test_a_night_whose_bots_are_killed_too() -> None:
    """Each killed bot loses its current matches, and nothing else changes."""
    night = Chaos()
    night.begin(arenas=1)
    night.kill(results=3, ms=20, victims={BOT}, number=1, gently=False)
    night.kill(results=4, ms=70, victims={BOT, REFEREE}, number=0, gently=False)
    night.kill(results=3, ms=0, victims={RUNNER, BOT}, number=2, gently=False)
    night.teardown()
    assert set(Chaos.killed) >= {BOT, REFEREE}


def test_a_night_of_random_kills() -> None:
    run(nights=1, steps=4, derandomize=True)
