"""Plays Wichita with the network from `train.py`: `weights.npz` beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pips_sdk import run
from pips_sdk.spaces import scales, space_of
from pips_sdk.wichita import WichitaAction, WichitaBot, WichitaView

WEIGHTS = Path(__file__).with_name("weights.npz")


class LearnedBot(WichitaBot):
    def on_start(self) -> None:
        self.space = space_of("wichita", self.options, self.seats)
        self.scale = np.array(scales(self.space.fields), np.float32)
        self.weights = list(np.load(WEIGHTS).values())

    def choose(self, view: WichitaView) -> WichitaAction:
        """Choose numbers until they make a complete answer: a layout takes several."""
        said: list[int] = []
        while True:
            legal = list(self.space.numbers(view, said))
            said.append(legal[int(self.likings(view, said)[legal].argmax())])
            if (action := self.space.action(view, said)) is not None:
                return cast(WichitaAction, action)

    def likings(self, view: WichitaView, said: list[int]) -> NDArray[np.float64]:
        """By number of the action, the network's score for it."""
        w, observed = self.weights, np.minimum(np.array(self.space.observe(view, said)) / self.scale, 1)
        hidden = np.maximum(observed @ w[0] + w[1], 0)
        likings: NDArray[np.float64] = np.maximum(hidden @ w[2] + w[3], 0) @ w[4] + w[5]
        return likings


if __name__ == "__main__":
    run(LearnedBot)
