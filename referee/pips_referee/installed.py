"""The installed games and their places, without importing any of them.

A game is a package in some wheel, with an entry point in the group `pips.games`, such
as `pig = "pig:GAME"`. The object is in the package itself, or in its module `rules`.
Searching all wheels takes long. So a bot's process gets the places in `PIPS_GAMES`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final, overload

from pips_referee.errors import GameProblem, UnknownGame

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP: Final = "pips.games"
VARIABLE: Final = "PIPS_GAMES"
"""All games for a bot's process: `pig=pig:GAME` for each, separated by blanks."""
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_OF_FAMILY: Final = re.compile(r"[a-z]+:[\w=,;.()-]{1,200}", re.ASCII)
_PLACE: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", re.ASCII)
FAMILIES: Final = {"openspiel": "pips_referee.openspiel"}
"""Packages with many games, each named like `openspiel:leduc_poker`.

The part behind the colon is looked up as an attribute of the package.
"""
_OURS: Final = "pips-tourney"
"""The distribution whose games come first in every list."""


@cache
def places() -> Mapping[str, str]:
    """The place of each game (`pig:GAME`), by name.

    `GameProblem` if two wheels have games of the same name, if an entry point is
    malformed, or if the games of this project are missing.
    """
    if told := os.environ.get(VARIABLE):
        return dict([game.split("=", 1) for game in told.split()])
    by_name: dict[str, EntryPoint] = {}
    for point in sorted(_points(), key=lambda point: (_wheel(point) != _OURS, _wheel(point))):
        if not NAME.fullmatch(point.name):
            raise GameProblem(f"{_where(point)} brings a game {point.name!r}: a name has small letters, digits and _")
        if point.name in by_name:
            both = f"{_where(by_name[point.name])} and {_where(point)}"
            raise GameProblem(f"two wheels bring a game named {point.name}: {both}. Uninstall one of them")
        if not _PLACE.fullmatch(point.value):
            raise GameProblem(f"{_where(point)} says that {point.name} is {point.value!r}, which is not like pig:GAME")
        by_name[point.name] = point
    if _OURS not in map(_wheel, by_name.values()):
        raise GameProblem(f"{_OURS} is installed without its games: install it again (in a checkout: pip install -e .)")
    return {name: point.value for name, point in by_name.items()}


def wheel_of(name: str) -> str:
    """The wheel that has a game, such as `pips-pig 1.0`; "" if none does."""
    wheels = [f"{point.dist.name} {point.dist.version}" for point in _points() if point.name == name and point.dist]
    return wheels[0] if wheels else ""


def _points() -> EntryPoints:
    from importlib.metadata import entry_points  # a bot's process has `PIPS_GAMES`, and starts without this import

    return entry_points(group=GROUP)


def _wheel(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""


def _where(point: EntryPoint) -> str:
    return f"{_wheel(point)} in {point.dist.locate_file('')}" if point.dist is not None else point.value


def told() -> str:
    """The value of `PIPS_GAMES` for a process that this process starts."""
    return " ".join([f"{name}={place}" for name, place in places().items()])


class Names(Sequence[str]):
    """The names of all games, in the order of every list; computed when needed."""

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return [*places()][place]

    def __len__(self) -> int:
        return len(places())

    def __iter__(self) -> Iterator[str]:
        return iter(places())

    def __contains__(self, name: object) -> bool:
        return name in places() or (isinstance(name, str) and family_of(name) is not None and is_game_name(name))


REGISTRY: Final = Names()


def is_game_name(name: str) -> bool:
    """Whether the name is well-formed for a game, installed or not."""
    return (NAME if family_of(name) is None else _OF_FAMILY).fullmatch(name) is not None


def family_of(name: str) -> str | None:
    """The package of a game that shares it with many others; otherwise None."""
    family, colon, _ = name.partition(":")
    return FAMILIES.get(family) if colon else None


def place_of(name: str) -> tuple[str, str]:
    """The module of a game and its object's name; `UnknownGame` lists all games."""
    if family := family_of(name):
        return family, name.partition(":")[2]
    if name not in places():
        raise UnknownGame(f"there is no game {name!r}; the games are {', '.join(REGISTRY)}")
    module, _, attribute = places()[name].partition(":")
    return module, attribute


def package_of(name: str) -> str:
    """The package of a game, by the game's name."""
    return place_of(name)[0].removesuffix(".rules")


def package_of_class(kind: type) -> str:
    """The package in which a class is defined."""
    return getattr(sys.modules.get(kind.__module__), "__package__", None) or ""


@cache
def part_in(package: str, part: str) -> ModuleType | None:
    """A package's module of that name; None if it has none."""
    name = f"{package}.{part}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return None
