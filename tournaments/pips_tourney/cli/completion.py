"""What the tab key completes besides commands and options: bots and matches.

A mistake completes nothing: a shell that completes shows no errors.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from pips_tourney.errors import TourneyError

MOST: Final = 200
SHORT: Final = 12
"""How many characters of a match's id are completed."""


def complete_bot(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Names of the night's bots that begin so."""
    from pips_tourney.night.night import last_night
    from pips_tourney.night.store import read_store

    with suppress(TourneyError, click.ClickException, OSError), read_store(_night(context)) as store:
        names = sorted(entrant.name for entrant in last_night(store).programme.entrants)
        return [name for name in names if name.startswith(begun)][:MOST]
    return []


def complete_match(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Ids of played matches that begin so."""
    from pips_tourney.night.store import read_store

    with suppress(TourneyError, click.ClickException, OSError), read_store(_night(context)) as store:
        found: list[str] = []
        for match in store.ids():
            if match.startswith(begun.lower()):
                found.append(match[:SHORT])
            if len(found) == MOST:
                break
        return found
    return []


def _night(context: click.Context) -> Path:
    """The night that was typed before, or the only one in this folder."""
    from pips_tourney.cli.terminal import database_of

    typed: Any = context.params.get("night") or next(iter(context.params.get("words") or ()), None)
    return database_of(None if typed is None else Path(typed))
