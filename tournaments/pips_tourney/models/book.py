"""The book of a night's model answers: a table in its database, beside the records.

A record contains only what the referee decided, and is hashed. The tokens that an
answer took concern only the organiser, and differ each time it is asked. So they are
stored here, by match, seat, question and attempt. The same table is the cache: if the
same process asks the same question again, the stored reply is returned.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from pips_sdk.model.endpoint import ModelMessage, ModelReply
from pips_tourney.errors import TourneyError
from pips_tourney.secret import canonical

DEFAULTED: Final = 0
"""In place of an attempt's number: the legal default was played."""
UNMARKED: Final = -1
"""In place of an attempt's number: the markup of a reply was ignored."""
NAME: Final = "model_answers"
"""The table's name."""
TABLE: Final = """
CREATE TABLE IF NOT EXISTS model_answers (
    match TEXT NOT NULL,
    seat INTEGER NOT NULL,
    question INTEGER NOT NULL,  -- counted for this seat, from 1
    attempt INTEGER NOT NULL,   -- from 1; or DEFAULTED, UNMARKED
    process TEXT NOT NULL,      -- BOT/CONTEST/ROTATION
    asked BLOB NOT NULL,        -- SHA-256 of the model and the messages
    reply TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cost REAL NOT NULL,         -- in the league's currency, by its prices
    ms INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    at TEXT NOT NULL,           -- UTC
    PRIMARY KEY (match, seat, question, attempt, process, asked)
)
"""
BUSY_S: Final = 60.0
"""Timeout while the runner writes results."""


class BookError(TourneyError):
    """A book that cannot be read or written."""


class ModelQuestion(NamedTuple):
    """A question to a model, as stored in the book."""

    match: str
    seat: int
    question: int
    attempt: int
    process: str
    digest: bytes


class BookedReply(NamedTuple):
    """A row of the book."""

    match: str
    seat: int
    question: int
    attempt: int
    process: str
    reply: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    ms: int
    tries: int


def digest_of(model: Mapping[str, Any], messages: Sequence[ModelMessage]) -> bytes:
    """The SHA-256 of a model's settings and its messages."""
    return sha256(canonical([dict(model), [dict(message) for message in messages]])).digest()


@dataclass
class AnswerBook:
    """An open book. Many threads may use it."""

    path: Path

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            self._run("the answers of models cannot be kept", TABLE)
        except BookError:
            self.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def find(self, asked: ModelQuestion) -> ModelReply | None:
        """The stored reply to a question; None if it was not asked before."""
        query = (
            "SELECT reply, prompt_tokens, completion_tokens, ms, tries FROM model_answers WHERE match = ? AND seat = ? "
            "AND question = ? AND attempt = ? AND process = ? AND asked = ?"
        )
        found = self._run("a model's answer cannot be looked up", query, asked)
        return ModelReply(*found[0]) if found else None

    def add(self, asked: ModelQuestion, reply: ModelReply, cost: float) -> None:
        """Store a reply; it is on disk when this returns."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = (*asked, *reply[:3], cost, *reply[3:], at)
        query = f"INSERT INTO model_answers VALUES ({', '.join('?' * len(line))}) ON CONFLICT DO NOTHING"  # noqa: S608
        self._run("a model's answer cannot be kept", query, line)

    def spent(self) -> dict[str, float]:
        """By bot, the cost of its answers so far."""
        found: dict[str, float] = {}
        query = "SELECT process, sum(cost) FROM model_answers GROUP BY process"
        for process, cost in self._run("what models have cost cannot be read", query):
            bot = process.partition("/")[0]
            found[bot] = found.get(bot, 0.0) + cost
        return found

    def _run(self, trouble: str, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query; raises `BookError` with `trouble` if the query fails."""
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise BookError(f"{self.path}: {trouble}: {error}") from None
