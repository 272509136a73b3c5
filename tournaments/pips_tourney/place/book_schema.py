"""The tables of a place's book, and how an older book becomes one of today."""

from __future__ import annotations

import sqlite3
from typing import Final

APPLICATION_ID: Final = 0x50495042
NUMBER: Final = 2
"""The number of these tables; the first ones had none."""
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
FROM_1: Final = f"""
{PEOPLE.replace("people (", "people_2 (", 1)}
INSERT INTO people_2 (id, bot, name, code, organiser) SELECT id, nullif(bot, ''), name, code, organiser FROM people;
DROP TABLE people;
ALTER TABLE people_2 RENAME TO people;
{SETTINGS}
"""  # noqa: S608 - nothing in it comes from elsewhere


def make_tables(db: sqlite3.Connection) -> None:
    """Make the tables, or bring older ones up to date. Raises `ValueError`."""
    db.execute("PRAGMA legacy_alter_table = ON")  # a renamed table keeps what refers to it
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    (number,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and mark != APPLICATION_ID:
        raise ValueError("it belongs to something else")
    if number > NUMBER:
        raise ValueError("a later version of pips-tourney wrote it")
    if not tables:
        todo = f"{PEOPLE} {VISITS} {VERSIONS} {SETTINGS} PRAGMA application_id = {APPLICATION_ID};"
    else:
        todo = FROM_1 if number < NUMBER else ""
    if todo:
        db.executescript(f"BEGIN; {todo} PRAGMA user_version = {NUMBER}; COMMIT;")
