"""The tables of a place's book."""

from __future__ import annotations

import sqlite3
from typing import Final

APPLICATION_ID: Final = 0x50495042
NUMBER: Final = 2
"""The number of these tables."""
PEOPLE: Final = """
CREATE TABLE people (id INTEGER PRIMARY KEY, bot TEXT UNIQUE, name TEXT NOT NULL, code TEXT UNIQUE,
  organiser INTEGER NOT NULL DEFAULT 0, is_team INTEGER NOT NULL DEFAULT 0,
  team INTEGER REFERENCES people, token TEXT UNIQUE);
"""
"""A team has a row of its own, with a bot and no code. Its members have no bots."""
SETTINGS: Final = "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);"
VISITS: Final = """
CREATE TABLE visits (cookie TEXT PRIMARY KEY, person INTEGER NOT NULL REFERENCES people, until REAL NOT NULL);
"""
VERSIONS: Final = """
CREATE TABLE versions (id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL REFERENCES people,
  number INTEGER NOT NULL, bot TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, at TEXT NOT NULL,
  state TEXT NOT NULL, said TEXT NOT NULL DEFAULT '', UNIQUE (person, number));
"""


def make_tables(db: sqlite3.Connection) -> None:
    """Make the tables where there are none. Raises `ValueError` for other ones."""
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    (number,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and mark != APPLICATION_ID:
        raise ValueError("it belongs to something else")
    if tables and number != NUMBER:
        raise ValueError(f"{'a later' if number > NUMBER else 'an earlier'} version of pips-tourney wrote it")
    if not tables:
        tables_of_today = f"{PEOPLE} {VISITS} {VERSIONS} {SETTINGS}"
        marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {NUMBER};"
        db.executescript(f"BEGIN; {tables_of_today} {marks} COMMIT;")
