"""What is public, by name: `python -m tests.house.public` keeps it at a release.

From then on `test_public.py` lets nothing of it go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

import pips_tourney
from pips_referee.cli import main as referee
from pips_tourney.cli.bot import main as bot
from pips_tourney.cli.tourney import main as tourney
from pips_tourney.league.file import LeagueFile

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "sdk.md"
KEPT: Final = Path(__file__).with_name("public.txt")


def modules() -> list[str]:
    """Return the modules that the page of the SDK names."""
    return re.findall(r"^\| `(pips_sdk[a-z_.]*)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def public() -> set[str]:
    """Return names of the SDK, of commands with their options, and of league keys."""
    names = {f"{module}.{name}" for module in modules() for name in _names(import_module(module))}
    names |= {f"pips_tourney.{name}" for name in pips_tourney.FROM_PYTHON}
    for words, command in commands():
        flags = [flag for option in command.params for flag in (*option.opts, *option.secondary_opts)]
        names |= {words, *(f"{words} {flag}" for flag in flags if flag[0] == "-")}
    schema = LeagueFile.model_json_schema()
    for section, about in {"league": schema, **schema["$defs"]}.items():
        names |= {f"{section}: {key}" for key in about.get("properties", {})}
    return names


def _names(module: Any) -> Iterator[str]:
    """What may be imported; of a class also what it has."""
    for name in module.__all__:
        yield name
        thing = getattr(module, name)
        for base in thing.__mro__ if isinstance(thing, type) else ():
            if base.__module__.startswith("pips_"):
                yield from (f"{name}.{part}" for part in {*vars(base), *base.__annotations__} if part[0] != "_")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield all commands, groups too, with the words that call them."""
    todo: list[tuple[str, click.Command]] = [("pips-bot", bot), ("pips-referee", referee), ("pips-tourney", tourney)]
    while todo:
        words, command = todo.pop()
        yield words, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            below = {name: command.get_command(context, name) for name in command.list_commands(context)}
            todo += [(f"{words} {name}", each) for name, each in below.items() if each is not None]


if __name__ == "__main__":
    KEPT.write_text("".join(f"{name}\n" for name in sorted(public())), encoding="utf-8")
