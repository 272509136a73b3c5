"""The book of a place: its people, their visits, and the versions they handed in.

One SQLite file beside the night. A row that was committed is on the disk: what a page
has acknowledged outlives `kill -9`. Codes, visits and tokens are kept as SHA-256 alone.
"""

from __future__ import annotations

import re
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from pips_tourney.errors import TourneyError
from pips_tourney.names import LONGEST, name_from, numbered
from pips_tourney.place.book_schema import make_tables

WAITING: Final = "waiting"
CHECKING: Final = "checking"
READY: Final = "ready"
REFUSED: Final = "refused"
VISIT_S: Final = 60 * 60 * 24 * 120
"""How long a cookie is good for: a course."""
ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
CODE_SIGNS: Final = 12
"""Signs of an invite's code: 59 bits."""
TOKEN: Final = "pips_"  # noqa: S105 - how tokens of programs begin
BOT_SIGNS: Final = LONGEST - 6
"""Signs of a bot's name: there is room for ` v1234` and the like."""
DRAWN: Final = 100_000
LIKE_A_VERSION: Final = re.compile(r" (v\d+)$")
"""How the names of later versions end: no bot may be called so."""
_PERSON: Final = (
    "SELECT p.id, coalesce(t.bot, p.bot, ''), p.name, p.organiser, coalesce(t.id, p.id), coalesce(t.name, '') "
    "FROM people p LEFT JOIN people t ON t.id = p.team"
)


class PlaceBookError(TourneyError):
    """A book that cannot be used, or a person who is not in it."""


