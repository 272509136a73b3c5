"""Many tables over worker processes: the matches of one environment each."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from pips_sdk.env import MatchEnv
from pips_sdk.learning.fields import scales
from pips_sdk.vector import VectorEnv, WorkerError


def test_tables_play_the_matches_of_single_environments() -> None:
    """Two workers, over the ends of matches."""
    single, ended = [MatchEnv("wichita") for _ in range(3)], 0
    with VectorEnv("wichita", tables=3, workers=2) as env:
        env.reset(5)
        for table, one in enumerate(single):
            one.reset((5 << 64) + table * 1_000_003)
        for _ in range(150):
            actions = [int(np.flatnonzero(mask)[-1 if step % 2 else 0]) for step, mask in enumerate(env.masks)]
            env.step(actions)
            for table, one in enumerate(single):
                one.step(actions[table])
                rewards = one.rewards() if one.seat is None else [0, 0]
                assert env.dones[table] == (one.seat is None) and [*env.rewards[table]] == rewards
                if one.seat is None:
                    ended += 1
                    one.reset()
                assert env.seats[table] == one.seat and [*env.observations[table]] == one.observe()
                assert env.masks[table].tobytes() == one.mask()
        assert np.allclose(env.normalised(), np.minimum(env.observations / scales(env.space.fields), 1))
    assert ended


def test_opponents_rotate() -> None:
    with VectorEnv("serpent", tables=4, workers=1, opponents=["greedy"]) as env:
        env.reset(1)
        assert {*env.seats} == {0, 1}
        asked = Counter[int]()
        for _ in range(60):
            asked.update(env.seats.tolist())
            env.step(env.masks.argmax(axis=1))
        assert min(asked[0], asked[1]) > 50 and not env.dones[env.rewards.any(axis=1) == 0].any()


def test_without_a_seed_the_next_one_is_played() -> None:
    with VectorEnv("serpent", tables=2, workers=1) as env:
        observed = []
        for seed in (None, None, 0, 1):
            env.reset(seed)
            observed.append(env.observations.copy())
    assert (observed[0] == observed[2]).all() and (observed[1] == observed[3]).all()
    assert (observed[0] != observed[1]).any()


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match="2 seats take 1 opponents, not 2"):
        VectorEnv("serpent", opponents=["greedy", "greedy"])
    with pytest.raises(ValueError, match="workers are 1 to 2"):
        VectorEnv("serpent", tables=2, workers=3)
    env = VectorEnv("serpent", tables=1, workers=1)
    with pytest.raises(RuntimeError, match=r"call reset\(\) before step\(\)"):
        env.step([0])
    env.reset()
    wrong: list[Any] = [[1, 2], [], 1, [[1]], [52.9], [True], [None]]
    for actions in wrong:
        with pytest.raises(ValueError, match=r"actions are (one number for each of 1 tables|whole numbers), not"):
            env.step(actions)
    with pytest.raises(WorkerError, match="action 0 is not legal now"):
        env.step([0])
    with pytest.raises(RuntimeError, match="the environment is closed"):
        env.reset()
