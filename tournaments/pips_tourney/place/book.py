"""The book of a place: its people, their visits, and the versions they handed in.

One SQLite file beside the night. A row that was committed is on the disk: what a page
has acknowledged outlives `kill -9`. Codes and visits are kept as SHA-256 alone.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final

from pips_tourney.errors import TourneyError
from pips_tourney.names import numbered

WAITING: Final = "waiting"
CHECKING: Final = "checking"
READY: Final = "ready"
REFUSED: Final = "refused"
VISIT_S: Final = 60 * 60 * 24 * 120
"""How long a cookie is good for: a course."""
ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
CODE_SIGNS: Final = 12
"""Signs of an invite's code: 59 bits."""
APPLICATION_ID: Final = 0x50495042
SCHEMA: Final = """
CREATE TABLE people (id INTEGER PRIMARY KEY, bot TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  code TEXT UNIQUE, organiser INTEGER NOT NULL DEFAULT 0);
CREATE TABLE visits (cookie TEXT PRIMARY KEY, person INTEGER NOT NULL REFERENCES people, until REAL NOT NULL);
CREATE TABLE versions (id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL REFERENCES people,
  number INTEGER NOT NULL, bot TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, at TEXT NOT NULL,
  state TEXT NOT NULL, said TEXT NOT NULL DEFAULT '', UNIQUE (person, number));
"""


class PlaceBookError(TourneyError):
    """A book that cannot be used, or a person who is not in it."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an invite. `bot` is what the tables call their bot."""

    id: int
    bot: str
    name: str
    organiser: bool


@dataclass(frozen=True, slots=True)
class BotVersion:
    """What a person handed in once; `bot` is the entrant that plays it."""

    id: int
    person: int
    number: int
    bot: str
    folder: str
    at: str
    state: str
    said: str


