"""The gradebook of a place: a line for each person, with points and late days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pips_referee.written import text_of
from pips_tourney.night.log.handed_in import handed_in
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.people.moments import WRITTEN
from pips_tourney.people.store import FILE, People, Person
from pips_tourney.place.desk.calendar import deadline_in
from pips_tourney.place.desk.hand_ins import READY, BotVersion, versions_in
from pips_tourney.reports.exports import as_csv, grade_lines
from pips_tourney.reports.feedback_pages import file_name
from pips_tourney.reports.worksheet import WorksheetError, fill

OF_PERSON: Final = ("name", "id", "team", "bot", "version", "handed_in_at", "late_days")
_OF_FILES: Final = ("bot", "submission", "participant", "participant_number")
"""Columns about a folder of submissions, which a place fills in from its own data."""
Line = Mapping[str, Any]


def grades(database: Path, people: People) -> str:
    """The gradebook as CSV."""
    columns, lines = person_lines(database, people)
    of_all = [*OF_PERSON, *(column for column in columns if column not in _OF_FILES)]
    return as_csv(of_all, ({name: line.get(name) for name in of_all} for line in lines))


def person_lines(database: Path, people: People) -> tuple[list[str], Iterator[Line]]:
    """The columns of a night's gradebook, and its lines by person."""
    with read_store(database) as store:
        night = last_night(store)
        columns, lines = grade_lines(night, standings(night), (), handed_in(store))
        return columns, of_people(lines, people, is_over=night.is_ended())


def feedback_prefixes(database: Path, people: People, worksheet: bytes | None) -> Mapping[str, Sequence[str]]:
    """By bot, how the names of its authors' files begin: with their names.

    With a worksheet they begin as Moodle wants it. Raises `WorksheetError`.
    """
    if worksheet is None:
        of = {person.owner: person.team or person.name for person in people.everybody()}
        authors = {version.bot: of.get(version.person) for version in versions_in(people)}
        return {bot: [f"{file_name(author, set())}_"] for bot, author in authors.items() if author}
    try:
        found = fill(text_of(worksheet), person_lines(database, people)[1]).prefixes
    except UnicodeDecodeError:
        raise WorksheetError("the worksheet is no text in UTF-8: upload Moodle's file as it is") from None
    if not found:
        raise WorksheetError("no row of the worksheet has a number and the name or address of somebody who played here")
    return found


def of_people(lines: Iterable[Line], people: People, *, is_over: bool = False) -> Iterator[Line]:
    """The lines of bots as lines of persons: a team's members share theirs.

    If `is_over`, a version handed in after the night is not part of it.
    """
    by_bot: defaultdict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_bot[line["bot"]].append(line)
    versions: defaultdict[int, list[BotVersion]] = defaultdict(list)
    for version in versions_in(people):
        versions[version.person].append(version)
    deadline = deadline_in(people)
    for person in people.everybody():
        own = versions[person.owner]
        too_late = is_over and bool(own) and own[-1].state == READY
        about: dict[str, Any] = {"name": person.name, "participant": person.name, "team": person.team}
        about |= {"id": person.course_id, "bot": person.bot}
        for line in _lines_of(person, own, by_bot, "not in this night" if too_late else "not in this night yet"):
            that = [version for version in own if version.bot == line.get("bot")]
            yield {**line, **about, "bot": line.get("bot", person.bot)} | _newest(
                that or ([] if too_late else own), deadline
            )


def _newest(own: Sequence[BotVersion], deadline: datetime | None) -> dict[str, Any]:
    """The columns about the newest of these versions.

    Moments are local time. Any started day after the common deadline is a late day.
    """
    if not own:
        return {}
    at = datetime.fromisoformat(own[-1].at).astimezone().replace(tzinfo=None)
    about = {"version": own[-1].number, "handed_in_at": f"{at:{WRITTEN}}"}
    if deadline is None:
        return about
    return about | {"late_days": max(0, -((deadline - at) // timedelta(days=1)))}


def _lines_of(
    person: Person, own: Sequence[BotVersion], by_bot: Mapping[str, Sequence[Line]], absent: str
) -> Sequence[Line]:
    """The lines of a person's newest bot that played, or one line that says why not."""
    bots = [version.bot for version in own] or [person.bot]
    played = [bot for bot in bots if any("rank" in line for line in by_bot.get(bot, ()))]
    if found := [bot for bot in bots if by_bot.get(bot)]:
        return by_bot[(played or found)[-1]]
    if not own:
        return [{"status": "nothing was handed in"}]
    why = f"{own[-1].state}: {own[-1].said}".splitlines()[0].strip(": ")
    return [{"status": absent if own[-1].state == READY else why}]


def people_beside(database: Path) -> Path | None:
    """The folder of the place to which a night belongs, if it has people."""
    stem = database.stem.rpartition(".")
    for name in (database.stem, stem[0] if stem[2].isdigit() else ""):
        folder = database.with_name(f"{name}-place")
        if name and (folder / FILE).is_file():
            return folder
    return None
