"""The worksheet of Moodle or the gradebook of Canvas, with a night's grades filled in.

Moodle takes back its own file alone: its columns, rows and order stay as they are. For
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
from pips_tourney.people.roster import delimiter_of
from pips_tourney.reports.exports import harmless

GRADE: Final = ("grade", "bewertung", "note", "calificación", "valutazione")
"""What Moodle calls the column in English, German, French, Spanish and Italian."""
MAXIMUM: Final = ("maximum grade", "bestwertung", "note maximale", "calificación máxima", "valutazione massima")
COMMENTS: Final = (
    "feedback comments", "feedback als kommentar", "feedback par commentaires", "comentarios de retroalimentación",
)  # fmt: skip
_NUMBER: Final = re.compile(r"\D*(\d+)")
_ASSIGNMENT: Final = re.compile(r".+ \(\d+\)")
"""What Canvas calls a column into which a grade may go."""
_POSSIBLE: Final = "points possible"
"""What Canvas writes into the first cell of the row with the most points there are."""
_UNGRADED: Final = "nothing was handed in"
_SHARED: Final = "several rows have this name, and no bot has this number"


class WorksheetError(TourneyError):
    """A worksheet that cannot be filled in, and why."""


class Filled(NamedTuple):
    """The file for Moodle, and who has no grade in it."""

    text: str
    graded: int
    without: Mapping[str, str]
    """By name, why."""


def fill_canvas(gradebook: str, league: str, lines: Iterable[Mapping[str, Any]]) -> Filled:
    """Fill in the same in one column of a gradebook of Canvas.

    That is the only assignment's, or that of the assignment called as the league.
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
    if short := [number for number, row in enumerate(rows, 1) if row and len(row) != len(head)]:
        raise WorksheetError(f"the gradebook, line {short[0]}: it has not {len(head)} cells")
    out = [[*row[: columns[0]], row[chosen[0]]] for row in rows if row]
    most = next((row[-1] for row in out if row[0].strip().lower() == _POSSIBLE), "")
    people = [row for row in out[1:] if row[1].strip()]  # a row without an ID is about the columns
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
    """The rows of a CSV, and what parts its cells. Raises `WorksheetError`."""
    delimiter = delimiter_of(worksheet)
    try:
        return list(csv.reader(io.StringIO(worksheet), delimiter=delimiter)), delimiter
    except csv.Error as error:
        raise WorksheetError(f"the worksheet is no CSV: {error}") from None


def _written(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def fill(worksheet: str, lines: Iterable[Mapping[str, Any]]) -> Filled:
    """Fill in the share of the points that each participant's bot has won.

    `lines` are those of a gradebook. Whose they are is read from a participant's
    number, else from their name or e-mail. Raises `WorksheetError`.
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
    graded = 0
    for number, row in enumerate(rows[1:], 2):
        if not any(row):
            continue
        if len(row) != len(head):
            raise WorksheetError(f"the worksheet, line {number}: it has {len(row)} cells, not {len(head)}")
        marks = _marks(row, grade)
        line = _line_of(row, [mark for mark in marks if named[mark] == 1], known)
        who = next(filter(None, (*row[1:grade], *row)))
        share = None if line is None else line.get("points_percent")
        if line is None or share is None:
            missing = _SHARED if any(named[mark] > 1 and mark in known for mark in marks) else _UNGRADED
            why = missing if line is None else str(line.get("status", "it has played nothing"))
            without[f"{who} ({row[0]})" if who in without else who] = why
            continue
        graded += 1
        row[grade] = _grade(float(share), row[most] if most is not None else "")
        if comments is not None:
            row[comments] = harmless(_comment(line))
    return Filled(_written(rows, delimiter), graded, without)


def _column(head: Sequence[str], names: Sequence[str]) -> int | None:
    return next((head.index(name) for name in names if name in head), None)


def _by_person(lines: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """By what tells a person: the line of their bot, in the last table that it is in.

    Moodle's own number is kept apart, as `#7`: a roster's `id` may be any other number.
    The overall table is the last one. Of several bots it is the one with most points.
    """
    of: defaultdict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for line in lines:
        number = _mark(line, "participant_number")
        for mark in (number and f"#{number}", _mark(line, "id"), _mark(line, "participant")):
            if mark:
                of[mark][str(line["bot"])] = line
    return {mark: max(bots.values(), key=_share) for mark, bots in of.items()}


def _share(line: Mapping[str, Any]) -> float:
    """The share of the points in percent; what has none is below all."""
    share = line.get("points_percent")
    return -1.0 if share is None else float(share)


def _mark(line: Mapping[str, Any], column: str) -> str:
    return str(line.get(column) or "").strip().casefold()


def _marks(row: Sequence[str], grade: int) -> Sequence[str]:
    """What may tell a row's person; two of one name are told by their number alone."""
    return [*dict.fromkeys(cell.strip().casefold() for cell in row[:grade])]


def _line_of(
    row: Sequence[str], marks: Iterable[str], known: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The line of a row's person: by the number in its first cell, else by `marks`.

    A name does not tell whose a line with another number is.
    """
    number = _NUMBER.fullmatch(row[0].strip())
    if number and f"#{number[1]}" in known:
        return known[f"#{number[1]}"]
    lines = [known[mark] for mark in marks if mark in known]
    return next((line for line in lines if not (number and _mark(line, "participant_number"))), None)


def _grade(share: float, most: str) -> str:
    """The grade out of the most there is, with the comma or the point that it has."""
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
    return f"{line['bot']}: place {line['rank']}{elo}, {line['points_percent']} % of the points"
