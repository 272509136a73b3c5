"""The store of people: who is invited, their visits, and the names of their bots.

One SQLite file, which several processes may use at once. A committed row is on the
disk: what a page has acknowledged survives `kill -9`. The store has only hashes of
codes, cookies and tokens.
"""

from __future__ import annotations

import re
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, Final, NamedTuple, Self

from pips_tourney.database import make_file, to_wal
from pips_tourney.errors import TourneyError
from pips_tourney.names import LONGEST, name_from, numbered
from pips_tourney.people.codes import Code, InviteError, new_code
from pips_tourney.people.schema import make_tables

FILE: Final = "place.db"
VISIT_S: Final = 60 * 60 * 24 * 120
"""How long a cookie is valid, in seconds: as long as a school course."""
TOKEN: Final = "pips_"  # noqa: S105 - how tokens of programs begin
BOT_SIGNS: Final = LONGEST - 6
"""The most characters of a bot's name; ` v1234` and the like still fit behind it."""
DRAWN: Final = 100_000
LIKE_A_VERSION: Final = re.compile(r" (v\d+)$")
"""The suffix of later versions' names; no author may choose such a name."""
_PERSON: Final = (
    "SELECT p.id, coalesce(t.bot, p.bot, ''), p.name, p.organiser, coalesce(t.id, p.id), coalesce(t.name, ''), "
    "p.course_id FROM people p LEFT JOIN people t ON t.id = p.team"
)


class PeopleError(TourneyError):
    """A store that cannot be used, or a person who is not in it."""


class Invited(NamedTuple):
    """A person to invite. A bot without a `bot` name gets one later.

    It is the person's name, or one drawn at random.
    """

    name: str
    bot: str = ""
    team: str = ""
    id: str = ""
    """An e-mail address or a number, by which Moodle or Canvas knows the person."""
    until: str = ""
    """The person's own deadline, if there is one."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person with an invite.

    `bot` is the bot's name in the tables. `owner` is the number of the bot's owner: the
    person, or the person's team.
    """

    id: int
    bot: str
    name: str
    organiser: bool
    owner: int
    team: str = ""
    course_id: str = ""


