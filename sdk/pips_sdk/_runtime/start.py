"""Checks of bots before they play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from pips_sdk.bot import Bot


class StartError(Exception):
    """The bot cannot start; the text says what to do."""


LOADING: Final[list[list[type[Bot]]]] = []
"""The lists for bots from `run` while a bot's file is being loaded."""


@contextmanager
def bots_of_run() -> Iterator[list[type[Bot]]]:
    """A context in which `run` adds its bots to the list instead of playing.

    So a bot's file can be loaded without being started.
    """
    bots: list[type[Bot]] = []
    LOADING.append(bots)
    try:
        yield bots
    finally:
        LOADING.pop()


def check_bots(bots: Sequence[object]) -> dict[str, type[Bot]]:
    """The bots by game.

    `StartError` if there are none, two for one game, something other than a bot class,
    or different values of `at_once`: the SDK asks all bots of a process in the same
    way.
    """
    if not bots:
        raise StartError("run() needs your bot class: run(MyBot)")
    by_game: dict[str, type[Bot]] = {}
    for bot in bots:
        if isinstance(bot, Bot):
            raise StartError(f"run() takes the class itself, without brackets behind it: run({type(bot).__name__})")
        if not isinstance(bot, type) or not issubclass(bot, Bot) or not bot.game:
            raise StartError(f"run() takes bot classes, such as one derived from a game's or from GameBot, not {bot!r}")
        if bot.game in by_game:
            raise StartError(f"{by_game[bot.game].__name__} and {bot.__name__} both play {bot.game}: run one of them")
        by_game[bot.game] = bot
    if len({bot.at_once for bot in by_game.values()}) > 1:
        values = " and ".join(f"{bot.__name__} {bot.at_once}" for bot in by_game.values())
        raise StartError(
            f"bots of one program have the same at_once, but {values}: "
            "give them the same, or run each in a program of its own"
        )
    return by_game
