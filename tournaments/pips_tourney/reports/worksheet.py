"""Fill a night's grades into the worksheet of Moodle or the gradebook of Canvas.

Moodle accepts only its own file back, so columns, rows and order stay as they are. For
Canvas the columns of other assignments are left out, so that none of them changes.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite
from typing import Any, Final, NamedTuple

from pips_tourney.errors import TourneyError
from pips_tourney.league.collected import moodle_prefix
from pips_tourney.people.roster import delimiter_of
from pips_tourney.reports.exports import harmless

GRADE: Final = ("grade", "bewertung", "note", "calificación", "valutazione")
"""Moodle's name of the column in English, German, French, Spanish and Italian."""
MAXIMUM: Final = ("maximum grade", "bestwertung", "note maximale", "calificación máxima", "valutazione massima")
COMMENTS: Final = (
    "feedback comments", "feedback als kommentar", "feedback par commentaires", "comentarios de retroalimentación",
)  # fmt: skip
_NUMBER: Final = re.compile(r"\D*(\d+)")
_ASSIGNMENT: Final = re.compile(r".+ \(\d+\)")
"""Canvas's names of columns for grades."""
_POSSIBLE: Final = "points possible"
"""The first cell of Canvas's row with the maximum points."""
_UNGRADED: Final = "nothing was handed in"
_UNKNOWN: Final = "no bot has this name, number or address"
_SHARED: Final = "several rows have this name, and no bot has this number"


class WorksheetError(TourneyError):
    """A worksheet that cannot be filled in; the text says why."""


class Filled(NamedTuple):
    """The file to upload, and the people without a grade."""

    text: str
    graded: int
    without: Mapping[str, str]
    """By name, why the person has no grade."""
    unmatched: Sequence[str] = ()
    """The people with points but without a row in the file."""
    prefixes: Mapping[str, Sequence[str]] = {}
    """By bot, how Moodle wants the names of its authors' files to begin."""


def fill_canvas(gradebook: str, league: str, lines: Iterable[Mapping[str, Any]]) -> Filled:
    """Fill the grades into one column of a gradebook of Canvas.

    The column is that of the only assignment, or of the one with the league's name.
    Raises `WorksheetError`.
    """
    rows, delimiter = _read(gradebook)
    head = rows[0] if rows else []
    columns = [at for at, name in enumerate(head) if _ASSIGNMENT.fullmatch(name)]
    chosen = [at for at in columns if head[at].casefold().startswith(f"{league} (".casefold())]
    chosen = columns if len(columns) == 1 else chosen
    if head[:2] != ["Student", "ID"] or len(chosen) != 1:
        raise WorksheetError(
            f"the gradebook of Canvas begins with Student and ID, and has one assignment called {league!r}: "
            f"this one has {', '.join(head)}"
        )
    out = [[*row[: columns[0]], row[chosen[0]]] for row in rows if row]
    most = next((row[-1] for row in out if row[0].strip().lower() == _POSSIBLE), "")
    people = [row for row in out[1:] if row[1].strip()]  # rows without an ID describe the columns
    sheet = [["Number", "Name", *head[2 : columns[0]], "Grade", "Maximum grade"]]
    sheet += [[row[1], _first_name_first(row[0]), *row[2:], most] for row in people]
    filled = fill(_written(sheet, delimiter), lines)
    for row, graded in zip(people, _read(filled.text)[0][1:], strict=True):
        row[-1] = graded[-2]
    return filled._replace(text=_written(out, delimiter))


def _first_name_first(name: str) -> str:
    """`Anna Alder` for Canvas' `Alder, Anna`."""
    last, _, first = name.partition(", ")
    return f"{first} {last}".strip()


def _read(worksheet: str) -> tuple[list[list[str]], str]:
    """The rows of a CSV, and its delimiter. Raises `WorksheetError`."""
    delimiter = delimiter_of(worksheet)
    try:
        rows = list(csv.reader(io.StringIO(worksheet), delimiter=delimiter))
    except csv.Error as error:
        raise WorksheetError(f"the worksheet is no CSV: {error}") from None
    for number, row in enumerate(rows, 1):
        if any(row) and len(row) != len(rows[0]):
            raise WorksheetError(f"the worksheet, line {number}: it has {len(row)} cells, not {len(rows[0])}")
    return rows, delimiter


