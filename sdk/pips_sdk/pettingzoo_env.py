"""The games as environments of PettingZoo, one agent a seat.

They need the extra `pettingzoo`. For example::

    from pips_sdk.pettingzoo_env import PipsEnv
    env = PipsEnv("serpent")

Observations are `{"observation": ..., "action_mask": ...}`; `pips_sdk.spaces` says what
the numbers mean. An agent is rewarded once, at the end of the match, as
`MatchEnv.rewards` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from pips_sdk.env import MatchEnv

MOST = 1_000_000
"""No observed number is greater."""


class PipsEnv(AECEnv):  # type: ignore[misc]  # PettingZoo's base class is untyped to strict eyes
    """A match; the agents are `seat_0`, `seat_1` and so on."""

    render_mode = None

    def __init__(self, game: str, seats: int | None = None, options: Mapping[str, object] | None = None) -> None:
        self.match = MatchEnv(game, seats, options)
        name = f"pips_{game}_v{self.match.game.rules_version}"
        self.metadata = {"name": name, "is_parallelizable": False, "render_modes": []}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.match.seats)]
        space = self.match.space
        self.action_spaces = {agent: spaces.Discrete(space.action_count) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, MOST, (space.observation_size,), np.int32),
                    "action_mask": spaces.Box(0, 1, (space.action_count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._seeds = np.random.default_rng()

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the match of the seed, or the next match of the last seed given."""
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        self.match.reset(int(self._seeds.integers(2**63)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._asked()

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self.possible_agents.index(agent)
        mask = self.match.mask() if seat == self.match.seat else bytearray(self.match.space.action_count)
        return {
            "observation": np.array(self.match.observe(seat), np.int32),
            "action_mask": np.frombuffer(mask, np.int8),
        }

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        assert action is not None
        self.match.step(int(action))
        if self.match.seat is None:
            self.rewards = dict(zip(self.agents, self.match.rewards(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self._asked()
        self._accumulate_rewards()

    def close(self) -> None:
        """Do nothing: there is nothing open."""

    def _asked(self) -> str:
        seat = self.match.seat
        assert seat is not None
        return self.possible_agents[seat]
