"""Situations for tests of a bot, from a short text: `what: value | what: value`.

Each game's `position` (in `pips_sdk.serpent` and so on) documents its parts. The
viewing seat is seat 0. Cards are written `QS 10H`. Parts left out have a sensible
default. An impossible position raises `PositionError`.

**Invariant**: a situation that cannot occur is refused.
"""

from importlib import import_module
from itertools import islice

from pips_referee.game import View
from pips_sdk.positions.notation import PositionError

__all__ = ["PositionError", "position_of", "text_of"]

COMPARED = 500
"""The most legal answers compared between a view and its position."""


def position_of(game: str, text: str) -> View:
    """The view for a position's text; `PositionError` if it is impossible."""
    view: View = import_module(f"{__name__}.{game}").position(text)
    return view


def text_of(game: str, view: View) -> str | None:
    """The text of a position with the same legal answers as the view.

    The text omits who knows which cards, and how points came about. None if no text
    describes the view.
    """
    try:
        text: str = import_module(f"{__name__}.{game}").text(view)
        seen = position_of(game, text)
    except (ModuleNotFoundError, PositionError):
        return None
    answers = [{str(action) for action in islice(each.legal_actions(), COMPARED)} for each in (view, seen)]
    return text if answers[0] == answers[1] and seen.kind == view.kind else None