class Book:
    """The open book. Its methods may be called from any thread."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        fresh = not path.exists()
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            if fresh:
                path.chmod(0o600)
            self._open(path)
        except (sqlite3.DatabaseError, PlaceBookError) as error:
            self._db.close()
            raise PlaceBookError(f"{path} is no book of a place: {error}; move it away and start again") from None

    def _open(self, path: Path) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        (mark,) = self._db.execute("PRAGMA application_id").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and mark != APPLICATION_ID:
            raise PlaceBookError("it belongs to something else")
        if not tables:
            self._db.executescript(f"BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION_ID}; COMMIT;")
        self._db.execute("UPDATE versions SET state = ? WHERE state = ?", (WAITING, CHECKING))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def invite(self, names: Iterable[tuple[str, str]], taken: Iterable[str] = ()) -> list[tuple[Person, str]]:
        """Invite those who are new, by name and bot; returns them with their codes.

        A name that is in the book already stays as it is. `taken` are names of bots
        that nobody may have, such as those of the house.
        """
        known = {person.name for person in self.people()}
        bots = {person.bot for person in self.people()} | set(taken)
        invited = []
        for name, bot in names:
            if name in known:
                continue
            known.add(name)
            bots.add(own := numbered(bot, bots))
            self._do("INSERT INTO people (bot, name) VALUES (?, ?)", own, name)
            (row,) = self._do("SELECT id, bot, name, organiser FROM people WHERE bot = ?", own)
            invited.append((_person(row), self.new_code(row[0])))
        return invited

    def organiser(self) -> str:
        """A new code for the organiser; the old one is void, visits go on."""
        self._do("INSERT OR IGNORE INTO people (bot, name, organiser) VALUES ('', 'the organiser', 1)")
        ((person,),) = self._do("SELECT id FROM people WHERE organiser = 1")
        return self.new_code(person, visits_end=False)

    def new_code(self, person: int, *, visits_end: bool = True) -> str:
        """Make an invite again; the old code is void, and by default all visits end."""
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_SIGNS))
        if not self._do("UPDATE people SET code = ? WHERE id = ? RETURNING id", _mark(code), person):
            raise PlaceBookError(f"nobody here has the number {person}")
        if visits_end:
            self._do("DELETE FROM visits WHERE person = ?", person)
        return "-".join(code[at : at + 4] for at in range(0, CODE_SIGNS, 4))

    def revoke(self, person: int) -> None:
        """Make an invite void and end its visits."""
        self._do("UPDATE people SET code = NULL WHERE id = ?", person)
        self._do("DELETE FROM visits WHERE person = ?", person)

    def enter(self, code: str) -> str | None:
        """A fresh cookie for the person of a code; None if nobody has it."""
        plain = "".join(sign for sign in code.lower() if sign in ALPHABET)
        found = self._do("SELECT id FROM people WHERE code = ?", _mark(plain)) if len(plain) == CODE_SIGNS else []
        if not found:
            return None
        cookie = secrets.token_urlsafe(24)
        self._do("DELETE FROM visits WHERE until < ?", time.time())
        self._do("INSERT INTO visits VALUES (?, ?, ?)", _mark(cookie), found[0][0], time.time() + VISIT_S)
        return cookie

    def visitor(self, cookie: str) -> Person | None:
        """The person of a cookie."""
        rows = self._do(
            "SELECT id, bot, name, organiser FROM people JOIN visits ON person = id WHERE cookie = ? AND until > ?",
            _mark(cookie), time.time(),
        )  # fmt: skip
        return _person(rows[0]) if rows else None

    def leave(self, cookie: str) -> None:
        self._do("DELETE FROM visits WHERE cookie = ?", _mark(cookie))

    def people(self) -> list[Person]:
        """Everybody but the organiser, in the order of their invites."""
        rows = self._do("SELECT id, bot, name, organiser FROM people WHERE organiser = 0 ORDER BY id")
        return [_person(row) for row in rows]

    def hand_in(self, person: Person, folder: str) -> BotVersion:
        """Keep a version; it is on the disk when this returns."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            (last,) = self._db.execute(
                "SELECT coalesce(max(number), 0) FROM versions WHERE person = ?", (person.id,)
            ).fetchone()
            (row,) = self._db.execute(
                "INSERT INTO versions (person, number, bot, folder, at, state) VALUES (?, ?, ?, ?, ?, ?) RETURNING *",
                (person.id, last + 1, entrant(person.bot, last + 1), folder, _now(), WAITING),
            ).fetchall()
            self._db.execute("COMMIT")
        return BotVersion(*row)

    def versions(self, person: int | None = None) -> list[BotVersion]:
        """The versions of a person, or of all, oldest first."""
        where, values = ("", ()) if person is None else (" WHERE person = ?", (person,))
        return [BotVersion(*row) for row in self._do(f"SELECT * FROM versions{where} ORDER BY id", *values)]  # noqa: S608

    def set_state(self, version: int, state: str, said: str = "") -> None:
        self._do("UPDATE versions SET state = ?, said = ? WHERE id = ?", state, said, version)

    def _do(self, statement: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._db.execute(statement, values).fetchall()


def entrant(bot: str, number: int) -> str:
    """What the tables call a version: `ada`, then `ada v2`, and so on."""
    return bot if number == 1 else f"{bot} v{number}"


def in_turn(versions: Iterable[BotVersion]) -> list[BotVersion]:
    """The versions that wait, in the order in which they are checked.

    No first version waits for a later one. Of one person only the newest is checked.
    """
    newest = {version.person: version for version in versions}
    waiting = [version for version in newest.values() if version.state in (WAITING, CHECKING)]
    return sorted(waiting, key=lambda version: (version.number > 1, version.id))


def before(version: BotVersion, versions: Iterable[BotVersion]) -> int:
    """How many are checked before this version."""
    turn = in_turn(versions)
    return next((at for at, each in enumerate(turn) if each.id == version.id), 0)


def _person(row: Any) -> Person:
    return Person(row[0], row[1], row[2], bool(row[3]))


def _mark(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
