"""Databases of earlier nights: move them aside and find them again."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from pips_tourney.night.log.store import hold_lock, read_store


def moved_aside(path: Path) -> dict[int, Path]:
    """Databases that were moved aside from this path, by number, oldest first."""
    named = re.compile(rf"{re.escape(path.stem)}\.([1-9][0-9]*){re.escape(path.suffix)}")
    found = {int(match[1]): beside for beside in path.parent.glob("*") if (match := named.fullmatch(beside.name))}
    return dict(sorted(found.items()))


def move_aside(path: Path) -> Path:
    """Rename a database to `night.1.db`, or the next number; return its new path."""
    read_store(path).close()  # a file that is no night's database stays where it is
    lock = hold_lock(path)
    try:
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # then one file contains everything
        number = 1 + max(moved_aside(path), default=0)
        aside = path.with_name(f"{path.stem}.{number}{path.suffix}")
        for suffix in ("", "-wal", "-shm"):
            old = Path(f"{path}{suffix}")
            if old.exists():
                old.rename(f"{aside}{suffix}")
        return aside
    finally:
        os.close(lock)
