"""Two nights are compared without their times, and nothing else is left out."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pips.v1 import record_pb2
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league
from tests.same_night import differences

SECRET = Secret(b"\x09" * 32)


@pytest.fixture
def nights(tmp_path: Path) -> tuple[Path, Path]:
    programme = make_programme(read_league(write_league(tmp_path, "ada", "bo", deals=2)))
    paths = tmp_path / "before.db", tmp_path / "after.db"
    for path in paths:
        with open_store(path) as store:
            begin(store, programme, SECRET)
            for fixture in fixtures(programme):
                store.add([row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0)))])
    return paths


def change(database: Path, number: int, how: str) -> str:
    with closing(sqlite3.connect(database)) as connection, connection:
        query = "SELECT id, record FROM results ORDER BY id LIMIT 1 OFFSET ?"
        match, data = connection.execute(query, (number,)).fetchone()
        record = record_pb2.MatchRecord.FromString(data)
        if how == "times":
            for answer in record.answers:
                answer.used_us += 1000
        elif how == "answers":
            del record.answers[-1]
        connection.execute("UPDATE results SET record = ? WHERE id = ?", (record.SerializeToString(), match))
        if how == "places":
            connection.execute("UPDATE results SET places = ? WHERE id = ?", (json.dumps([1, 1]), match))
        if how == "gone":
            connection.execute("DELETE FROM results WHERE id = ?", (match,))
    return str(match)


def test_the_same_secret_gives_the_same_night(nights: tuple[Path, Path]) -> None:
    change(nights[1], 0, "times")
    assert not [*differences(*nights)]


@pytest.mark.parametrize("how", ["answers", "places", "gone"])
def test_whatever_else_differs_is_told_with_its_match(nights: tuple[Path, Path], how: str) -> None:
    match = change(nights[1], 1, how)
    (told,) = differences(*nights)
    assert told.startswith(match)
