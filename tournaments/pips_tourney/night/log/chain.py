"""The hash chain of a night's database.

Every commit hashes what it added together with the link before it. Anybody who wrote
down a head can check later whether the database still has everything it had then.
docs/record.md specifies the bytes that are hashed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

VERSION: Final = 1
SHORTEST: Final = 16
"""The fewest hexadecimal digits that identify a head."""
_BEFORE: Final = -(1 << 63)
"""The lowest possible rowid."""
_COLUMNS: Final = {
    "results": "id, game, seats, places, scores, faults, questions, times, hex(sha256)",
    "log": "seq, at, kind, payload",
    "played": "id, arena, at",
}


class Link(NamedTuple):
    """The state after a commit: the head, and the last row of each table."""

    head: bytes
    results: int = _BEFORE
    log: int = _BEFORE
    played: int = _BEFORE


class Chain(NamedTuple):
    """All links of a database, oldest first, and whatever does not match them."""

    links: Sequence[Link]
    problems: Sequence[str]

    @property
    def head(self) -> str:
        """The last head that matches, in hexadecimal; empty if there is none."""
        return self.links[-1].head.hex() if self.links else ""

    def find(self, head: str) -> Link | None:
        """Find the link with this head.

        The first 16 hexadecimal digits of the head, or more, are enough.
        """
        wanted = head.strip().lower()
        if len(wanted) < SHORTEST:
            return None
        return next((link for link in self.links if link.head.hex().startswith(wanted)), None)


def add_link(connection: sqlite3.Connection) -> bytes:
    """Chain everything that the open transaction has added; return the new head."""
    before = last_link(connection) or Link(b"")
    link = _next(connection, before)
    if link[1:] == before[1:]:
        return before.head
    marks = "INSERT INTO chain (head, results, log, played) VALUES (?, ?, ?, ?)"
    connection.execute(marks, link)
    return link.head


def last_link(connection: sqlite3.Connection) -> Link | None:
    """The newest link; None if nothing was stored yet."""
    newest = "SELECT head, results, log, played FROM chain ORDER BY seq DESC LIMIT 1"
    found = connection.execute(newest).fetchone()
    if found is None:
        return None
    if not _is_whole(found):
        raise sqlite3.DatabaseError("the last link of its chain was spoilt")
    return Link(*found)


def read_chain(connection: sqlite3.Connection) -> Chain:
    """Read the chain and compute every link again."""
    gone = [table for table in (*_COLUMNS, "chain") if not _is_there(connection, table)]
    if gone:
        return Chain([], [f"its chain, or a table that it covers, is gone: {', '.join(gone)}"])
    links: list[Link] = []
    before, seqs = Link(b""), []
    for seq, *stored in connection.execute("SELECT seq, head, results, log, played FROM chain ORDER BY seq"):
        seqs.append(seq)
        link = Link(*stored)
        if not _is_whole(link) or _next(connection, before, link) != link:
            told = f"link {seq} of its chain is not the hash of what was stored until then: something was changed"
            return Chain(links, [told])
        links.append(link)
        before = link
    if seqs != list(range(1, len(seqs) + 1)):
        return Chain(links, ["links are missing from its chain"])
    if _next(connection, before)[1:] != before[1:]:
        return Chain(links, ["it holds entries or results that its chain does not cover"])
    return Chain(links, [])


def _next(connection: sqlite3.Connection, before: Link, until: Link | None = None) -> Link:
    """The link over all rows after another link.

    It goes up to the marks of `until`, or to the end.
    """
    added: list[list[list[str | None]]] = []
    marks: list[int] = []
    for table, mark in zip(_COLUMNS, before[1:], strict=True):
        last = None if until is None else getattr(until, table)
        rows = list(_rows(connection, table, mark, last))
        added.append([row for _, row in rows])
        marks.append(rows[-1][0] if rows else mark)
    message = ["pips chain", VERSION, before.head.hex(), *added]
    head = sha256(json.dumps(message, separators=(",", ":")).encode("ascii")).digest()
    return Link(head, *marks)


def _is_whole(link: Sequence[object]) -> bool:
    """Whether the values have the types of a link."""
    return [type(value) for value in link] == [bytes, int, int, int]


def _rows(
    connection: sqlite3.Connection, table: str, first: int, last: int | None
) -> Iterator[tuple[int, list[str | None]]]:
    """The rows after the first, with rowids; each column is the text of its bytes.

    SQLite itself converts the bytes, so damaged text is not an error.
    """
    line = ", ".join(f"CAST({column} AS BLOB)" for column in _COLUMNS[table].split(", "))
    until = "" if last is None else "AND rowid <= ?"
    query = f"SELECT rowid, {line} FROM {table} WHERE rowid > ? {until} ORDER BY rowid"  # noqa: S608 - our names
    for number, *values in connection.execute(query, (first,) if last is None else (first, last)):
        yield number, [None if value is None else value.decode("utf-8", "surrogateescape") for value in values]


def _is_there(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is not None
