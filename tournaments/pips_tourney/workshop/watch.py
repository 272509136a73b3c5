"""A match looked at page by page.

It is played for the purpose, or comes from a record's file or a night's database.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import click

from pips_referee.errors import RecordError
from pips_referee.printable import plain
from pips_referee.record import Record, read_record
from pips_tourney.bots.find import BotProblem

DATABASE_BEGINS: Final = b"SQLite format 3\0"
LISTED: Final = 20

Pause = Callable[[], bool]
"""Waits between two pages; False to look at no more."""


def show(pages: Iterable[list[str]], pause: Pause, echo: Callable[[str], None] = click.echo) -> None:
    """Print the pages, with a pause after each but the last."""
    first = True
    for page in pages:
        if not first and not pause():
            return
        first = False
        for line in page:
            echo(line)


def has_keys() -> bool:
    """Whether there is a terminal on which somebody could press keys."""
    return sys.stdin.isatty()


def on_key() -> Pause:
    """Go on at a key: `q` ends, `a` shows all the rest without a pause."""
    waits = True

    def pause() -> bool:
        nonlocal waits
        if not waits:
            return True
        key = click.getchar()
        waits = key not in ("a", "A", "")
        return key not in ("q", "Q", "\x1b", "\x03", "\x04")

    return pause


def is_database(path: Path) -> bool:
    """Whether a file is a night's database. False for records and unreadable files."""
    with suppress(OSError), path.open("rb") as stream:
        return stream.read(len(DATABASE_BEGINS)) == DATABASE_BEGINS
    return False


def record_in(path: Path, match: str | None) -> Record:
    """The record of a file.

    Of a database: the record of the match whose id begins so. `BotProblem` says what
    there is.
    """
    try:
        data = _from_database(path, match) if is_database(path) else path.read_bytes()
        return read_record(data)
    except OSError as error:
        raise BotProblem(f"{path} cannot be read: {error.strerror}") from None
    except sqlite3.DatabaseError as error:
        raise BotProblem(f"{path} is no database of a night: {error}") from None
    except RecordError as error:
        raise BotProblem(f"{path}: {error}") from None


def _from_database(path: Path, match: str | None) -> bytes:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        begins = (match or "").lower()
        query = "SELECT id, game, seats, places FROM results WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT ?"
        found = connection.execute(query, (len(begins), begins, LISTED + 1)).fetchall()
        if len(found) == 1:
            data: bytes = connection.execute("SELECT record FROM results WHERE id = ?", found[0][:1]).fetchone()[0]
            return data
    if not found:
        raise BotProblem(f"{path} has no match {match}" if match else f"{path} has no matches yet")
    more = ["  ..."] if len(found) > LISTED else []
    listed = [_listed(*row) for row in found[:LISTED]]
    raise BotProblem("\n".join(["which match? Give the beginning of its id:", *listed, *more]))


def _listed(match: str, game: str, seats: str, places: str) -> str:
    """A match in a line: its id, its game, its bots in the order of their places."""
    ranked = sorted(zip(json.loads(places), json.loads(seats), strict=True))
    return plain(f"  {match[:12]}  {game}: {', '.join(f'{place}. {bot}' for place, bot in ranked)}")
