"""The games as environments of Gymnasium: one seat learns, bots play the others.

They need the extra `gym`. For example::

    import gymnasium

    env = gymnasium.make("pips_sdk.gym_env:Pips/Serpent-v0", opponents="greedy")
    observation, info = env.reset(seed=1)
    action = my_choice(observation, info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

`pips_sdk.spaces` says what the numbers mean. The reward comes at the end of a match:
see `MatchEnv.rewards`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pips_referee.game import REGISTRY
from pips_sdk.env import MatchEnv
from pips_sdk.learning.fields import scales
from pips_sdk.learning.opponents import Opponent

__all__ = ["PipsGymEnv"]

MOST: Final = 1_000_000
"""Observed numbers do not exceed this."""
MOST_MATCHES: Final = 100
"""The most matches in a row that may end without a decision of the learner."""
LOST: Final = -1.0
Numbers = NDArray[Any]


class PipsGymEnv(gymnasium.Env[Numbers, np.int64]):
    """Matches of a game, as one seat sees them."""

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(  # noqa: PLR0913 - one an option
        self,
        game: str,
        opponents: Opponent | Mapping[int, Opponent] = "greedy",
        *,
        seat: int = 0,
        seats: int | None = None,
        options: Mapping[str, object] | None = None,
        render_mode: str | None = None,
        normalised: bool = False,
        illegal: str = "lose",
    ) -> None:
        """`opponents` is the bot of all other seats, or a bot for each of them.

        An illegal action loses the match with a reward of -1; with `illegal="raise"` it
        raises `ValueError`. With `normalised`, observed numbers are floats from 0 to 1.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is None, ansi or human, not {render_mode!r}")
        if illegal not in ("lose", "raise"):
            raise ValueError(f'illegal is "lose" or "raise", not {illegal!r}')
        bare = MatchEnv(game, seats, options)
        others = [each for each in range(bare.seats) if each != seat]
        given = opponents if isinstance(opponents, Mapping) else dict.fromkeys(others, opponents)
        if sorted(given) != others or len(others) == bare.seats:
            raise ValueError(f"seat {seat} learns: opponents sit at the other seats of 0 to {bare.seats - 1}")
        self.match = MatchEnv(game, seats, options, given)
        self.render_mode, self._seat, self._raises = render_mode, seat, illegal == "raise"
        space = self.match.space
        self._scale = 1 / np.array(scales(space.fields), np.float32) if normalised else None
        self.action_space = spaces.Discrete(space.action_count)
        size = (space.observation_size,)
        self.observation_space = (
            spaces.Box(0, 1, size, np.float32) if normalised else spaces.Box(0, MOST, size, np.int32)
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin the match of the seed, or without a seed the next match."""
        super().reset(seed=seed)
        for _ in range(MOST_MATCHES):
            self.match.reset(int(self.np_random.integers(2**63)))
            if self.match.seat is not None:
                break
        else:
            raise RuntimeError(f"{MOST_MATCHES} matches in a row ended before seat {self._seat} was asked")
        self._show()
        return self._observed(), self._info()

    def step(self, action: np.int64) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Play an action, then the opponents', until this seat is to move again."""
        if self.match.seat is None:
            raise RuntimeError("the match is over: call reset()")
        if int(action) not in self.match.legal():
            if self._raises:
                raise ValueError(f"action {action} is not legal now; legal are {sorted(self.match.legal())}")
            return self._observed(), LOST, True, False, self._info() | {"illegal": int(action)}
        self.match.step(int(action))
        over = self.match.seat is None
        self._show()
        return self._observed(), self.match.rewards()[self._seat] if over else 0.0, over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions as a mask, in the form that masked policies expect."""
        return np.frombuffer(self.match.mask(), np.int8).astype(bool)

    def render(self) -> str | None:
        """The position as the seat knows it, returned as text or printed."""
        text = self.match.render()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": np.frombuffer(self.match.mask(), np.int8).copy()}

    def _observed(self) -> Numbers:
        numbers = np.array(self.match.observe(self._seat), np.int32)
        return numbers if self._scale is None else np.minimum(numbers * self._scale, 1).astype(np.float32)


for _game in REGISTRY:
    gymnasium.register(f"Pips/{_game.capitalize()}-v0", partial(PipsGymEnv, _game))
