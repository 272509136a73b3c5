"""The environments of Gymnasium: what it checks itself, and what it does not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pips_referee.game import REGISTRY
from pips_sdk.gym_env import PipsGymEnv


@pytest.mark.parametrize("game", REGISTRY)
@pytest.mark.parametrize("normalised", [False, True])
def test_gymnasium_finds_nothing_wrong(game: str, normalised: bool) -> None:
    check_env(PipsGymEnv(game, "random", normalised=normalised), skip_render_check=True)


def test_its_rendering_is_checked_too(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make("pips_sdk.gym_env:Pips/Serpent-v0", opponents="random", render_mode="ansi")
    check_env(env.unwrapped)


def played(env: PipsGymEnv, seed: int) -> list[Any]:
    seen: list[Any] = [env.reset(seed=seed)[0].tolist()]
    choose = np.random.default_rng(seed)
    over = False
    while not over:
        mask = env.action_masks()
        action = choose.choice(np.flatnonzero(mask))
        observation, reward, over, _, info = env.step(action)
        seen.append((int(action), observation.tolist(), reward, info["action_mask"].tolist()))
    return seen


@pytest.mark.parametrize("seat", [0, 1])
def test_legal_actions_play_a_match_to_its_end(seat: int) -> None:
    env = PipsGymEnv("serpent", "greedy", seat=seat)
    first = played(env, 7)
    assert first == played(env, 7) != played(env, 8)
    assert first[-1][2] in (-1.0, 0.0, 1.0) and all(step[2] == 0 for step in first[1:-1])
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(np.int64(0))


def test_an_illegal_action_loses_or_raises() -> None:
    env = PipsGymEnv("serpent", "random")
    env.reset(seed=1)
    wrong = np.flatnonzero(~env.action_masks())[0]
    _, reward, over, _, info = env.step(wrong)
    assert (reward, over, info["illegal"]) == (-1.0, True, int(wrong))
    strict = PipsGymEnv("serpent", "random", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(ValueError, match="is not legal now"):
        strict.step(wrong)


@pytest.mark.parametrize(
    "wrong", [{"seat": 2}, {"opponents": {0: "random"}}, {"illegal": "pass"}, {"render_mode": "rgb_array"}]
)
def test_what_makes_no_environment_is_said(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"sit at the other seats|illegal is|render_mode is"):
        PipsGymEnv("serpent", **wrong)


def test_the_learner_of_the_docs_learns() -> None:
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python learn.py\n(.*?)```", page, re.DOTALL)
    assert code.count("range(1000)") == 1
    made: dict[str, Any] = {}
    exec(code.replace("range(1000)", "range(3)"), made)
    assert made["over"] and made["reward"] in (-1.0, 0.0, 1.0) and made["weights"].any()
