"""The night's SQLite file: append-only tables of results and of log entries.

Everything else is a fold of these. Only one runner writes at a time; a lock file beside
the database has its process number. Anybody may read at any time.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from operator import methodcaller
from pathlib import Path
from typing import Any, Final, Self

from pips_tourney.night.log.chain import Chain, add_link, last_link, read_chain
from pips_tourney.night.log.connecting import (
    APPLICATION_ID,
    NO_WRITING,
    connect_to_read,
    connect_to_write,
    copied,
    explained,
)
from pips_tourney.night.log.file_watch import FileWatch
from pips_tourney.night.log.kinds import BEACON
from pips_tourney.night.log.lock import StoreError, hold_lock, runner_of
from pips_tourney.night.log.rows import Entry, RawEntry, Row, SeatFault, points_of
from pips_tourney.secret import SECRET_BYTES, Secret

__all__ = [  # including names of `rows` that others import from here
    "APPLICATION_ID", "Entry", "RawEntry", "Row", "SeatFault", "Store", "StoreError", "copied", "hold_lock", "open_log",
    "open_store", "points_of", "read_store", "runner_of", "secret_of",
]  # fmt: skip
MOST_PARAMETERS: Final = 500


class Store:
    """An open database. Use `open_store` or `read_store`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        self.path = path
        self._connection = connection
        connection.text_factory = methodcaller("decode", "utf-8", "replace")  # damaged text is not an error
        self._lock = lock
        self._files: FileWatch | None = None if lock is None else FileWatch(path)

    def close(self) -> None:
        if self._lock is not None:
            with suppress(StoreError):
                self.fold()
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit everything or nothing; once this ends, it is on disk."""
        with explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def add(
        self,
        rows: Sequence[Row],
        entries: Sequence[tuple[str, dict[str, Any]]] = (),
        arenas: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Store results, log entries and arenas in one transaction.

        An entry is (kind, payload), an arena (id, arena). A stored result is
        never changed.
        """
        at = _now()
        with self._transaction() as connection:
            _insert(connection, "results", rows)
            _log(connection, at, entries)
            _insert(connection, "played", [(match, arena, at) for match, arena in arenas])
            add_link(connection)
        self.check_files()

    def check_files(self) -> None:
        """Raise `StoreError` if files of a played night are gone or were replaced."""
        trouble = "" if self._files is None else self._files.trouble()
        if trouble:
            with suppress(sqlite3.Error):  # a renamed database then contains everything
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            raise StoreError(trouble)

    def fold(self) -> str:
        """Move all results into the main file, for copying it; return the head."""
        with explained(self.path):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return self.head()

    def head(self) -> str:
        """The head of the chain in hexadecimal; empty if there is none yet."""
        with explained(self.path):
            link = last_link(self._connection)
        return "" if link is None else link.head.hex()

    def chain(self) -> Chain:
        """The complete chain, computed again."""
        with explained(self.path):
            return read_chain(self._connection)

    def damage(self) -> list[str]:
        """SQLite's complaints about its own pages and indexes."""
        with explained(self.path):
            found = [" ".join(str(row[0]).split()) for row in self._connection.execute("PRAGMA integrity_check(10)")]
        return [] if found == ["ok"] else found

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads inside see the same moment, even while a runner writes."""
        with explained(self.path):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def append(self, kind: str, payload: dict[str, Any]) -> None:
        """Add one entry to the log."""
        self.add((), [(kind, payload)])

    def keep_secret(self, secret: Secret, entries: Sequence[tuple[str, dict[str, Any]]] = ()) -> None:
        """Store the night's secret, which is then final, together with log entries."""
        with self._transaction() as connection:
            connection.execute("INSERT INTO secret SELECT ? WHERE NOT EXISTS (SELECT 1 FROM secret)", (secret.key,))
            _log(connection, _now(), entries)
            add_link(connection)
        self.check_files()

    def secret(self) -> Secret | None:
        """The night's secret; None before it was drawn."""
        with explained(self.path):
            found = self._connection.execute("SELECT key FROM secret").fetchone()
        if found is None:
            return None
        if not isinstance(found[0], bytes) or len(found[0]) != SECRET_BYTES:
            raise StoreError(f"{self.path}: its stored secret does not have {SECRET_BYTES} bytes")
        return Secret(found[0])

    def log(self, *kinds: str) -> list[Entry]:
        """The log's entries of these kinds, or of all kinds; oldest first."""
        where = f"WHERE kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        with explained(self.path):
            query = f"SELECT seq, at, kind, payload FROM log {where} ORDER BY seq"  # noqa: S608 - only marks
            return [self.entry(RawEntry(*found)) for found in self._connection.execute(query, kinds)]

    def raw_log(self) -> Iterator[RawEntry]:
        """All entries as they are stored, even unreadable ones."""
        with explained(self.path):
            query = "SELECT seq, at, kind, payload FROM log ORDER BY seq"
            yield from (RawEntry(*found) for found in self._connection.execute(query))

    def beside(self, table: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """The rows, in order, of a table that not all nights have; empty without it."""
        query = f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid"  # noqa: S608 - names of ours
        with explained(self.path):
            return self._connection.execute(query).fetchall() if self._has(table) else []

    def _has(self, table: str) -> bool:
        with explained(self.path):
            known = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
            return self._connection.execute(known, (table,)).fetchone() is not None

    def last(self, *kinds: str) -> int:
        """The number of the log's last entry of these kinds; 0 if there is none."""
        query = f"SELECT coalesce(max(seq), 0) FROM log WHERE kind IN ({', '.join('?' * len(kinds))})"  # noqa: S608
        with explained(self.path):
            return int(self._connection.execute(query, kinds).fetchone()[0])

    def entry(self, raw: RawEntry) -> Entry:
        """An entry, with its payload parsed; `StoreError` if it is no JSON object."""
        seq = raw.seq
        try:
            read = json.loads(raw.payload)
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(f"{self.path}: entry {seq} of its log cannot be read: {error}") from None
        if not isinstance(read, dict):
            raise StoreError(f"{self.path}: entry {seq} of its log cannot be read: it is no JSON object")
        return Entry(seq, raw.at, raw.kind, read)

    def stored(self, ids: Sequence[str]) -> set[str]:
        """Which of these matches have a result."""
        return {row[0] for row in self._select("id", ids)}

    def rows(self, ids: Sequence[str]) -> dict[str, Row]:
        """The results of these matches by match id, for those that have one."""
        return {row[0]: Row._make(row) for row in self._select(", ".join(Row._fields), ids)}

    def results(self, ids: Sequence[str]) -> dict[str, Row]:
        """The results of these matches, but without the records, which are long."""
        columns = ", ".join(Row._fields[:-1])
        return {row[0]: Row._make((*row, b"")) for row in self._select(columns, ids)}

    def arenas(self) -> dict[str, tuple[str, str]]:
        """By match, the arena that played it, and the time at which it was stored."""
        found = self.beside("played", ("id", "CAST(arena AS TEXT)", "CAST(at AS TEXT)"))
        return {match: (arena, at) for match, arena, at in found}

    def since(self, number: int) -> Iterator[tuple[int, Row]]:
        """The results stored after result `number`, each with its own number.

        Numbers are in the order of storing. The rows have no records.
        """
        columns = ", ".join(Row._fields[:-1])
        query = f"SELECT rowid, {columns} FROM results WHERE rowid > ? ORDER BY rowid"  # noqa: S608 - our columns
        with explained(self.path):
            for found in self._connection.execute(query, (number,)):
                yield found[0], Row._make((*found[1:], b""))

    def version(self) -> int:
        """A number that changes if another connection has written in between."""
        with explained(self.path):
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def ids(self) -> Iterator[str]:
        """The ids of all matches with a result, in no particular order."""
        with explained(self.path):
            yield from (row[0] for row in self._connection.execute("SELECT id FROM results"))

    def _select(self, columns: str, ids: Sequence[str]) -> Iterable[tuple[Any, ...]]:
        with explained(self.path):
            for start in range(0, len(ids), MOST_PARAMETERS):
                part = ids[start : start + MOST_PARAMETERS]
                marks = ", ".join("?" * len(part))
                query = f"SELECT {columns} FROM results WHERE id IN ({marks})"  # noqa: S608 - our names, and marks
                yield from self._connection.execute(query, part)


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Sequence[object]]) -> None:
    """Insert rows whose id is new."""
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks}) ON CONFLICT (id) DO NOTHING", rows)  # noqa: S608


