"""The tab key completes bots and matches too, not only commands and options.

A mistake completes nothing: a shell that completes shows no errors.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from pips_tourney.bots.find import sample_names
from pips_tourney.cli.terminal import database_of
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.store import read_store
from pips_tourney.workshop.watch import is_database

MOST: Final = 200
SHORT: Final = 12
"""How many characters of a match's id are completed."""


def complete_match(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Ids of played matches that begin so."""
    with suppress(TourneyError, click.ClickException, OSError), read_store(night_typed(context)) as store:
        found: list[str] = []
        for match in store.ids():
            if match.startswith(begun.lower()):
                found.append(match[:SHORT])
            if len(found) == MOST:
                break
        return found
    return []


def complete_found_bot(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Sample bots, and files and folders, that begin so."""
    samples = [name for name in sample_names() if name.startswith(begun)]
    return [*samples, *_places(begun)][:MOST]


def complete_asked(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """For FILE [MATCH] BOT: files, then matches of a night, then bots."""
    match context.params.get("words") or ():
        case ():
            return _places(begun)
        case (file,) if is_database(Path(file)):
            return complete_match(context, parameter, begun)
    return complete_found_bot(context, parameter, begun)


def _places(begun: str) -> list[str]:
    """Files and folders that begin so; hidden ones where the begin asks for them."""
    place = Path(begun) if begun.endswith("/") else Path(begun).parent
    last = "" if begun.endswith("/") else Path(begun).name
    shown = begun[: len(begun) - len(last)]
    with suppress(OSError):
        names = sorted(path.name for path in place.iterdir() if path.name.startswith(last))
        return [f"{shown}{name}" for name in names if name[0] != "." or last[:1] == "."][:MOST]
    return []


def night_typed(context: click.Context) -> Path:
    """The night that was typed before, or the only one in this folder."""
    words = next(iter(context.params.get("words") or ()), None)
    typed: Any = context.params.get("night") or context.params.get("file") or words
    return database_of(None if typed is None else Path(typed))
