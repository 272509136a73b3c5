"""The sample bots of a game: `random`, and those in the game's part `bots`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from pips_referee.errors import PipsError
from pips_referee.game import get_game
from pips_referee.installed import family_of
from pips_sdk import random_bot
from pips_sdk.bot import Bot

GREEDY, RANDOM = "greedy", "random"


class NoSample(PipsError, ValueError):
    """Unknown sample bot; the text lists the known ones."""


def sample_files(game: str) -> dict[str, Path]:
    """The file of each sample bot of a game, by the bot's name."""
    files = {RANDOM: Path(random_bot.__file__)}
    bots = get_game(game).part("bots")
    for place in [] if bots is None else bots.__path__:
        files |= {file.stem.removesuffix("_bot"): file for file in Path(place).glob("*_bot.py")}
    return dict(sorted(files.items()))


def usual_sample(game: str) -> str:
    """The sample bot for empty seats: `greedy` if the game has it, else `random`."""
    return GREEDY if GREEDY in sample_files(game) else RANDOM


def sample_words(game: str, name: str) -> tuple[str, ...]:
    """Python's arguments after `-m` to run a sample bot; `NoSample` if unknown."""
    files = sample_files(game)
    if name not in files:
        raise NoSample(f"there is no sample bot {name!r} for {game}; there are {', '.join(files)}")
    if is_derived(files[name]):
        return random_bot.__name__, game
    bots = get_game(game).part("bots")
    assert bots is not None
    needed = getattr(bots, "NEEDS", {}).get(name)
    if needed is not None and find_spec(needed) is None:
        raise NoSample(f"the sample bot {name} of {game} needs {needed}: pip install {needed}")
    module = f"{bots.__name__}.{files[name].stem}"
    return (module,) if family_of(game) is None else (module, game)


def is_derived(file: Path) -> bool:
    """Whether this is the file of `random` for games without their own."""
    return file == Path(random_bot.__file__)


def sample_class(game: str, name: str) -> type[Bot]:
    """The class of a sample bot; `NoSample` if unknown."""
    module, *of = sample_words(game, name)
    if of:
        made: type[Bot] = getattr(import_module(module), module.rpartition(".")[2])(*of)
        return made
    bots = [value for value in vars(import_module(module)).values() if isinstance(value, type)]
    return next(bot for bot in bots if issubclass(bot, Bot) and bot.__module__ == module)
