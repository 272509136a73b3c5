"""A roster: the names of those who are invited, from a CSV file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from pips_tourney.errors import TourneyError
from pips_tourney.names import LONGEST, name_from

MOST_PEOPLE: Final = 2000
NAME_SIGNS: Final = 80
BOT_SIGNS: Final = LONGEST - 6
"""Signs of a bot's name: there is room for ` v1234` and the like."""


class RosterError(TourneyError):
    """A roster that cannot be read, with the line."""


def read_roster(path: Path) -> list[tuple[str, str]]:
    """Names and bots of a roster.

    The file has a column `name`, and may have a column `bot`; without a header its
    first column is the names. Raises `RosterError`.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RosterError(f"{path} cannot be read: {error}; write it as UTF-8, a name on each line") from None
    return people_of(text, str(path))


def people_of(text: str, where: str = "the roster") -> list[tuple[str, str]]:
    """The same for a text. Raises `RosterError`, which names `where`."""
    try:
        rows = [
            (number, row) for number, row in enumerate(csv.reader(io.StringIO(text)), 1) if any(map(str.strip, row))
        ]
    except csv.Error as error:
        raise RosterError(f"{where} is no CSV: {error}") from None
    if not rows:
        raise RosterError(f"{where} has no names: write one on each line")
    head = [cell.strip().lower() for cell in rows[0][1]]
    name_at, bot_at = (
        (head.index("name"), head.index("bot") if "bot" in head else None) if "name" in head else (0, None)
    )
    people: dict[str, str] = {}
    for number, row in rows[1:] if "name" in head else rows:
        name = row[name_at].strip() if name_at < len(row) else ""
        if not name or len(name) > NAME_SIGNS or not name.isprintable():
            raise RosterError(f"{where}, line {number}: a name has 1 to {NAME_SIGNS} printable characters")
        if name in people:
            raise RosterError(f"{where}, line {number}: {name} is there twice; tell them apart")
        bot = row[bot_at].strip() if bot_at is not None and bot_at < len(row) else ""
        people[name] = name_from(bot or name)[:BOT_SIGNS].strip()
    if len(people) > MOST_PEOPLE:
        raise RosterError(f"{where} has {len(people)} names: {MOST_PEOPLE} may be")
    return list(people.items())
