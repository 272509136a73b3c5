"""Games of OpenSpiel, a library of games that researchers use (the extra `openspiel`).

Each is named as `openspiel:leduc_poker`, or with parameters. A bot's process knows the
values, and needs no OpenSpiel.

**Invariant**: no value that travels holds a state, a seed, or what its seat cannot see.
"""

from __future__ import annotations

from typing import Any

from pips_referee.openspiel.rules import game_of


def __getattr__(word: str) -> Any:
    """The game of that word, as if it were a name of this module."""
    if word.startswith("_"):
        raise AttributeError(word)
    return game_of(word)
