"""Hand-ins: the versions of people's bots, with their files."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from pips_tourney.bots.archives import HandInError
from pips_tourney.files import writable
from pips_tourney.night.plan.decisions import BY_AUTHOR
from pips_tourney.people.store import People, Person
from pips_tourney.place.desk.health import DiskBound
from pips_tourney.place.desk.uploads import keep_files

WAITING: Final = "waiting"
CHECKING: Final = "checking"
READY: Final = "ready"
REFUSED: Final = "refused"
DELETED: Final = "deleted"
"""The author has left: only the version's number and its bot's name are left."""
WITHDRAWN: Final = "withdrawn"
"""The author has withdrawn the bot: it plays no more unless it is handed in again."""
WHY_OUT: Final = {DELETED: "its author has left", WITHDRAWN: BY_AUTHOR}
"""By state, why no night plays the version."""
CHOSEN: Final = "final_"
"""Prefix for the version that plays in the last night, by its owner's number."""
PUBLISHED: Final = "published_"
"""Prefix for the version that all may read and play against, by its owner's number."""
MARK: Final = "mark_"
"""Prefix for what versions with the same code share, by a version's number."""
MOST_AN_HOUR: Final = 30
"""The most versions that one person may hand in within an hour."""
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS versions (id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL REFERENCES people,
  number INTEGER NOT NULL, bot TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, at TEXT NOT NULL,
  state TEXT NOT NULL, said TEXT NOT NULL DEFAULT '', UNIQUE (person, number))
"""
FINAL: Final = "final"
"""A setting in the book: how many nights there were when the last night began."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """One hand-in of a person or a team; `bot` is the entrant that plays it."""

    id: int
    person: int
    number: int
    bot: str
    folder: str
    at: str
    state: str
    said: str


class HandIns:
    """All versions, in the database of people; their files are below `folder`."""

    def __init__(self, people: People, folder: Path) -> None:
        self.people, self.folder = people, folder
        self._failed: defaultdict[int, list[datetime]] = defaultdict(list)
        """By owner, when recent hand-ins failed."""
        self.disk: DiskBound | None = None
        """What says whether there is room for more."""
        people.do(_TABLE)
        people.do("UPDATE versions SET state = ? WHERE state = ?", WAITING, CHECKING)

    def add(self, person: Person, folder: str) -> BotVersion:
        """Add a version under the bot's current name; it is on the disk on return."""
        do, owner = self.people.do, person.owner
        with self.people.change():
            bot = self.people.keep_name(owner)
            ((number,),) = do("SELECT coalesce(max(number), 0) + 1 FROM versions WHERE person = ?", owner)
            (row,) = do(
                "INSERT INTO versions (person, number, bot, folder, at, state) VALUES (?, ?, ?, ?, ?, ?) RETURNING *",
                owner, number, bot if number == 1 else f"{bot} v{number}", folder,
                datetime.now(UTC).isoformat(timespec="seconds"), WAITING,
            )  # fmt: skip
        return BotVersion(*row)

    def all(self) -> list[BotVersion]:
        """All versions, oldest first."""
        return versions_in(self.people)

    def of(self, person: Person) -> list[BotVersion]:
        """A person's versions, oldest first; for the organiser, all versions."""
        return [each for each in self.all() if person.organiser or each.person == person.owner]

    def set_state(self, version: int, state: str, said: str = "") -> None:
        kept = (
            (DELETED,) if state == DELETED else (DELETED, WITHDRAWN)
        )  # a later check result does not change these states
        marks = ", ".join("?" * len(kept))
        change = f"UPDATE versions SET state = ?, said = ? WHERE id = ? AND state NOT IN ({marks})"  # noqa: S608
        self.people.do(change, state, said, version, *kept)

    def choose(self, person: Person, number: int, *, newest: bool = False) -> bool:
        """Choose a version for the last night, if it is the person's and ready.

        With `newest` the choice is removed, and the newest version plays.
        """
        return self._note(CHOSEN, person, number, off=newest)

    def publish(self, person: Person, number: int, *, off: bool = False) -> bool:
        """Let all read and play against a version, if it is the person's and ready.

        `off` ends that. The organiser can end it, too.
        """
        return self._note(PUBLISHED, person, number, off=off)

    def _note(self, what: str, person: Person, number: int, *, off: bool) -> bool:
        for each in self.of(person):
            is_own = each.person == person.owner or (off and person.organiser)
            if each.id == number and each.state == READY and is_own:
                self.people.set_setting(f"{what}{each.person}", "" if off else str(number))
                return True
        return False

    def published(self) -> list[BotVersion]:
        """The versions that all may read and play against, at most one per person."""
        shown = {int(number) for number in self.people.settings(PUBLISHED).values()}
        return [each for each in self.all() if each.id in shown and each.state == READY]

    def chosen(self) -> dict[int, int]:
        """By owner's number, the version chosen for the last night.

        For other owners the newest version plays.
        """
        return {int(owner): int(number) for owner, number in self.people.settings(CHOSEN).items()}

    def owners(self) -> dict[str, int]:
        """The owners of versions, by their folders, and by bots as logs write them."""
        return {name: each.person for each in self.all() for name in (each.folder, writable(each.bot))}

    def set_mark(self, version: int, mark: str) -> None:
        """Store what the version shares with all that have the same code."""
        self.people.set_setting(f"{MARK}{version}", mark)

    def same_code(self) -> list[list[BotVersion]]:
        """The first version of each owner, in groups of owners with the same code."""
        marks, found = self.people.settings(MARK), defaultdict[str, dict[int, BotVersion]](dict)
        for version in self.all():
            if mark := marks.get(str(version.id)):
                found[mark].setdefault(version.person, version)
        return [[*group.values()] for group in found.values() if len(group) > 1]

    def files(self, version: BotVersion) -> Path:
        """The folder of a version's files. Raises `HandInError` if they are gone."""
        if folder := next(filter(Path.is_dir, (self.folder / version.folder).glob("*")), None):
            return folder
        raise HandInError(f"the files of {version.bot} are gone from this place: hand it in again")

    def keep(self, person: Person, uploads: Iterable[tuple[str, bytes]]) -> BotVersion:
        """Store files as a version; if that fails, none remain, but the attempt counts.

        `uploads` are read once another version may come. Raises `HandInError`,
        `PeopleError`.
        """
        if self.disk is not None:
            self.disk.check(person.owner, len({each.owner for each in self.people.everybody()}))
        failed = self._failed[person.owner]
        check_pace([*(datetime.fromisoformat(version.at) for version in self.of(person)), *failed])
        try:
            folder = keep_files(uploads, self.folder, person.bot)
            if self.disk is not None:
                self.disk.add(person.owner, self.folder / folder)
            try:
                return self.add(person, folder)
            except BaseException:
                shutil.rmtree(self.folder / folder, ignore_errors=True)
                raise
        except BaseException:
            failed.append(datetime.now(UTC))
            del failed[:-MOST_AN_HOUR]
            raise

    def again(self, person: Person, number: int) -> bool:
        """Hand in an earlier version again. Return whether the person has it."""
        for version in self.of(person):
            if version.id == number and version.person == person.owner:
                folder = self.files(version)
                paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
                self.keep(person, ((str(path.relative_to(folder)), path.read_bytes()) for path in paths))
                return True
        return False