def _log(connection: sqlite3.Connection, at: str, entries: Iterable[tuple[str, dict[str, Any]]]) -> None:
    logged = [(at, kind, json.dumps(payload, sort_keys=True)) for kind, payload in entries]
    connection.executemany("INSERT INTO log (at, kind, payload) VALUES (?, ?, ?)", logged)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def open_store(path: Path) -> Store:
    """Open the database at this path for its only runner; create it if missing."""
    lock = hold_lock(path)
    try:
        return Store(path, connect_to_write(path), lock)
    except BaseException:
        os.close(lock)
        raise


def open_log(path: Path) -> Store:
    """Open the database at this path to add log entries, even during a night."""
    if not path.is_file():
        raise StoreError(f"{path}: there is no such database")
    return Store(path, connect_to_write(path), None)


def read_store(path: Path) -> Store:
    """Open the database at this path to read, even while a runner writes it."""
    if not path.is_file():
        raise StoreError(f"{path}: there is no such database")
    with explained(path):
        try:
            connection = connect_to_read(path, "mode=ro")
        except sqlite3.OperationalError as error:
            wal = Path(f"{path}-wal")
            if not error.sqlite_errorname.startswith(NO_WRITING) or (wal.exists() and wal.stat().st_size):
                raise
            connection = connect_to_read(path, "mode=ro&immutable=1")
    return Store(path, connection, None)


def secret_of(store: Store) -> Secret | None:
    """The night's secret with its beacon; None before it was drawn."""
    secret, logged = store.secret(), store.log(BEACON)
    if secret is None or not logged:
        return secret
    return replace(secret, beacon=str(logged[0].payload.get("text", "")))
