"""Greedy while cards are drawn; then it plays imagined hands to their end."""

from __future__ import annotations

from typing import Any

from pips_sample_bots.pippip.greedy_bot import GreedyBot
from pips_sdk import run
from pips_sdk.pippip import PippipAction, PippipBot, PippipView
from pips_sdk.search import rounds

WORLDS = 4
"""Worlds imagined for a card: a number, so that a slow machine answers the same."""


class SearchBot(PippipBot):
    def on_start(self) -> None:
        self.greedy = GreedyBot()
        self.greedy.begin(self.seat, self.seats, self.options, bytes(32))

    def choose(self, view: PippipView) -> PippipAction:
        if view.kind == "call" or view.drawing:
            return self.greedy.choose(view)
        actions = list(view.legal_actions())
        total = [0.0] * len(actions)
        for _ in rounds(WORLDS):
            world = view.sample_world(self.rng)
            for number, action in enumerate(actions):
                total[number] += self.finish(world.copy(), action)
        return actions[total.index(max(total))]

    def finish(self, world: Any, action: PippipAction) -> float:
        """This seat's points less the others' mean, if all play greedily after that."""
        hand = world.hand_number
        world.apply(action)
        while world.to_ask is not None and world.hand_number == hand:
            world.apply(self.greedy.choose(world.view(world.to_ask)))
        points = list(world.points)
        mine = points.pop(self.seat)
        return float(mine - sum(points) / len(points))


if __name__ == "__main__":
    run(SearchBot)
