"""Attacks greedily; tests each move of armies by a round of greedy play after it."""

from __future__ import annotations

from typing import Any

from pips_sample_bots.dominion.greedy_bot import TERRITORY, GreedyBot
from pips_sdk import run
from pips_sdk.dominion import DominionAction, DominionBot, DominionView
from pips_sdk.search import compare

WORLDS = {3: 3, 4: 1, 5: 1}
"""By size, the number of worlds for a question: rounds are long on large fields."""


class SearchBot(DominionBot):
    greedy = GreedyBot()

    def choose(self, view: DominionView) -> DominionAction:
        likely = self.greedy.choose(view)
        actions = [likely, *[action for action in self.moves(view) if action != likely]]
        if len(actions) == 1:
            return likely
        last, turn = view.round + 1, view.turn

        def round_is_over(world: Any) -> bool:
            return bool(world.round > last or (world.round == last and world.turn > turn))

        worlds, policy = WORLDS[view.size], GreedyBot.in_playouts
        return compare(view, actions, policy, self.rng, worlds=worlds, stop=round_is_over, result=self.standing).best

    def moves(self, view: DominionView) -> list[DominionAction]:
        """Moves worth testing: all armies that may go; any number after a conquest."""
        match view.kind:
            case "deploy":
                return list(view.deployments)
            case "advance":
                return list(view.advances)
            case "conquer":
                return list(view.legal_actions())
            case _:
                return []

    def standing(self, world: Any, seat: int) -> float:
        """The seat's armies and territories, minus the mean of the others'."""
        worth = 0.0
        for owner, armies in zip(world.owners, world.armies, strict=True):
            if owner is not None:
                worth += (TERRITORY + armies) * (1 if owner == seat else -1 / (self.seats - 1))
        return worth


if __name__ == "__main__":
    run(SearchBot)
