"""The SDK for bot writers: derive a bot from a game's base class and `run` it.

For example::

    from pips_sdk import run
    from pips_sdk.serpent import SerpentBot

    class MyBot(SerpentBot):
        def lead(self, view):
            return max(view.playable, key=lambda card: card.rank)

    run(MyBot)

**Invariant**: a bot depends on rules and messages, never on the service.
"""

from pips_referee.cards import Card, Suit
from pips_sdk._runtime.local import play_match
from pips_sdk.bot import Bot, BotError, GameBot
from pips_sdk.runner import run

__all__ = ["Bot", "BotError", "Card", "GameBot", "Suit", "play_match", "run"]
