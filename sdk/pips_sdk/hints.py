"""What looks like a mistake in a bot's class, though it breaks no rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Final

from pips_sdk.bot import Bot, place_of, unwrapped

HOOKS: Final = ("on_start", "on_event", "on_finish", "choose")
CLOSE: Final = 0.75
"""How alike two names are, as difflib counts, of which one is taken for the other."""


def hints(bot: type[Bot]) -> list[str]:
    """A sentence for each method that looks misspelt.

    Such a method is public, no other method of the bot uses it, the SDK does not call
    it, and its name is close to that of a method that the SDK calls.
    """
    ours = [base for base in bot.__mro__ if base.__module__.startswith("pips_sdk.")]
    known = {name for base in ours for name in vars(base)}
    called = {
        name
        for base in ours
        if base is not Bot
        for name, value in vars(base).items()
        if isinstance(value, FunctionType)
    }
    called = {name for name in called if not name.startswith("_")} | {*HOOKS}
    own = {
        name: unwrapped(value).__code__
        for base in bot.__mro__
        if not base.__module__.startswith("pips_sdk.")
        for name, value in vars(base).items()
        if isinstance(value, FunctionType)
    }
    used = {name for code in own.values() for name in _names(code)}
    missing = sorted(called - own.keys())
    found = []
    for name in own.keys() - known - used:
        if close := [] if name.startswith("_") else _alike(name, missing):
            where = place_of(bot, name)
            at = f" ({where})" if where else ""
            found.append(f"{bot.__name__} has `{name}`{at}, which no question calls. Did you mean `{close[0]}`?")
    return sorted(found, key=str.lower)


def _alike(name: str, others: Sequence[str]) -> list[str]:
    """The others that are its first word, as in `draw_on`, or the one most like it."""
    if firsts := [other for other in others if re.match(rf"{other}(_|[A-Z])", name)]:
        return firsts
    from difflib import get_close_matches  # most bots start without it

    return get_close_matches(name.lower(), others, 1, CLOSE)


def _names(code: CodeType) -> Iterator[str]:
    """The names that a function's code uses, and the functions in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
