"""Random legal answers: the sample bot `random` of every game.

Run it with `python -m pips_sdk.random_bot GAME`.
"""

from __future__ import annotations

import sys
from typing import Any

from pips_referee.game import Action, get_game
from pips_sdk.bot import GameBot
from pips_sdk.runner import run

__all__ = ["random_bot"]


def random_bot(game: str) -> type[GameBot]:
    """The bot class for that game."""
    get_game(game)

    class RandomBot(GameBot):
        def choose(self, view: Any) -> Action:
            action: Action = view.random_action(self.rng)
            return action

    RandomBot.game = game
    return RandomBot


if __name__ == "__main__":
    run(random_bot(*sys.argv[1:]))
