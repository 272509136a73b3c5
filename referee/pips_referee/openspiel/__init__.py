"""Games of OpenSpiel, a library of games for research (the extra `openspiel`).

Each is named like `openspiel:leduc_poker`, perhaps with parameters. A bot's process
uses only the values, and needs no OpenSpiel.

**Invariant**: no value that travels has a state, a seed, or what its seat may not see.
"""

from __future__ import annotations

from typing import Any

from pips_referee.openspiel.rules import game_of


def __getattr__(word: str) -> Any:
    """The game of that name, as if it were an attribute of this module."""
    if word.startswith("_"):
        raise AttributeError(word)
    return game_of(word)
