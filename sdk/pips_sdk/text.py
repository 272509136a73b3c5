"""Play by text: the position as words, and words parsed as an answer.

    from pips_sdk.text import parse, prompt, rules

`prompt` is the question for a person or a model. `parse` reads the reply; instead of
guessing, it raises `UnreadableAnswer` with the reason.
"""

from __future__ import annotations

from pips_referee.errors import UnreadableAnswer
from pips_referee.game import get_game
from pips_referee.records.answers import parse, prompt

__all__ = ["UnreadableAnswer", "parse", "prompt", "rules"]


def rules(game: str) -> str:
    """The numbered rules of a game as Markdown; `UnknownGame` lists all games."""
    return get_game(game).rulebook()
