"""Matches stepped by numbers: of fixed size, seeded, quick, by the same rules."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

from pips_referee.errors import OptionsError
from pips_sdk.env import MatchEnv

TABLES = [
    ("serpent", 2, {}),
    ("wichita", 2, {}),
    ("wichita", 12, {"decks": 1}),
    ("pippip", 3, {}),
    ("pippip", 12, {"rules": "hervey"}),
    ("dominion", 2, {"size": 3}),
    ("dominion", 8, {"max_rounds": 20}),
]
every_table = pytest.mark.parametrize(("game", "seats", "options"), TABLES)


def played(env: MatchEnv, seed: int) -> list[tuple[int | None, list[int], int]]:
    """A match of random answers: the seats asked, what they observed, what they did."""
    rng = Random(seed)
    env.reset(seed)
    steps: list[tuple[int | None, list[int], int]] = []
    while env.seat is not None:
        number = rng.choice(env.legal())
        steps.append((env.seat, env.observe(), number))
        env.step(number)
    return steps


@every_table
def test_sizes_are_fixed_and_masks_say_what_is_legal(game: str, seats: int, options: dict[str, object]) -> None:
    env = MatchEnv(game, seats, options)
    for seat, observation, number in played(env, 1):
        assert seat in range(seats)
        assert len(observation) == env.space.observation_size and min(observation) >= 0
        assert 0 <= number < env.space.action_count
    env.reset(2)
    assert [number for number, legal in enumerate(env.mask()) if legal] == sorted(env.legal())
    assert len(env.mask()) == env.space.action_count
    assert all(len(env.observe(seat)) == env.space.observation_size for seat in range(seats))


@every_table
def test_every_legal_action_has_a_number_of_its_own(game: str, seats: int, options: dict[str, object]) -> None:
    """Wichita may have thousands of layouts: the best and the first are numbered."""
    env, rng = MatchEnv(game, seats, options), Random(2)
    env.reset(3)
    while env.seat is not None:
        if game != "wichita":
            assert len(env.legal()) == len(list(env.view.legal_actions()))
        env.step(rng.choice(env.legal()))


@every_table
def test_seeds_repeat_matches(game: str, seats: int, options: dict[str, object]) -> None:
    env = MatchEnv(game, seats, options)
    assert played(env, 4) == played(MatchEnv(game, seats, options), 4) != played(env, 5)


@every_table
def test_rewards_add_up_to_nothing(game: str, seats: int, options: dict[str, object]) -> None:
    env = MatchEnv(game, seats, options)
    played(env, 6)
    assert env.mask() == bytes(env.space.action_count) and env.legal() == []
    rewards = env.rewards()
    assert len(rewards) == seats and abs(sum(rewards)) < 1e-9 and -1 <= min(rewards) <= max(rewards) <= 1


def test_what_is_not_legal_is_refused() -> None:
    env = MatchEnv("serpent")
    with pytest.raises(ValueError, match=r"action 0 is not legal now; legal are \[52, 53"):
        env.step(0)
    with pytest.raises(OptionsError, match="for 2 to 2 seats"):
        MatchEnv("serpent", 3)


def test_numpy_stays_out() -> None:
    script = "import sys, pips_sdk.env; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
