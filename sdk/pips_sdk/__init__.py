"""The SDK for bot writers: derive a bot from a game's base class and `run` it.

For example::

    from pips_sdk import run
    from pips_sdk.serpent import SerpentBot

    class MyBot(SerpentBot):
        def lead(self, view):
            return max(view.playable, key=lambda card: card.rank)

    run(MyBot)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pips.later import loaded_later

with loaded_later("inspect"):
    import_module("dataclasses")  # it uses none of it for a class that says what it is

if TYPE_CHECKING:
    from pips_referee.cards import Card, Suit
    from pips_sdk.bot import Bot, BotError
    from pips_sdk.client import run
    from pips_sdk.local import play_match

__all__ = ["Bot", "BotError", "Card", "Suit", "play_match", "run"]

_HOMES = {
    "Bot": "pips_sdk.bot",
    "BotError": "pips_sdk.bot",
    "Card": "pips_referee.cards",
    "Suit": "pips_referee.cards",
    "play_match": "pips_sdk.local",
    "run": "pips_sdk.client",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for, and nothing else.

    Programs that need one module of the SDK start without gRPC. Bots of a league start
    without `play_match`.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found