class People:
    """The open store. Its methods may be called from any thread.

    `mark` is the mark of the host's certificate for codes, if bots dial in.
    """

    def __init__(self, folder: Path, mark: bytes = b"") -> None:
        self.folder, self._lock, self._mark = folder, RLock(), mark
        path = folder / FILE
        try:
            make_file(path)
        except OSError as error:
            raise PeopleError(f"{path}: {error.strerror}") from None
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            to_wal(self._db)
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA secure_delete = ON")
            make_tables(self._db)
        except (sqlite3.DatabaseError, ValueError) as error:
            self._db.close()
            raise PeopleError(f"{path} is no list of people: {error}; move it away and start again") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def invite(
        self, people: Iterable[Invited], taken: Iterable[str] = (), *, anonymous: bool = False
    ) -> list[tuple[Person, str]]:
        """Invite people who are new; returns them with their codes.

        A known name stays as it is, except that a missing `id` is filled in. `taken`
        are names that no bot may have, such as those of sample bots. With
        `anonymous`, a bot without a name gets a random one, which does not reveal its
        author.
        """
        known = {person.name for person in self.everybody()}
        invited = []
        for each in people:
            if each.name in known:
                fill = "UPDATE people SET course_id = ? WHERE name = ? AND course_id = '' AND organiser + is_team = 0"
                self.do(fill, each.id, each.name)
                continue
            known.add(each.name)
            with self.change():
                team = self._team(each, taken, anonymous=anonymous) if each.team else None
                own = None if team is not None else self._free_bot(each, taken, anonymous=anonymous)
                number = self._add(each.name, own, team)
                self.do("UPDATE people SET course_id = ? WHERE id = ?", each.id, number)
                invited.append((self.person(number), self.new_code(number)))
        return invited

    def expect(self, players: Sequence[str]) -> list[tuple[str, str]]:
        """Let in these players and no others; returns new players with their codes.

        A player's bot has the player's name, and dials in. Players who were revoked
        stay so.
        """
        marks = ", ".join("?" * len(players))
        self.do(f"UPDATE people SET is_out = bot NOT IN ({marks}) WHERE organiser = 0", *players)  # noqa: S608
        known = {person.bot for person in self.everybody()}
        return [(player, self.player_code(player)) for player in players if player not in known]

    def player_code(self, player: str) -> str:
        """A new code for a player whose bot dials in; the old code is void."""
        with self.change():
            rows = self.do("UPDATE people SET is_out = 0 WHERE bot = ? RETURNING id", player)
            return self.new_code(rows[0][0] if rows else self._add(player, player))

    def _add(self, name: str, bot: str | None, team: int | None = None, *, is_team: bool = False) -> int:
        ((number,),) = self.do(
            "INSERT INTO people (bot, name, team, is_team) VALUES (?, ?, ?, ?) RETURNING id", bot, name, team, is_team
        )
        return int(number)

    def _team(self, each: Invited, taken: Iterable[str], *, anonymous: bool) -> int:
        """The number of a team, which is added if it is new."""
        if rows := self.do("SELECT id FROM people WHERE is_team = 1 AND name = ?", each.team):
            return int(rows[0][0])
        own = self._free_bot(Invited(each.team, each.bot), taken, anonymous=anonymous)
        return self._add(each.team, own, is_team=True)

    def _free_bot(self, each: Invited, taken: Iterable[str], *, anonymous: bool) -> str:
        """A name for a bot that no other bot has."""
        drawn = f"bot {secrets.randbelow(DRAWN):05}"
        wanted = name_from(each.bot or (drawn if anonymous else each.name))[:BOT_SIGNS].strip()
        return numbered(LIKE_A_VERSION.sub(r"_\1", wanted), self.bots(taken))

    def rename(self, person: Person, bot: str, taken: Iterable[str] = ()) -> None:
        """Rename a bot. Raises `PeopleError` if the name is taken or final."""
        name = bot.strip()
        if not name or name_from(bot)[:BOT_SIGNS].strip() != name:
            raise PeopleError(f"a bot's name has 1 to {BOT_SIGNS} letters, digits, blanks and . _ + -")
        if like := LIKE_A_VERSION.search(name):
            raise PeopleError(f"no bot's name ends with {like[1]}: so the versions of a bot are called")
        with self.change():
            if name in self.bots(taken):
                raise PeopleError(f"{name} is taken: choose another name")
            if not self.do(
                "UPDATE people SET bot = ? WHERE id = ? AND keeps_name = 0 RETURNING id", name, person.owner
            ):
                raise PeopleError("the bot keeps its name: versions of it were handed in")

    def keep_name(self, owner: int) -> str:
        """The name of a bot, which from now on cannot change."""
        ((bot,),) = self.do("UPDATE people SET keeps_name = 1 WHERE id = ? RETURNING coalesce(bot, '')", owner)
        return str(bot)

    def bots(self, taken: Iterable[str] = ()) -> set[str]:
        """The names that no new bot may get: those of people's bots, and `taken`.

        The name of a version also blocks the name of its bot.
        """
        bots = {*taken, *(bot for (bot,) in self.do("SELECT bot FROM people WHERE bot IS NOT NULL"))}
        return bots | {LIKE_A_VERSION.sub("", bot) for bot in bots}

    def organiser(self) -> str:
        """A new code for the organiser; the old one is void, but visits continue."""
        with self.change():
            rows = self.do("SELECT id FROM people WHERE organiser = 1") or self.do(
                "INSERT INTO people (name, organiser) VALUES ('the organiser', 1) RETURNING id"
            )
            return self.new_code(rows[0][0], visits_end=False)

    def is_organisers(self, code: str) -> bool:
        """Whether the code is the organiser's current one. Raises `InviteError`."""
        return bool(self.do("SELECT 1 FROM people WHERE organiser = 1 AND code = ?", Code.read(code).sha256))

    def new_code(self, person: int, *, visits_end: bool = True) -> str:
        """Replace a person's code; the old one is void, by default with all visits."""
        code = new_code(self._mark)
        given = code.sha256  # slow: computed outside the transaction
        with self.change():
            whose = self.person(person)
            if visits_end:
                self.revoke(whose.id)
            self.do("UPDATE people SET code = ? WHERE id = ?", given, whose.id)
        return str(code)

    def revoke(self, person: int) -> bool:
        """Void a person's invite, visits and token. Return whether there was one."""
        with self.change():
            had = self.do("SELECT 1 FROM people WHERE id = ? AND code IS NOT NULL", person)
            self.do("UPDATE people SET code = NULL, token = NULL WHERE id = ?", person)
            self.do("DELETE FROM visits WHERE person = ?", person)
        return bool(had)

    def delete(self, person: int) -> None:
        """Delete a person's data; the name of their bot stays taken."""
        with self.change():
            self.revoke(person)
            self.do("UPDATE people SET name = '', course_id = '', is_out = 1 WHERE id = ?", person)
        self.do("PRAGMA wal_checkpoint(TRUNCATE)")  # the write-ahead log has the name, too

    def invites(self) -> dict[str, str]:
        """By bot, the hash of the secret that the bot shows when it dials in."""
        return dict(self.do("SELECT bot, code FROM people WHERE bot IS NOT NULL AND code IS NOT NULL AND is_out = 0"))

    def new_token(self, person: int) -> str:
        """A new token for this person's programs; the old token is void."""
        token = TOKEN + secrets.token_urlsafe(24)
        self.do("UPDATE people SET token = ? WHERE id = ? AND code IS NOT NULL", _hash(token), person)
        return token

    def of_token(self, token: str) -> Person | None:
        """The person to whom a token belongs."""
        return self._one("p.token = ?", _hash(token))

    def enter(self, code: str) -> str | None:
        """A new cookie for the person with this code; None if nobody has it."""
        try:
            given = Code.read(code).sha256
        except InviteError:
            return None
        return self._visit(given)

    def enter_as(self, course_id: str) -> str:
        """A new cookie for the only invited person with this `id`.

        Raises `PeopleError` if nobody has this `id`, or several do.
        """
        rows = self.do("SELECT course_id, code FROM people WHERE course_id <> '' AND code IS NOT NULL AND is_out = 0")
        codes = [code for own, code in rows if own.casefold() == course_id.casefold()]
        if len(codes) > 1:
            raise PeopleError(f"{len(codes)} people here have the id {course_id}")
        if not codes or (cookie := self._visit(codes[0])) is None:
            raise PeopleError(f"nobody with an invite is known here as {course_id}")
        return cookie

    def _visit(self, code: str) -> str | None:
        """A new cookie for the person with this hash of a code, or None.

        It is one statement, so no visit can outlive an invite that is revoked
        meanwhile.
        """
        cookie = secrets.token_urlsafe(24)
        self.do("DELETE FROM visits WHERE until < ?", time.time())
        entered = self.do(
            "INSERT INTO visits SELECT ?, id, ? FROM people WHERE code = ? AND is_out = 0 RETURNING person",
            _hash(cookie), time.time() + VISIT_S, code,
        )  # fmt: skip
        return cookie if entered else None

    def visitor(self, cookie: str) -> Person | None:
        """The person to whom a cookie belongs."""
        whose = "p.id = (SELECT person FROM visits WHERE cookie = ? AND until > ?)"
        return self._one(whose, _hash(cookie), time.time())

    def leave(self, cookie: str) -> None:
        self.do("DELETE FROM visits WHERE cookie = ?", _hash(cookie))

    def everybody(self) -> list[Person]:
        """Everybody except the organiser, in the order of their invites."""
        return self._some("p.organiser = 0")

    def person(self, number: int) -> Person:
        """The person with this number. Raises `PeopleError`."""
        if (person := self._one("p.id = ?", number)) is None:
            raise PeopleError(f"nobody here has the number {number}")
        return person

    def _one(self, which: str, *values: Any) -> Person | None:
        return next(iter(self._some(which, *values)), None)

    def _some(self, which: str, *values: Any) -> list[Person]:
        rows = self.do(f"{_PERSON} WHERE p.is_team = 0 AND p.is_out = 0 AND {which} ORDER BY p.id", *values)
        return [Person(row[0], row[1], row[2], bool(row[3]), *row[4:]) for row in rows]

    def setting(self, name: str) -> str:
        """The stored value of a name; empty if there is none."""
        rows = self.do("SELECT value FROM settings WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def settings(self, prefix: str) -> dict[str, str]:
        """The stored values of names with this prefix, by the rest of the name."""
        rows = self.do("SELECT name, value FROM settings WHERE value <> '' AND name GLOB ?", f"{prefix}*")
        return {name.removeprefix(prefix): value for name, value in rows}

    def set_setting(self, name: str, value: str) -> None:
        self.do("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, value)

    def do(self, statement: str, *values: Any) -> list[Any]:
        """The rows that a statement returns. Raises `PeopleError` if the disk fails."""
        with self._lock, _explained():
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def change(self) -> Iterator[None]:
        """A transaction: either all of its statements take effect, or none.

        A nested change is part of the outer one. Raises `PeopleError` if the disk
        fails.
        """
        with self._lock, _explained():
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise PeopleError(f"nothing can be kept now: {error}. Try again later") from error


def _hash(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()
