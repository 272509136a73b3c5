"""When nights end: each time once, also after a kill."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.league.times import read_every
from pips_tourney.people.moments import read_moment
from pips_tourney.people.store import Invited, People, PeopleError
from pips_tourney.place.desk.calendar import Calendar

WEDNESDAY = datetime(2026, 11, 25, 12, 0)  # noqa: DTZ001 - on the wall


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    people = People(tmp_path)
    yield people
    people.close()


class Wall:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = WEDNESDAY

    def __call__(self) -> datetime:
        return self.now


def test_a_night_ends_every_week(people: People) -> None:
    wall = Wall()
    calendar = Calendar(people, read_every("thursday 19:00"), clock=wall)
    assert calendar.next_end == datetime(2026, 11, 26, 19, 0) and not calendar.is_due()  # noqa: DTZ001
    wall.now += timedelta(days=2)
    assert calendar.is_due() and Calendar(people, read_every("thursday 19:00"), clock=wall).is_due()
    calendar.note()
    assert not calendar.is_due() and calendar.next_end == datetime(2026, 12, 3, 19, 0)  # noqa: DTZ001


def test_a_night_ends_every_day_and_weeks_away_count_once(people: People) -> None:
    wall = Wall()
    calendar = Calendar(people, read_every("Day 08:30"), clock=wall)
    wall.now += timedelta(days=30)
    assert calendar.is_due()
    calendar.note()
    assert not calendar.is_due()


@pytest.mark.parametrize(
    ("written", "on_the_wall"),
    [
        ("2026-12-17 18:00", "2026-12-17 18:00"),
        ("2026-12-17T18:00", "2026-12-17 18:00"),
        ("2026-12-17 18:00 UTC", "2026-12-17 13:00"),
        ("2026-12-17T18:00:00Z", "2026-12-17 13:00"),
        ("2026-12-17 18:00+05:00", "2026-12-17 08:00"),
    ],
)
def test_a_deadlines_zone_is_obeyed(monkeypatch: pytest.MonkeyPatch, written: str, on_the_wall: str) -> None:
    monkeypatch.setenv("TZ", "XXX+5")  # five hours behind UTC, all year
    time.tzset()
    try:
        assert read_moment(written) == read_moment(on_the_wall)
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "written",
    [
        "2026-12-17 18:00 CET",
        "2026-12-17 18:00 sharp",
        "2026-12-17",
        "18:00",
        "tomorrow",
        "9999-12-31 23:59-12:00",
        "0001-01-01 00:00",
    ],
)
def test_what_a_deadline_says_beyond_that_is_refused(people: People, written: str) -> None:
    with pytest.raises(PeopleError, match="is no time: write it as 2026-12-17 18:00"):
        Calendar(people).set_deadline(written)


def test_a_deadline_is_noted_once_and_may_be_moved(people: People) -> None:
    wall = Wall()
    calendar = Calendar(people, None, read_moment("2026-11-25 18:00"), wall)
    assert not calendar.is_closed and not calendar.is_due() and calendar.next_end is None
    wall.now = WEDNESDAY.replace(hour=18)
    assert calendar.is_closed and calendar.is_due()
    calendar.note()
    assert calendar.is_closed and not calendar.is_due()
    calendar.set_deadline("2026-11-26T18:00")
    assert not calendar.is_closed
    wall.now += timedelta(days=1)
    assert calendar.is_due()
    calendar.set_deadline("")
    assert not calendar.is_closed and not calendar.is_due()
    with pytest.raises(PeopleError, match="write it as 2026-12-17 18:00"):
        calendar.set_deadline("tomorrow")


def test_some_have_a_deadline_of_their_own_and_the_last_night_waits_for_them(people: People) -> None:
    wall, roster = Wall(), [Invited("Ada", until="2026-11-27 18:00"), Invited("Bo"), Invited("Fay", "", "Foxes")]
    people.invite(roster)
    ada, bo, fay = people.everybody()
    calendar = Calendar(people, None, read_moment("2026-11-25 18:00"), wall)
    calendar.extend([*roster, Invited("Nobody", until="2027-01-01 10:00")])
    wall.now = WEDNESDAY.replace(hour=18)
    assert calendar.is_closed_for(bo) and not calendar.is_closed_for(ada)
    assert not calendar.is_closed and not calendar.is_due()
    assert calendar.set_deadline("2026-11-26 18:00", fay) == "Foxes may hand in until 2026-11-26 18:00."
    wall.now += timedelta(days=1)
    assert calendar.is_closed_for(fay) and not calendar.is_due()
    assert Calendar(people, None, read_moment("2026-11-25 18:00"), wall).deadline_of(ada) == read_moment(
        roster[0].until
    )
    calendar.set_deadline("2026-11-28 18:00", ada)
    calendar.extend(roster)
    assert calendar.deadline_of(ada) == read_moment("2026-11-28 18:00"), "the roster says nothing new"
    assert calendar.set_deadline("", ada) == "Ada has the common deadline."
    calendar.extend(roster)
    assert calendar.is_closed_for(ada) and calendar.is_due()
    calendar.note()
    assert calendar.is_closed and not calendar.is_due()
    with pytest.raises(PeopleError, match="soon is no time"):
        calendar.extend([Invited("Bo", until="soon")])


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ('every = "thursday"', 'place.every: should be such as "thursday 19:00"'),
        ('every = "someday 19:00"', 'place.every: should be such as "thursday 19:00"'),
        ('deadline = "2026-12-32 18:00"', 'place.deadline: should be such as "2026-12-17 18:00"'),
        ('deadlin = "x"', "did you mean deadline"),
        ('sign_in_header = "X-User"', "sign_in_header needs public_url"),
        ("disk_gb = 0", "place.disk_gb: input should be greater than 0"),
    ],
)
def test_what_a_league_file_cannot_say(tmp_path: Path, entry: str, why: str) -> None:
    league = tmp_path / "class.toml"
    league.write_text(
        f'games = ["serpent"]\nbots = [{{ name = "r", sample = "random" }}]\nfill = "random"\n[place]\n{entry}\n'
    )
    with pytest.raises(LeagueError, match=why):
        read_league(league)
