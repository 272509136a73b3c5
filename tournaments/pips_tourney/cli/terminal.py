"""Shared by both command lines.

Errors with their exit code, and how a night is named.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import click

from pips_referee.errors import PipsError
from pips_referee.printable import plain_block
from pips_tourney.cli.failure import Failed
from pips_tourney.errors import TourneyError
from pips_tourney.files import check_file, write_file
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.file_watch import usual_database
from pips_tourney.night.log.store import APPLICATION_ID

FILE = click.Path(path_type=Path, dir_okay=False)
SEASON = click.option("--season", is_flag=True, help="Include all nights stored beside it.")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")


@contextmanager
def told() -> Iterator[None]:
    """End the command with exit code 2 on an error that a person can fix.

    The error's sentence is printed.
    """
    try:
        yield
    except (TourneyError, PipsError) as error:
        raise Failed(plain_block(str(error))) from None


def check_place(place: Path | None) -> None:
    """Check, before the work, that its result can be written to `place`.

    `Failed` says what prevents it.
    """
    if place is not None:
        with told():
            check_file(place)


def write(place: Path | None, texts: Iterable[str]) -> None:
    """Write into a file, or to standard output without one, always in UTF-8.

    Raises `Failed` if the file cannot be written.
    """
    if place is None:
        for text in texts:
            click.echo(text.encode("utf-8", "backslashreplace"), nl=False)
        return
    with told():
        write_file(place, texts)


def write_json(value: object, indent: int = 2) -> None:
    """Write a value to standard output, in UTF-8 whatever the locale."""
    write(None, [json.dumps(value, indent=indent, ensure_ascii=False), "\n"])


def database_of(night: Path | None) -> Path:
    """The database of a night, named by itself or by its league file.

    Without a name: the only one in this folder, not counting those that were moved
    aside.
    """
    if night is not None:
        return usual_database(night) if night.suffix == ".toml" else night
    found = nights_here()
    if len(found) == 1:
        return found[0]
    names = ", ".join(map(str, found))
    raise Failed(f"which night? There are {names}: name one" if found else "there is no night in this folder: name one")


def nights_here() -> list[Path]:
    """The databases of nights in this folder, without those that were moved aside."""
    found = [path for path in sorted(Path().glob("*.db")) if _is_night(path)]
    earlier = {aside for path in found for aside in moved_aside(path).values()}
    return [path for path in found if path not in earlier]


def night_and(words: Sequence[str], what: str) -> tuple[Path, str]:
    """The night and the other argument of a command.

    The night may be omitted.
    """
    match words:
        case [only] if Path(only).suffix == ".db" and Path(only).is_file():
            pass  # the one argument names a night, and nothing in it
        case [only]:
            return database_of(None), only
        case [night, second]:
            return database_of(Path(night)), second
    raise click.UsageError(f"it takes {what}, and before it the night unless there is only one in this folder")


def _is_night(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)
    except sqlite3.DatabaseError:
        return False
