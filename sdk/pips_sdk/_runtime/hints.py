"""Likely mistakes in a bot's class that break no rule."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dis import get_instructions
from types import BuiltinMethodType, CodeType, FunctionType, MethodType
from typing import Final

from pips_referee.game import get_game
from pips_sdk.bot import Bot, GameBot, place_of, unwrapped

HOOKS: Final = ("on_start", "on_event", "on_finish", "choose")
CLOSE: Final = 0.75
"""The least difflib ratio at which a name counts as a misspelling of another."""


def hints(bot: type[Bot]) -> list[str]:
    """A sentence for each method that looks misspelt, and for each bad habit."""
    own = {
        name: unwrapped(value)
        for base in _own(bot)
        for name, value in vars(base).items()
        if isinstance(value, FunctionType)
    }
    return [*_misspelt(bot, {name: function.__code__ for name, function in own.items()}), *_habits(bot, own)]


def _misspelt(bot: type[Bot], own: Mapping[str, CodeType]) -> list[str]:
    """Methods whose name is close to the name of one that the SDK calls.

    Such a method is public; neither the SDK nor another method of the bot calls it.
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
    if issubclass(bot, GameBot):
        called |= {*get_game(bot.game).kinds}
    used = {name for code in own.values() for part in _codes(code) for name in part.co_names}
    missing = sorted(called - own.keys())
    found = []
    for name in own.keys() - known - used:
        if close := [] if name.startswith("_") else _alike(name, missing):
            where = place_of(bot, name)
            at = f" ({where})" if where else ""
            found.append(f"{bot.__name__} has `{name}`{at}, which no question calls. Did you mean `{close[0]}`?")
    return sorted(found, key=str.lower)


def _habits(bot: type[Bot], own: Mapping[str, FunctionType]) -> Iterator[str]:
    """Sentences about unseeded randomness, data shared by matches, and prints."""
    shared = {name for base in _own(bot) for name, value in vars(base).items() if _is_empty(value, list, dict, set)}
    for method, function in own.items():
        where, code = f"{bot.__name__}.{method} ({place_of(bot, method)})", [*_codes(function.__code__)]
        names = {name for part in code for name in part.co_names}
        loaded = {*_globals(code, "LOAD_GLOBAL")} & function.__globals__.keys()
        used = {name: function.__globals__[name] for name in sorted(loaded)}
        if any(map(_draws, used.values())) or (
            "Random" not in names and any(value is random for value in used.values())
        ):
            yield (
                f"{where} uses `random`, so no match can be played again as it was. "
                "`self.rng` has the same methods: self.rng.choice(...)."
            )
        kept = [*sorted(names & shared), *(name for name, value in used.items() if _is_empty(value, list, set))]
        if kept := [*kept, *_globals(code, "STORE_GLOBAL")]:
            yield (
                f"{where} keeps something in `{kept[0]}`, which all matches share, also those at the same time. "
                "What belongs to one match goes into `self`, in `on_start`."
            )
        if "print" in names and not any("file" in words for words in _keywords(code)):
            yield f"{where} prints. In a league nobody reads that. `pips-bot play --logs FOLDER` keeps it for you."


def _own(bot: type[Bot]) -> Iterator[type]:
    """The bot's class and its base classes outside the SDK."""
    yield from (base for base in bot.__mro__ if base is not object and not base.__module__.startswith("pips_sdk."))


def _draws(value: object) -> bool:
    """Whether the value is a generator of `random`, or a function drawing from one."""
    drawn = value.__self__ if isinstance(value, (MethodType, BuiltinMethodType)) else value
    return isinstance(drawn, random.Random)


def _is_empty(value: object, *kinds: type) -> bool:
    """Whether the value is an empty container of one of `kinds`."""
    return type(value) in kinds and not value


def _globals(code: Sequence[CodeType], does: str) -> Iterator[str]:
    """The global names that a function loads, or sets, depending on `does`."""
    yield from (step.argval for part in code for step in get_instructions(part) if step.opname == does)


def _keywords(code: Sequence[CodeType]) -> Iterator[tuple[object, ...]]:
    """The keyword names of each call in a function, which its constants include."""
    yield from (const for part in code for const in part.co_consts if isinstance(const, tuple))


def _alike(name: str, others: Sequence[str]) -> list[str]:
    """The `others` that are the name's first word (`draw_on`), or the most similar."""
    if firsts := [other for other in others if re.match(rf"{other}(_|[A-Z])", name)]:
        return firsts
    from difflib import get_close_matches  # bots start faster without it

    return get_close_matches(name.lower(), others, 1, CLOSE)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of all functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