def _written(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def fill(worksheet: str, lines: Iterable[Mapping[str, Any]]) -> Filled:
    """Fill in each participant's share of points, by bot.

    `lines` are the lines of a gradebook. A line belongs to a person by participant
    number, otherwise by name or e-mail. Raises `WorksheetError`.
    """
    rows, delimiter = _read(worksheet)
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    grade, most, comments = (_column(head, names) for names in (GRADE, MAXIMUM, COMMENTS))
    if grade is None:
        raise WorksheetError(
            f"the worksheet has no column for the grade, which is called {GRADE[0].title()}: it has {', '.join(head)}"
        )
    known = _by_person(lines)
    named = Counter(mark for row in rows[1:] for mark in _marks(row, grade))
    without: dict[str, str] = {}
    found: list[Mapping[str, Any]] = []
    prefixes = defaultdict[str, list[str]](list)
    for row in filter(any, rows[1:]):
        marks = _marks(row, grade)
        line = _line_of(row, [mark for mark in marks if named[mark] == 1], known)
        who = next(filter(None, (*row[1:grade], *row)))
        if line is not None and (participant := _NUMBER.fullmatch(row[0].strip())):
            prefixes[line["bot"]].append(moodle_prefix(who, participant[1]))
        share = None if line is None else line.get("points_percent")
        if line is None or share is None:
            missing = _SHARED if any(named[mark] > 1 and mark in known for mark in marks) else _UNKNOWN
            why = missing if line is None else str(line.get("status", "it has played nothing"))
            without[f"{who} ({row[0]})" if who in without else who] = why
            continue
        found.append(line)
        row[grade] = _grade(float(share), row[most] if most is not None else "")
        if comments is not None:
            row[comments] = harmless(_comment(line))
    of_nobody = [line for line in known.values() if line not in found and line.get("points_percent") is not None]
    unmatched = dict.fromkeys(f"{line.get('participant') or line.get('id')} ({line['bot']})" for line in of_nobody)
    if not unmatched:  # every bot has its row, so the others have no bot
        without = {who: _UNGRADED if why == _UNKNOWN else why for who, why in without.items()}
    return Filled(_written(rows, delimiter), len(found), without, [*unmatched], prefixes)


def _column(head: Sequence[str], names: Sequence[str]) -> int | None:
    return next((head.index(name) for name in names if name in head), None)


def _by_person(lines: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """By identifier of a person: the line of their bot, in the last table that has it.

    Moodle's own number is marked, as `#7`, because a roster's `id` may be another
    number. The overall table is the last one. Of several bots, the one with most points
    counts.
    """
    of: defaultdict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for line in lines:
        number = _mark(line, "participant_number")
        for mark in (number and f"#{number}", _mark(line, "id"), _mark(line, "participant")):
            if mark:
                of[mark][str(line["bot"])] = line
    return {mark: max(bots.values(), key=_share) for mark, bots in of.items()}


def _share(line: Mapping[str, Any]) -> float:
    """The share of the points in percent; a line without points sorts below all."""
    share = line.get("points_percent")
    return -1.0 if share is None else float(share)


def _mark(line: Mapping[str, Any], column: str) -> str:
    return str(line.get(column) or "").strip().casefold()


def _marks(row: Sequence[str], grade: int) -> Sequence[str]:
    """The identifiers of a row's person; namesakes are told apart by number only."""
    return [*dict.fromkeys(cell.strip().casefold() for cell in row[:grade])]


def _line_of(
    row: Sequence[str], marks: Iterable[str], known: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The line of a row's person: by the number in its first cell, else by `marks`.

    A name alone does not match a line with another number.
    """
    number = _NUMBER.fullmatch(row[0].strip())
    if number and f"#{number[1]}" in known:
        return known[f"#{number[1]}"]
    lines = [known[mark] for mark in marks if mark in known]
    return next((line for line in lines if not (number and _mark(line, "participant_number"))), None)


def _grade(share: float, most: str) -> str:
    """The grade out of the maximum, with the maximum's decimal sign."""
    try:
        whole = float(most.replace(",", ".")) if most.strip() else 100.0
    except ValueError:
        whole = inf
    if not isfinite(whole):
        raise WorksheetError(f"the worksheet has {most!r} as the most that a grade may be")
    text = f"{share * whole / 100:.2f}"
    return text.replace(".", ",") if "," in most else text


def _comment(line: Mapping[str, Any]) -> str:
    elo = "" if line.get("elo") is None else f", Elo {line['elo']:.0f}"
    points = f"{line['points_percent']} % of the points{line.get('against', '')}"
    return f"{line['bot']}: place {line['rank']}{elo}, {points}"
