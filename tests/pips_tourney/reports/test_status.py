"""The status of a hosted night says which guests are here, and since when."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.people.presence import GuestNote, note_guests
from pips_tourney.reports.status import Status, status_of
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import write_league

GUESTS = (
    GuestNote("ada", here=True, since="2026-03-05T19:02:11+00:00", check="", rtt_ms=3),
    GuestNote("bo", here=False, since="2026-03-05T19:04:00+00:00", check="serpent: too late", rtt_ms=0),
    GuestNote("cy", here=False, since="", check=None, rtt_ms=0),
)


def status(database: Path) -> Status:
    with read_store(database) as store:
        return status_of(store)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    with open_store(tmp_path / "night.db") as store:
        begin(store, make_programme(read_league(write_league(tmp_path, "ada", "bo"))), Secret(bytes(32)))
    note_guests(tmp_path / "night.db", GUESTS)
    return tmp_path / "night.db"


def test_guests_are_listed_while_somebody_hosts(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.reports.status.runner_of", lambda _: "77")
    found = status(database)
    lines = list(found.lines())
    assert "Guests here: ada (since 19:02:11 UTC, 3 ms away)" in lines
    assert "Guests not here: bo (since 19:04:00 UTC, its check failed), cy (never seen)" in lines
    assert json.loads(json.dumps(found.as_json()))["guests"] == [guest._asdict() for guest in GUESTS]


def test_the_note_of_a_host_that_was_killed_is_not_believed(database: Path) -> None:
    found = status(database)
    assert found.guests == () and not any("Guests" in line for line in found.lines())
