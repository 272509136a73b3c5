"""A night's database: its connection, and its schema of tables and columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pips_tourney.database import make_file, to_wal
from pips_tourney.night.log.lock import StoreError

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS results (
    id TEXT PRIMARY KEY,     -- the match's
    game TEXT NOT NULL,
    seats TEXT NOT NULL,     -- JSON: the bots' names by seat
    places TEXT NOT NULL,    -- JSON: by seat
    scores TEXT NOT NULL,    -- JSON: by seat
    faults TEXT NOT NULL,    -- JSON: seat, kind and a sentence of each
    questions INTEGER NOT NULL,
    times TEXT NOT NULL,     -- JSON: by seat, how many answers took how long (see result.py)
    sha256 BLOB NOT NULL,    -- of the record
    record BLOB NOT NULL     -- a serialised MatchRecord
);
CREATE TABLE IF NOT EXISTS log (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,        -- UTC; no fold looks at it
    kind TEXT NOT NULL,
    payload TEXT NOT NULL    -- JSON
);
CREATE TABLE IF NOT EXISTS secret (key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS played (
    id TEXT PRIMARY KEY,     -- the match's
    arena TEXT NOT NULL,     -- where the first result that came was played
    at TEXT NOT NULL         -- when it was stored, UTC; no standings look at either
);
CREATE TABLE IF NOT EXISTS chain (
    seq INTEGER PRIMARY KEY,
    head BLOB NOT NULL,        -- SHA-256 of what was added and of the head before
    results INTEGER NOT NULL,  -- by table, the rowid of the last row that it covers
    log INTEGER NOT NULL,
    played INTEGER NOT NULL
);
"""


SCHEMA_VERSION: Final = 2
APPLICATION_ID: Final = 0x50495053  # "PIPS"
LONGEST_VALUE: Final = 1 << 26
"""The most bytes of a value; a large night's programme has several million."""
NO_TABLES: Final = """
SELECT type, name FROM sqlite_schema
WHERE sql IS NOT NULL AND (type != 'table' OR upper(sql) NOT LIKE 'CREATE TABLE %')
"""
"""Everything in a schema except tables and their own indexes."""
NO_WRITING: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY")
"""SQLite's errors in a folder that cannot be written to; then no runner is writing."""
ADVICE: Final = {
    sqlite3.SQLITE_FULL: "; what was stored is kept: make room and go on",
    sqlite3.SQLITE_TOOBIG: f"; no value of a night has more than {LONGEST_VALUE >> 20} MB: somebody made it so",
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: {error}{ADVICE.get(getattr(error, 'sqlite_errorcode', 0), '')}") from error


def copied(path: Path) -> str:
    """Advice if a file may be a copy, made while its night was played."""
    wal = Path(f"{path}-wal")
    if wal.exists() and wal.stat().st_size:
        return ""
    return "; if it is a copy of a night under way, copy the file with -wal at its end too, or after the night"


def connect_to_read(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True, isolation_level=None)
    try:
        _check_version(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_write(path: Path) -> sqlite3.Connection:
    try:
        make_file(path)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    with explained(path):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
        try:
            _prepare(path, connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Make a database durable, and create missing tables."""
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
        to_wal(connection)  # first, so that all its files exist once it is open
        connection.executescript(  # another process may do the same; the second one changes nothing
            f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id = {APPLICATION_ID}; "
            f"PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )
    _check_version(path, connection)
    to_wal(connection)
    connection.execute("PRAGMA synchronous = FULL")


def _check_version(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a file that is not a night's database, as it may be made to harm us."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreError(f"{path}: this is no league database{copied(path)}")
    if odd := connection.execute(NO_TABLES).fetchone():
        raise StoreError(
            f"{path}: no night's database has {odd[0]} {odd[1]!r}: it was made or changed by somebody else"
        )
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{path}: it was written by another version of Pips (format {version}, this one knows {SCHEMA_VERSION}); "
            + ("update Pips" if version > SCHEMA_VERSION else "play it with the version that began it")
        )
