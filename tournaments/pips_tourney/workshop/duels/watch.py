"""View a match page by page.

The match is played for this, or comes from a record's file or a night's database.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from pips_referee.errors import RecordError
from pips_referee.printable import plain
from pips_referee.records.record import Record, read_record
from pips_sdk._runtime.log_marks import Asked, by_question
from pips_tourney.bots.found import BotProblem
from pips_tourney.bots.logs import printed_in
from pips_tourney.workshop.duels.duel import Duel
from pips_tourney.workshop.duels.in_process import Listener
from pips_tourney.workshop.duels.play import play_one

DATABASE_BEGINS: Final = b"SQLite format 3\0"
LISTED: Final = 20
MOST_PRINTED: Final = 40
"""The most lines shown of a bot's output at one question."""

Pause = Callable[[], bool]
"""Waits between two pages; False ends the viewing."""


def show(pages: Iterable[list[str]], pause: Pause, echo: Callable[[str], None] = click.echo) -> None:
    """Print the pages, with a pause after each one except the last."""
    first = True
    for page in pages:
        if not first and not pause():
            return
        first = False
        for line in page:
            echo(line)


def play_listening(duel: Duel, *, in_process: bool) -> tuple[bytes, dict[Asked | None, list[str]]]:
    """The record of the duel's first match, and the bots' output at each question.

    Output before the first question is under None. Raises the errors of `play_one`.
    """
    printed: dict[Asked | None, list[str]] = {}
    if in_process:
        listener = Listener(passes_on=False, marks=True)
        record = play_one(duel, listener=listener)
        printed = by_question(listener.printed.removesuffix("\n").split("\n"))
    else:
        with TemporaryDirectory(prefix="pips-logs-") as place:
            record = play_one(duel, logs=Path(place))
            for name in duel.bots:
                found = by_question(printed_in(Path(place), name))
                if first := found.pop(None, None):
                    printed.setdefault(None, []).extend([f"{name} printed:", *(f"  | {line}" for line in first)])
                printed |= found
    return record, {asked: _last(lines) for asked, lines in printed.items()}


def _last(lines: list[str]) -> list[str]:
    """The last of these lines, and how many lines came before them."""
    left = len(lines) - MOST_PRINTED
    return lines if left <= 0 else [f"... {left} lines more", *lines[-MOST_PRINTED:]]


def has_keys() -> bool:
    """Whether there is a terminal with a keyboard."""
    return sys.stdin.isatty()


def on_key() -> Pause:
    """Continue on a key: `q` ends, `a` shows the rest without pauses."""
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
    """The record in a file.

    In a database it is the record of the match whose id begins with `match`.
    `BotProblem` lists the matches that exist.
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
