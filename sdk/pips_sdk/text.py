"""Play from text: the position as words, and words as an answer.

    from pips_sdk.text import parse, prompt, rules

`prompt` is what a person or a model is asked, `parse` reads the reply, and raises
`UnreadableAnswer` with the reason rather than guess.
"""

from __future__ import annotations

from pips_referee.errors import UnreadableAnswer
from pips_referee.game import get_game
from pips_referee.records.answers import parse, prompt

__all__ = ["UnreadableAnswer", "parse", "prompt", "rules"]


def rules(game: str) -> str:
    """The numbered rules of a game as Markdown; `UnknownGame` lists all games."""
    return get_game(game).rulebook()
