"""Rosters: the names of the people to invite, from a CSV file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from pips_referee.written import written_text
from pips_tourney.errors import TourneyError
from pips_tourney.people.moments import read_moment
from pips_tourney.people.store import LIKE_A_VERSION, Invited

MOST_PEOPLE: Final = 2000
NAME_SIGNS: Final = 80


class RosterError(TourneyError):
    """A roster that cannot be read; the text names the line."""


def read_roster(path: Path) -> list[Invited]:
    """Read the people named in a roster.

    The file has a column `name`, and may have columns `bot`, `team`, `id` and `until`;
    without a header its first column is the names. Raises `RosterError`.
    """
    try:
        text = written_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise RosterError(f"{path} cannot be read: {error}; write it as UTF-8, a name on each line") from None
    return people_of(text, str(path))


def people_of(text: str, where: str = "the roster") -> list[Invited]:
    """Read people from a roster's text. Raises `RosterError`, which names `where`."""
    try:
        rows = [
            (number, [cell.strip() for cell in row])
            for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter_of(text)), 1)
            if any(map(str.strip, row))
        ]
    except csv.Error as error:
        raise RosterError(f"{where} is no CSV: {error}") from None
    if not rows:
        raise RosterError(f"{where} has no names: write one on each line")
    head = [cell.lower() for cell in rows[0][1]]
    at = {name: head.index(name) for name in Invited._fields if name in head} if "name" in head else {"name": 0}
    people: dict[str, Invited] = {}
    for number, row in rows[1:] if "name" in head else rows:
        each = Invited(**{name: row[cell] for name, cell in at.items() if cell < len(row)} or {"name": ""})
        if not _is_text(each.name) or not all(_is_text(text or "-") for text in each):
            raise RosterError(f"{where}, line {number}: a name has 1 to {NAME_SIGNS} printable characters")
        if like := LIKE_A_VERSION.search(each.bot):
            raise RosterError(
                f"{where}, line {number}: no bot's name ends with {like[1]}: so the versions of a bot are called"
            )
        try:
            read_moment(each.until or "2000-01-01 00:00")
        except ValueError:
            raise RosterError(f"{where}, line {number}: {each.until} is no time such as 2026-12-17 18:00") from None
        if each.name in people:
            raise RosterError(f"{where}, line {number}: {each.name} is there twice; tell them apart")
        people[each.name] = each
    if len(people) > MOST_PEOPLE:
        raise RosterError(f"{where} has {len(people)} names: {MOST_PEOPLE} may be")
    return list(people.values())


def delimiter_of(text: str) -> str:
    """The character between cells; spreadsheets in some countries write `;`."""
    first = text.lstrip().partition("\n")[0]
    return next((sign for sign in ",;\t" if sign in first), ",")


def _is_text(name: str) -> bool:
    return 0 < len(name) <= NAME_SIGNS and name.isprintable()
