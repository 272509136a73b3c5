"""The file of invites, with a line for each person."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from pips_tourney.reports.exports import harmless

INVITES: Final = "invites.csv"
_WRITING: Final = Lock()


def write_invites(folder: Path, lines: Sequence[Mapping[str, str]], gone: Collection[str] = ()) -> Path:
    """Put lines into the file of invites, which only its owner may read.

    The first value names a person, whose earlier line goes. So do the lines of those
    in `gone`.
    """
    path, before = folder / INVITES, list[list[str]]()
    rows = [[str(harmless(value)) for value in line.values()] for line in lines]
    names = {*map(harmless, gone), *(row[0] for row in rows)}
    with _WRITING:
        if path.exists():
            with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
                before = [*csv.reader(file)]
        elif not rows:
            return path
        head = before[:1] or [[*line] for line in lines[:1]]
        kept = [row for row in before[1:] if not names.intersection(row[:1])]
        part = path.with_suffix(".part")  # a kill loses no code, which is kept nowhere else
        part.touch(0o600)
        with part.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([*head, *kept, *rows])
        part.replace(path)
    return path
