"""Attacks greedily; tries each move of armies with a round of greedy play after it."""

from __future__ import annotations

from typing import Any

from pips_sample_bots.dominion.greedy_bot import TERRITORY, GreedyBot
from pips_sdk import run
from pips_sdk.dominion import DominionAction, DominionBot, DominionView
from pips_sdk.search import rounds

WORLDS = {3: 3, 4: 1, 5: 1}
"""By size, the worlds imagined for a question: on a large field a round is long."""


class SearchBot(DominionBot):
    greedy = GreedyBot()

    def choose(self, view: DominionView) -> DominionAction:
        likely = self.greedy.choose(view)
        actions = [likely, *[action for action in self.moves(view) if action != likely]]
        total = [0.0] * len(actions)
        for _ in rounds(WORLDS[view.size]) if len(actions) > 1 else ():
            world = view.sample_world(self.rng)
            for number, action in enumerate(actions):
                total[number] += self.try_out(world.copy(), action)
        return actions[total.index(max(total))]

    def moves(self, view: DominionView) -> list[DominionAction]:
        """Moves worth a try: all armies that may go; any number after a conquest."""
        match view.kind:
            case "deploy":
                return list(view.deployments)
            case "advance":
                return list(view.advances)
            case "conquer":
                return list(view.legal_actions())
            case _:
                return []

    def try_out(self, world: Any, action: DominionAction) -> float:
        """How well this seat stands after that move and a round of greedy turns."""
        end = (world.round + 1, world.turn)
        world.apply(action)
        while world.to_ask is not None and (world.round, world.turn) <= end:
            world.apply(self.greedy.choose(world.view(world.to_ask)))
        return self.standing(world)

    def standing(self, world: Any) -> float:
        """Armies and territories of this seat, less what the others have on average."""
        worth = 0.0
        for owner, armies in zip(world.owners, world.armies, strict=True):
            if owner is not None:
                worth += (TERRITORY + armies) * (1 if owner == self.seat else -1 / (self.seats - 1))
        return worth


if __name__ == "__main__":
    run(SearchBot)
