"""Why a match could not go on: a bug in a game's rules, or one in Pips."""

from __future__ import annotations

from traceback import format_exception
from types import TracebackType

from pips_referee.errors import MOST_SENTENCE
from pips_referee.installed import FAMILIES, REGISTRY, package_of
from pips_referee.printable import plain


def why_failed(error: Exception) -> str:
    """Return a sentence about an exception, and the traceback below it."""
    said = plain(f"{type(error).__name__}: {error}")[:MOST_SENTENCE]
    who, begins = failed_game(error) or ("the referee failed", error.__traceback__)
    return f"{who}: {said}\n{''.join(format_exception(type(error), error, begins))}"


def failed_game(error: Exception) -> tuple[str, TracebackType] | None:
    """Describe where a game's code failed; return its traceback too, or None.

    The description names the deepest line of the game's package in the traceback. The
    traceback returned begins at the first such line. None if no game's code was
    running.
    """
    who, begins, at = "", None, error.__traceback__
    packages = {package_of(game): game for game in REGISTRY} | {package: name for name, package in FAMILIES.items()}
    while at is not None:
        module = str(at.tb_frame.f_globals.get("__name__"))
        if game := next((packages[name] for name in packages if f"{module}.".startswith(f"{name}.")), ""):
            code = at.tb_frame.f_code
            who = f"the game {game} failed in {module}.{code.co_qualname} (line {at.tb_lineno} of {code.co_filename})"
            begins = begins or at
        at = at.tb_next
    return (who, begins) if begins else None
