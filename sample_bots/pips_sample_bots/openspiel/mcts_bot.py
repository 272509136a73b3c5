"""OpenSpiel's own tree search, on a state rebuilt from what all seats see."""

from __future__ import annotations

import sys

from pyspiel import MCTSBot, RandomRolloutEvaluator

from pips_sdk import run
from pips_sdk.openspiel import OpenBot, SpielMove, SpielView

ROLLOUTS = 200
EXPLORES = 2.0
MEMORY_MB = 100


def mcts_bot(name: str) -> type[OpenBot]:
    """The bot class for that game."""

    class TreeSearchBot(OpenBot):
        game = name

        def move(self, view: SpielView) -> SpielMove:
            seeds = self.rng.randrange(1 << 30), self.rng.randrange(1 << 30)
            rollouts = RandomRolloutEvaluator(1, seeds[0])
            search = MCTSBot(self.state.get_game(), rollouts, EXPLORES, ROLLOUTS, MEMORY_MB, False, seeds[1], False)
            return SpielMove(view.moves[view.numbers.index(search.step(self.state))])

    return TreeSearchBot


if __name__ == "__main__":
    run(mcts_bot(*sys.argv[1:]))
