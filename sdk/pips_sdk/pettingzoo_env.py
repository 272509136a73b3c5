"""The games as environments of PettingZoo, one agent a seat.

They need the extra `gym`. For example::

    from pips_sdk.pettingzoo_env import PipsEnv

    env = PipsEnv("serpent", render_mode="ansi")
    env.reset(seed=1)
    print(env.render())

Observations are `{"observation": ..., "action_mask": ...}`; `pips_sdk.spaces` says what
the numbers mean. An agent is rewarded once, at the end of the match: see
`MatchEnv.rewards`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from pips_sdk.env import MatchEnv
from pips_sdk.learning.fields import scales
from pips_sdk.learning.opponents import Opponent

__all__ = ["PipsEnv"]

MODES = ("ansi", "human")
FROM_RESET = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
MOST = 1_000_000
"""Observed numbers do not exceed this."""


class PipsEnv(AECEnv):  # type: ignore[misc]  # PettingZoo's base class has no types for strict checks
    """A match; the agents are `seat_0`, `seat_1` and so on."""

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, object] | None = None,
        render_mode: str | None = None,
        opponents: Mapping[int, Opponent] | None = None,
        *,
        normalised: bool = False,
    ) -> None:
        """`render_mode`: "ansi" returns a text, "human" prints it after each step.

        `opponents` are as in `MatchEnv`: their agents are never asked. With
        `normalised`, the observed numbers are floats from 0 to 1.
        """
        if render_mode not in (None, *MODES):
            raise ValueError(f"render_mode is None, {' or '.join(MODES)}, not {render_mode!r}")
        self.render_mode = render_mode
        self.match = MatchEnv(game, seats, options, opponents)
        self._scale = 1 / np.array(scales(self.match.space.fields), np.float32) if normalised else None
        name = f"pips_{game}_v{self.match.game.rules_version}"
        self.metadata = {"name": name, "is_parallelizable": False, "render_modes": [*MODES]}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.match.seats)]
        space = self.match.space
        numbers: spaces.Box[Any] = spaces.Box(0, MOST, (space.observation_size,), np.int32)
        if normalised:
            numbers = spaces.Box(0, 1, (space.observation_size,), np.float32)
        self.action_spaces = {agent: spaces.Discrete(space.action_count) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": numbers,
                    "action_mask": spaces.Box(0, 1, (space.action_count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._seeds = np.random.default_rng()

    def __getattr__(self, name: str) -> Any:
        """Explain the error if `last` or `agent_iter` is used before `reset`."""
        if name in FROM_RESET:
            raise AttributeError(f"there is no {name} yet: call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the match of the seed, or without a seed the next match."""
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
        self._show()

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self.possible_agents.index(agent)
        mask = self.match.mask() if seat == self.match.seat else bytearray(self.match.space.action_count)
        return {
            "observation": self._observed(seat),
            "action_mask": np.frombuffer(mask, np.int8),
        }

    def step(self, action: int | None) -> None:
        if not hasattr(self, "agents"):
            raise RuntimeError("call reset() before step()")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        if action is None:
            raise ValueError(f"{self.agent_selection} has to play: None is the step of an agent whose match is over")
        self.match.step(int(action))
        if self.match.seat is None:
            self.rewards = dict(zip(self.agents, self.match.rewards(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self._asked()
        self._accumulate_rewards()
        self._show()

    def render(self) -> str | None:
        """The position as the agent to move knows it, returned as text or printed."""
        if not hasattr(self, "agents"):
            raise RuntimeError("call reset() before render()")
        if self.render_mode is None:
            raise RuntimeError('there is nothing to render: make the environment with render_mode="ansi" or "human"')
        text = self.match.render()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: there is nothing open."""

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _observed(self, seat: int) -> np.ndarray[Any, Any]:
        numbers = np.array(self.match.observe(seat), np.int32)
        return numbers if self._scale is None else np.minimum(numbers * self._scale, 1).astype(np.float32)

    def _asked(self) -> str:
        seat = self.match.seat
        assert seat is not None
        return self.possible_agents[seat]