class Invited(NamedTuple):
    """Somebody to be invited. Without a `bot` it is named after them, or drawn."""

    name: str
    bot: str = ""
    team: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an invite.

    `bot` is what the tables call their bot. `owner` is the number of whose bot it is:
    their own, or that of their team.
    """

    id: int
    bot: str
    name: str
    organiser: bool
    owner: int
    team: str = ""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """What a person or a team handed in once; `bot` is the entrant that plays it."""

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
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            make_tables(self._db)
            self._db.execute("UPDATE versions SET state = ? WHERE state = ?", (WAITING, CHECKING))
        except (sqlite3.DatabaseError, ValueError) as error:
            self._db.close()
            raise PlaceBookError(f"{path} is no book of a place: {error}; move it away and start again") from None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def invite(
        self, people: Iterable[Invited], taken: Iterable[str] = (), *, anonymous: bool = False
    ) -> list[tuple[Person, str]]:
        """Invite those who are new; returns them with their codes.

        A name that is in the book already stays as it is. `taken` are names of bots
        that nobody may have, such as those of the house. `anonymous`: bots that have no
        name get a drawn one, which says nothing of their authors.
        """
        known = {person.name for person in self.people()}
        invited = []
        for each in people:
            if each.name in known:
                continue
            known.add(each.name)
            team = self._team(each, taken, anonymous=anonymous) if each.team else None
            own = None if team is not None else self._free_bot(each, taken, anonymous=anonymous)
            ((number,),) = self._do(
                "INSERT INTO people (bot, name, team) VALUES (?, ?, ?) RETURNING id", own, each.name, team
            )
            code = self.new_code(number)
            invited.append((self.person(number), code))
        return invited

    def _team(self, each: Invited, taken: Iterable[str], *, anonymous: bool) -> int:
        """The number of a team, which is made if it is new."""
        found = self._do("SELECT id FROM people WHERE is_team = 1 AND name = ?", each.team)
        if not found:
            own = self._free_bot(Invited(each.team, each.bot), taken, anonymous=anonymous)
            found = self._do("INSERT INTO people (bot, name, is_team) VALUES (?, ?, 1) RETURNING id", own, each.team)
        return int(found[0][0])

    def _free_bot(self, each: Invited, taken: Iterable[str], *, anonymous: bool) -> str:
        """A name for a bot that no other has."""
        drawn = f"bot {secrets.randbelow(DRAWN):05}"
        wanted = name_from(each.bot or (drawn if anonymous else each.name))[:BOT_SIGNS].strip()
        with self._held() as db:
            return numbered(LIKE_A_VERSION.sub(r"_\1", wanted), _bots(db, taken))

    def rename(self, person: Person, bot: str, taken: Iterable[str] = ()) -> None:
        """Name a bot anew, before its first version. Raises `PlaceBookError`."""
        name = bot.strip()
        if not name or name_from(bot)[:BOT_SIGNS].strip() != name:
            raise PlaceBookError(f"a bot's name has 1 to {BOT_SIGNS} letters, digits, blanks and . _ + -")
        if like := LIKE_A_VERSION.search(name):
            raise PlaceBookError(f"no bot's name ends with {like[1]}: so the versions of a bot are called")
        with self._held() as db:
            db.execute("BEGIN IMMEDIATE")
            if db.execute("SELECT 1 FROM versions WHERE person = ?", (person.owner,)).fetchall():
                raise PlaceBookError("the bot keeps its name: versions of it were handed in")
            if name in _bots(db, taken):
                raise PlaceBookError(f"{name} is taken: choose another name")
            db.execute("UPDATE people SET bot = ? WHERE id = ?", (name, person.owner))
            db.execute("COMMIT")

    def organiser(self) -> str:
        """A new code for the organiser; the old one is void, visits go on."""
        if not self._do("SELECT id FROM people WHERE organiser = 1"):
            self._do("INSERT INTO people (name, organiser) VALUES ('the organiser', 1)")
        ((person,),) = self._do("SELECT id FROM people WHERE organiser = 1")
        return self.new_code(person, visits_end=False)

    def new_code(self, person: int, *, visits_end: bool = True) -> str:
        """Make an invite again; the old code is void, and by default all visits end."""
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_SIGNS))
        found = self._do("UPDATE people SET code = ? WHERE id = ? AND is_team = 0 RETURNING id", _mark(code), person)
        if not found:
            raise PlaceBookError(f"nobody here has the number {person}")
        if visits_end:
            self._end_visits(person)
        return "-".join(code[at : at + 4] for at in range(0, CODE_SIGNS, 4))

    def revoke(self, person: int) -> None:
        """Make an invite void, and end its visits and its token."""
        self._do("UPDATE people SET code = NULL WHERE id = ?", person)
        self._end_visits(person)

    def _end_visits(self, person: int) -> None:
        self._do("UPDATE people SET token = NULL WHERE id = ?", person)
        self._do("DELETE FROM visits WHERE person = ?", person)

    def new_token(self, person: int) -> str:
        """A token for programs of this person; the one before it is void."""
        token = TOKEN + secrets.token_urlsafe(24)
        self._do("UPDATE people SET token = ? WHERE id = ?", _mark(token), person)
        return token

    def of_token(self, token: str) -> Person | None:
        """The person of a program's token."""
        rows = self._do(f"{_PERSON} WHERE p.token = ?", _mark(token)) if token.startswith(TOKEN) else []
        return _person(rows[0]) if rows else None

    def enter(self, code: str) -> str | None:
        """A fresh cookie for the person of a code; None if nobody has it."""
        plain = "".join(sign for sign in code.lower() if sign in ALPHABET)
        found = self._do("SELECT id FROM people WHERE code = ?", _mark(plain)) if len(plain) == CODE_SIGNS else []
        return self._visit(found[0][0]) if found else None

    def _visit(self, person: int) -> str:
        """The cookie of a new visit."""
        cookie = secrets.token_urlsafe(24)
        self._do("DELETE FROM visits WHERE until < ?", time.time())
        self._do("INSERT INTO visits VALUES (?, ?, ?)", _mark(cookie), person, time.time() + VISIT_S)
        return cookie

    def visitor(self, cookie: str) -> Person | None:
        """The person of a cookie."""
        rows = self._do(
            f"{_PERSON} JOIN visits ON visits.person = p.id WHERE cookie = ? AND until > ?", _mark(cookie), time.time()
        )
        return _person(rows[0]) if rows else None

    def leave(self, cookie: str) -> None:
        self._do("DELETE FROM visits WHERE cookie = ?", _mark(cookie))

    def bots(self) -> set[str]:
        """The names that bots and versions of people have."""
        with self._held() as db:
            return _bots(db, ())

    def people(self) -> list[Person]:
        """Everybody but the organiser, in the order of their invites."""
        return [*map(_person, self._do(f"{_PERSON} WHERE p.organiser = 0 AND p.is_team = 0 ORDER BY p.id"))]

    def person(self, number: int) -> Person:
        """The person with this number. Raises `PlaceBookError`."""
        if not (rows := self._do(f"{_PERSON} WHERE p.id = ?", number)):
            raise PlaceBookError(f"nobody here has the number {number}")
        return _person(rows[0])

    def hand_in(self, person: Person, folder: str) -> BotVersion:
        """Keep a version under the bot's present name; it is on the disk on return.

        A number whose name another has, in a book of before, is left out.
        """
        with self._held() as db:
            db.execute("BEGIN IMMEDIATE")
            (last,) = db.execute(
                "SELECT coalesce(max(number), 0) FROM versions WHERE person = ?", (person.owner,)
            ).fetchone()
            (bot,) = db.execute("SELECT coalesce(bot, '') FROM people WHERE id = ?", (person.owner,)).fetchone()
            number = last + 1
            while db.execute("SELECT 1 FROM versions WHERE bot = ?", (entrant(bot, number),)).fetchall():
                number += 1
            (row,) = db.execute(
                "INSERT INTO versions (person, number, bot, folder, at, state) VALUES (?, ?, ?, ?, ?, ?) RETURNING *",
                (person.owner, number, entrant(bot, number), folder, _now(), WAITING),
            ).fetchall()
            db.execute("COMMIT")
        return BotVersion(*row)

    def versions(self, person: int | None = None) -> list[BotVersion]:
        """The versions of an owner, or of all, oldest first."""
        where, values = ("", ()) if person is None else (" WHERE person = ?", (person,))
        return [BotVersion(*row) for row in self._do(f"SELECT * FROM versions{where} ORDER BY id", *values)]  # noqa: S608

    def set_state(self, version: int, state: str, said: str = "") -> None:
        self._do("UPDATE versions SET state = ?, said = ? WHERE id = ?", state, said, version)

    def setting(self, name: str) -> str:
        """What was noted under a name; empty if nothing was."""
        rows = self._do("SELECT value FROM settings WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def set_setting(self, name: str, value: str) -> None:
        self._do(
            "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value
        )

    def _do(self, statement: str, *values: Any) -> list[Any]:
        with self._held() as db:
            return db.execute(statement, values).fetchall()

    @contextmanager
    def _held(self) -> Iterator[sqlite3.Connection]:
        """The connection for one change: all of it is kept, or nothing.

        Raises `PlaceBookError` if the disk fails.
        """
        with self._lock:
            try:
                yield self._db
            except sqlite3.DatabaseError as error:
                raise PlaceBookError(f"the place cannot keep anything now: {error}. Try again later") from error
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")


def entrant(bot: str, number: int) -> str:
    """What the tables call a version: `ada`, then `ada v2`, and so on."""
    return bot if number == 1 else f"{bot} v{number}"


def in_turn(versions: Iterable[BotVersion], last: int | None = None) -> list[BotVersion]:
    """The versions that wait, in the order in which they are checked.

    No first version waits for a later one. Of one person only the newest is checked.
    Versions up to number `last` come before all others: their night is to end.
    """
    newest: dict[tuple[int, bool], BotVersion] = {}
    for version in versions:
        newest[version.person, last is not None and version.id > last] = version
    waiting = [version for version in newest.values() if version.state in (WAITING, CHECKING)]
    return sorted(waiting, key=lambda each: (last is not None and each.id > last, each.number > 1, each.id))


def before(version: BotVersion, versions: Iterable[BotVersion]) -> int:
    """How many are checked before this version."""
    turn = in_turn(versions)
    return next((at for at, each in enumerate(turn) if each.id == version.id), 0)


def _bots(db: sqlite3.Connection, taken: Iterable[str]) -> set[str]:
    """The names no bot may get: of others, and those whose versions others are."""
    rows = db.execute("SELECT bot FROM people WHERE bot IS NOT NULL UNION SELECT bot FROM versions")
    bots = {*taken, *(bot for (bot,) in rows)}
    return bots | {LIKE_A_VERSION.sub("", bot) for bot in bots}


def _person(row: Any) -> Person:
    return Person(row[0], row[1], row[2], bool(row[3]), row[4], row[5])


def _mark(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