def versions_in(people: People) -> list[BotVersion]:
    """All versions that people handed in, oldest first; none if bots dial in."""
    if not people.do("SELECT 1 FROM sqlite_master WHERE name = 'versions'"):
        return []
    return [BotVersion(*row) for row in people.do("SELECT * FROM versions ORDER BY id")]


def check_pace(times: Iterable[datetime]) -> None:
    """Raise `HandInError` after too many hand-ins in an hour, to protect the disk."""
    since = datetime.now(UTC) - timedelta(hours=1)
    if sum(at > since for at in times) >= MOST_AN_HOUR:
        raise HandInError(f"{MOST_AN_HOUR} versions came from you within an hour: wait a while")


def in_turn(versions: Iterable[BotVersion], last: int | None = None) -> list[BotVersion]:
    """The waiting versions, in the order of their checks.

    First versions come before later ones. Only a person's newest version is checked.
    Versions up to number `last` come before all others, because their night is to end.
    """
    newest: dict[tuple[int, bool], BotVersion] = {}
    for version in versions:
        newest[version.person, last is not None and version.id > last] = version
    waiting = [version for version in newest.values() if version.state in (WAITING, CHECKING)]
    return sorted(waiting, key=lambda each: (last is not None and each.id > last, each.number > 1, each.id))


def before(version: BotVersion, versions: Iterable[BotVersion]) -> int:
    """How many checks come before this version's."""
    turn = in_turn(versions)
    return next((at for at, each in enumerate(turn) if each.id == version.id), 0)
