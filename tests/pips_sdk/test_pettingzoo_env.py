"""PettingZoo's own tests of an environment, for every game."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from pips_referee.game import REGISTRY
from pips_sdk.pettingzoo_env import PipsEnv

SEATS = {"serpent": 2, "wichita": 3, "pippip": 4, "dominion": 3}


@pytest.mark.parametrize("game", REGISTRY)
def test_api(game: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of anything unusual, such as masks in the observation
        api_test(PipsEnv(game, SEATS[game]), num_cycles=300)


@pytest.mark.parametrize("game", REGISTRY)
def test_seeds(game: str) -> None:
    seed_test(partial(PipsEnv, game, SEATS[game]), num_cycles=100)


@pytest.mark.parametrize("game", REGISTRY)
def test_api_with_opponents_and_normalised(game: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as above
        env = PipsEnv(game, SEATS[game], opponents={0: "random"}, normalised=True)
        api_test(env, num_cycles=50)
    env.reset(seed=1)
    observed = env.observe(env.agent_selection)["observation"]
    assert observed.dtype == np.float32 and 0 < observed.max() <= 1 and env.agent_selection != "seat_0"


def test_step_and_render_before_reset_say_so() -> None:
    env = PipsEnv("serpent", render_mode="ansi")
    with pytest.raises(RuntimeError, match=r"call reset\(\) before step\(\)"):
        env.step(0)
    with pytest.raises(RuntimeError, match=r"call reset\(\) before render\(\)"):
        env.render()


def test_whatever_is_used_before_reset_says_so() -> None:
    env = PipsEnv("serpent")
    for use in (env.last, lambda: list(env.agent_iter()), lambda: env.agents, lambda: env.rewards, lambda: env.infos):
        with pytest.raises(AttributeError, match=r"call reset\(\) first"):
            use()
    with pytest.raises(AttributeError, match="no attribute 'agnts'"):
        _ = env.agnts


def test_render(capsys: pytest.CaptureFixture[str]) -> None:
    env = PipsEnv("serpent", render_mode="ansi")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="None is the step of an agent whose match is over"):
        env.step(None)
    assert "hidden" in (text := env.render() or "")
    PipsEnv("serpent", render_mode="human").reset(seed=1)
    assert capsys.readouterr().out == f"{text}\n"
    silent = PipsEnv("serpent")
    silent.reset(seed=1)
    with pytest.raises(RuntimeError, match="make the environment with render_mode"):
        silent.render()
    with pytest.raises(ValueError, match="render_mode is None, ansi or human"):
        PipsEnv("serpent", render_mode="rgb_array")
