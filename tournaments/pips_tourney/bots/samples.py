"""The classes of the sample bots, for those who play with them in this process."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pips_tourney.bots.executable import SAMPLES

if TYPE_CHECKING:
    from pips_sdk.bot import Bot


def sample_class(game: str, name: str) -> type[Bot]:
    """The class of a sample bot of that game."""
    found: type[Bot] = getattr(_module(game, name), f"{name.title()}Bot")
    return found


def sample_file(game: str, name: str) -> Path:
    """The file of a sample bot."""
    file = _module(game, name).__file__
    assert file is not None
    return Path(file)


def _module(game: str, name: str) -> ModuleType:
    return import_module(f"{SAMPLES}.{game}.{name}_bot")
