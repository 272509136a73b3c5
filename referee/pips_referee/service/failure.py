"""Why a match could not go on: a mistake in a game's rules, or one of our own."""

from __future__ import annotations

from traceback import format_exception, walk_tb

from pips_referee.installed import FAMILIES, REGISTRY, package_of
from pips_referee.match import MOST_SENTENCE
from pips_referee.printable import plain


def why_failed(error: Exception) -> str:
    """Return a sentence about an exception, and the traceback below it.

    The sentence names the game, and the deepest line of its package that was at work.
    """
    said = plain(f"{type(error).__name__}: {error}")[:MOST_SENTENCE]
    who = "the referee failed"
    packages = {package_of(game): game for game in REGISTRY} | {package: name for name, package in FAMILIES.items()}
    for frame, line in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__"))
        if game := next((packages[name] for name in packages if f"{module}.".startswith(f"{name}.")), ""):
            code = frame.f_code
            who = f"the game {game} failed in {module}.{code.co_qualname} (line {line} of {code.co_filename})"
    return f"{who}: {said}\n{''.join(format_exception(error))}"
