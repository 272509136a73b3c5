"""The SDK for bot writers: derive a bot from a game's base class and `run` it.

from pips_sdk import run
from pips_sdk.serpent import SerpentBot

class MyBot(SerpentBot):
    def lead(self, view):
        return max(view.playable, key=lambda card: card.rank)

run(MyBot)
"""

from typing import TYPE_CHECKING, Any

from pips_referee.cards import Card, Suit
from pips_sdk.bot import Bot, BotError
from pips_sdk.client import run

if TYPE_CHECKING:
    from pips_sdk.local import play_match

__all__ = ["Bot", "BotError", "Card", "Suit", "play_match", "run"]


def __getattr__(name: str) -> Any:
    """Load `play_match` only when it is used.

    The referee deals the matches of a league, so a bot there does not need it.
    """
    if name == "play_match":
        from pips_sdk.local import play_match

        return play_match
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
