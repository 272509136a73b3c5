"""The tables of people in the database."""

from __future__ import annotations

import sqlite3
from typing import Final

APPLICATION_ID: Final = 0x50495042
NUMBER: Final = 4
"""The version of these tables, and of those that other rooms add to the database."""
TABLES: Final = (
    """
CREATE TABLE people (id INTEGER PRIMARY KEY, bot TEXT UNIQUE, name TEXT NOT NULL, code TEXT UNIQUE,
  organiser INTEGER NOT NULL DEFAULT 0, is_team INTEGER NOT NULL DEFAULT 0, team INTEGER REFERENCES people,
  token TEXT UNIQUE, keeps_name INTEGER NOT NULL DEFAULT 0, is_out INTEGER NOT NULL DEFAULT 0,
  course_id TEXT NOT NULL DEFAULT '')
""",
    "CREATE TABLE visits (cookie TEXT PRIMARY KEY, person INTEGER NOT NULL REFERENCES people, until REAL NOT NULL)",
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {NUMBER}",
)
"""A team has a row of its own, with a bot and no code. Its members have no bots."""


def make_tables(db: sqlite3.Connection) -> None:
    """Make the tables if there are none. Raises `ValueError` for any other tables."""
    db.execute("BEGIN IMMEDIATE")
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    (number,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and mark != APPLICATION_ID:
        raise ValueError("it belongs to something else")
    if tables and number != NUMBER:
        raise ValueError(f"{'a later' if number > NUMBER else 'an earlier'} version of pips-tourney wrote it")
    for statement in () if tables else TABLES:
        db.execute(statement)
    db.execute("COMMIT")
