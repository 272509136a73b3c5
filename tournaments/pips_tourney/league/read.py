"""From a league file to a league, or to the list of all its mistakes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pips_referee.written import written_text
from pips_tourney.bots.contents import Caps
from pips_tourney.league.entries import HandInEntry
from pips_tourney.league.file import LeagueFile
from pips_tourney.league.league import League
from pips_tourney.league.meaning import engine_mistakes, meaning_mistakes
from pips_tourney.league.mistakes import LeagueError, Mistake, left_out, mistake_of, placed, position
from pips_tourney.league.submissions import roster

OF_OTHERS: Final = ("anchor", "deals", "engine", "final", "schedule", "scheduler", "stop", "tls")
"""Entries of a league that depend on other bots, or on its host's files or machines."""


def read_league(path: Path) -> League:
    """The league in a file.

    `LeagueError` lists all its mistakes.
    """
    return _league(path, _text_of(path))


def read_league_for(path: Path, *bots: Mapping[str, Any]) -> League:
    """The league in a file, for these bots alone.

    It has the file's games, options, clock and sandbox. `bots` are entries of its
    `bots`, with paths that do not depend on the folder; sample bots fill the table.

    Raises `LeagueError`.
    """
    raw = {key: value for key, value in _text_of(path).items() if key not in OF_OTHERS}
    return _league(path, raw | {"bots": [*map(dict, bots)], "fill": "random"})


def _text_of(path: Path) -> dict[str, Any]:
    try:
        raw = tomllib.loads(written_text(path))
    except RecursionError:
        raise LeagueError(path, [Mistake("the file", "it is nested too deeply")]) from None
    except UnicodeDecodeError:
        wrong = "it is no text in UTF-8, as a league file is; the file of a night is its database, NAME.db"
        raise LeagueError(path, [Mistake("the file", wrong)]) from None
    except (OSError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise LeagueError(path, [Mistake("the file", reason or str(error))]) from None
    if isinstance(raw.get("game"), str | dict) and "games" not in raw:
        raw["games"] = [raw.pop("game")]
    return raw


def _league(path: Path, raw: dict[str, Any]) -> League:
    found = roster(raw.get("bots"), path.parent, _caps(raw.get("hand_in", {})))
    mistakes = [Mistake(where, what) for where, what in found.mistakes]
    if "bots" in raw:
        raw["bots"] = found.entries
    file: LeagueFile | None = None
    try:
        file = LeagueFile.model_validate(raw)
    except ValidationError as error:
        wrong = [mistake_of(detail) for detail in error.errors()]
        if found.broken and not found.entries:
            wrong = [Mistake("bots", "no bots are left") if mistake.where == "bots" else mistake for mistake in wrong]
        mistakes += placed([] if found.mistakes and not found.entries else wrong, found.places)
    if file is not None:
        if not found.mistakes:  # after other mistakes, too few bots are only a consequence
            mistakes += placed(meaning_mistakes(file, path.parent), found.places)
        mistakes += engine_mistakes(file, path.parent)
    mistakes += [*left_out(mistakes, found.broken)]
    if mistakes or file is None:
        order = list(raw)
        raise LeagueError(path, sorted(mistakes, key=lambda mistake: position(mistake.where, order)))
    return League(path, file, found.broken, where=found.where)


def _caps(said: object) -> Caps:
    """The limits for submissions; the defaults if that entry is wrong."""
    try:
        return HandInEntry.model_validate(said).caps
    except ValidationError:
        return Caps()
