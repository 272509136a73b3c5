"""Bots for OpenSpiel games, named like `openspiel:leduc_poker`.

>>> from pips_sdk import GameBot
>>> class Mine(GameBot):
...     game = "openspiel:leduc_poker"
...     def move(self, view):
...         return SpielMove(view.moves[0])
"""

from __future__ import annotations

from typing import Any

from pips_referee.game import Event
from pips_referee.openspiel.library import is_open, load
from pips_referee.openspiel.values import SpielChance, SpielMove, SpielMoved, SpielOptions, SpielTold, SpielView
from pips_sdk.bot import BotError, GameBot

__all__ = ["OpenBot", "SpielChance", "SpielMove", "SpielMoved", "SpielOptions", "SpielTold", "SpielView"]


class OpenBot(GameBot):
    """A bot for a game without hidden information.

    `state` is OpenSpiel's state, rebuilt from what all seats see. The bot's machine
    needs OpenSpiel.
    """

    state: Any

    def begin(self, *about: Any) -> None:
        """Called by the SDK before `on_start`."""
        game = load(self.game.partition(":")[2], about[1])
        if not is_open(game):
            raise BotError(f"{self.game} hides something: derive from GameBot, and answer from the view")
        self.state = game.new_initial_state()
        super().begin(*about)

    def on_event(self, event: Event) -> None:
        """Play the draw or move on `state`; an override has to call this method."""
        assert isinstance(event, (SpielChance, SpielMoved))
        self.state.apply_action(event.number)
