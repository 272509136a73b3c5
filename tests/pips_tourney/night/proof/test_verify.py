"""A night verifies; after one byte of it changed, it does not.

The check then names the match.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from pips.v1 import record_pb2
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import Row, StoreError, open_store, read_store
from pips_tourney.night.night import Night, last_night
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.proof.checked_rows import Discrepancy
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import standings_sha256
from pips_tourney.secret import Secret
from tests.pips_tourney.forged import change, make_chain_anew
from tests.pips_tourney.in_process import play, write_league

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

SECRET = Secret(b"\x02" * 32)


def end(night: Night) -> None:
    said = {"digest": night.digest(), "standings_sha256": standings_sha256(standings(night))}
    night.store.append(ENDED, {"secret": SECRET.key.hex(), **said})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A complete night of three bots; in the fourth match the asked bot crashes."""
    programme = make_programme(read_league(write_league(tmp_path, "ada", "bo", "cy", deals=2)))
    with open_store(tmp_path / "night.db") as store:
        night = begin(store, programme, SECRET)
        for number, fixture in enumerate(fixtures(programme)):
            crash_at = 5 if number == 3 else None
            store.add([row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0), crash_at))])
        end(night)
    return tmp_path / "night.db"


def problems(path: Path) -> list[Discrepancy]:
    with read_store(path) as store:
        return list(verify_night(store).problems)


def notes(path: Path) -> list[str]:
    with read_store(path) as store:
        return list(verify_night(store).notes)


def rows(path: Path) -> list[Row]:
    with closing(sqlite3.connect(path)) as connection:
        return [Row(*row) for row in connection.execute(f"SELECT {', '.join(Row._fields)} FROM results ORDER BY rowid")]


def put(path: Path, match: str, column: str, value: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE results SET {column} = ? WHERE id = ?", (value, match))
    make_chain_anew(path)


def test_a_night_as_it_was_played_has_no_problem(path: Path) -> None:
    with read_store(path) as store:
        verified = verify_night(store)
        assert verified.digest == store.log(ENDED)[0].payload["digest"]
    assert (verified.results, verified.problems) == (12, ())


def header(record: record_pb2.MatchRecord) -> None:
    record.header.seats[0] += "x"


def nonce(record: record_pb2.MatchRecord) -> None:
    record.header.nonce = bytes([record.header.nonce[0] ^ 1]) + record.header.nonce[1:]


def answer(record: record_pb2.MatchRecord) -> None:
    record.answers[2].seat ^= 1


def time(record: record_pb2.MatchRecord) -> None:
    record.answers[0].used_us ^= 1


def evidence(record: record_pb2.MatchRecord) -> None:
    record.outcome.faults[0].evidence += "!"


def places(record: record_pb2.MatchRecord) -> None:
    record.outcome.places[0] ^= 3


@pytest.mark.parametrize("change", [header, nonce, answer, time, evidence, places])
@pytest.mark.parametrize("forged", [False, True], ids=["changed", "with its SHA-256 forged too"])
def test_a_changed_record_is_found(path: Path, change: Callable[[record_pb2.MatchRecord], None], forged: bool) -> None:
    row = rows(path)[3]
    record = record_pb2.MatchRecord.FromString(row.record)
    change(record)
    changed = record.SerializeToString(deterministic=True)
    put(path, row.id, "record", changed)
    if forged:
        put(path, row.id, "sha256", sha256(changed).digest())
    if forged and change is time:  # the replay cannot know a time; what was published at the night's end does
        put(path, row.id, "times", row_of(changed).times)
        assert [problem.what for problem in problems(path)] == [
            "the night's digest is not the one that was published at its end"
        ]
        return
    assert [problem.match for problem in problems(path)] == [row.id]


@pytest.mark.parametrize("column", ["scores", "times", "sha256"])
def test_every_row_is_checked(path: Path, column: str) -> None:
    row, other = rows(path)[5], rows(path)[6]
    put(path, row.id, column, getattr(other, column) if column != "scores" else "[7,7]")
    with read_store(path) as store:
        assert [problem.match for problem in verify_night(store).problems] == [row.id]


@pytest.mark.parametrize("column", [name for name in Row._fields if name not in ("id", "record")])
def test_one_changed_byte_of_a_row_is_found(path: Path, column: str) -> None:
    row = rows(path)[5]
    value = getattr(row, column)
    changed = {
        int: lambda: value + 1,
        str: lambda: chr(ord(value[0]) + 1) + value[1:],
        bytes: lambda: bytes([value[0] ^ 1]) + value[1:],
    }[type(value)]()
    put(path, row.id, column, changed)
    assert [problem.match for problem in problems(path)] == [row.id]


def test_every_byte_of_a_record_counts(path: Path) -> None:
    row = rows(path)[3]
    for at in range(0, len(row.record), 29):
        put(path, row.id, "record", row.record[:at] + bytes([row.record[at] ^ 0x20]) + row.record[at + 1 :])
        assert [problem.match for problem in problems(path)] == [row.id]


def test_a_result_under_another_name_is_found_twice(path: Path) -> None:
    row = rows(path)[0]
    put(path, row.id, "id", "0" * 32)
    assert problems(path) == [
        Discrepancy(row.id, "the night is over, but its result is missing"),
        Discrepancy("0" * 32, "it is in no schedule of this night"),
    ]


def test_a_result_that_was_swapped_for_another_match_s_is_found(path: Path) -> None:
    one, other = rows(path)[:2]
    for column in Row._fields[1:]:
        put(path, one.id, column, getattr(other, column))
    ((match, what),) = problems(path)
    assert (match, what) == (one.id, "its row does not say what its record says: id")


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE secret SET key = zeroblob(32)", "the secret is not the one that was committed to"),
        ("UPDATE log SET payload = replace(payload, '\"digest\": \"', '\"digest\": \"0') WHERE kind = 'end'", "digest"),
        (
            "UPDATE log SET payload = replace(payload, '\"secret\": \"0', '\"secret\": \"1') WHERE kind = 'end'",
            "revealed",
        ),
        ("UPDATE log SET payload = '{}' WHERE kind = 'end'", "(end) cannot be read: secret: Field required"),
        ("DELETE FROM results WHERE rowid = 4", "its result is missing"),
    ],
)
@pytest.mark.parametrize("forge", [False, True])
def test_a_changed_log_is_found(path: Path, statement: str, what: str, forge: bool) -> None:
    change(path, statement, forge=forge)
    assert any(what in problem.what for problem in problems(path))


def test_a_night_that_goes_on_may_lack_results(path: Path) -> None:
    change(path, "DELETE FROM log WHERE kind = 'end'", "DELETE FROM results WHERE rowid > 7")
    assert problems(path) == []
    assert "the night has not ended: 7 of 12 matches are played, as far as is known" in notes(path)


@pytest.mark.parametrize("forge", [False, True])
def test_a_night_without_its_end_is_not_passed_over(path: Path, forge: bool) -> None:
    change(path, "DELETE FROM log WHERE kind = 'end'", forge=forge)
    assert any("its end is missing" in problem.what for problem in problems(path))


def test_a_night_that_is_just_ending_is_no_problem(path: Path) -> None:
    change(path, "DELETE FROM log WHERE kind = 'end'")
    with open_store(path):
        assert problems(path) == []
        assert "the night has not ended: its runner is just ending it" in notes(path)


def test_a_decision_after_the_end_is_told(path: Path) -> None:
    with open_store(path) as store:
        store.append("reinstate", {"bot": "ada", "reason": ""})
    assert problems(path) == []
    assert any("something was decided after its end" in note for note in notes(path))


def test_a_damaged_file_is_found(path: Path) -> None:
    """A byte changes in an index that no query reads from end to end."""
    match = rows(path)[5].id.encode()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_results_1'"
        ((page,),) = connection.execute(query)
        ((size,),) = connection.execute("PRAGMA page_size")
    data = bytearray(path.read_bytes())
    at = data.index(match, (page - 1) * size)
    assert at < page * size
    data[at + 7] ^= 1
    path.write_bytes(data)
    assert any(problem.what.startswith("its file is damaged: row 6 missing from index") for problem in problems(path))


def test_what_an_earlier_programme_of_the_night_played_is_verified_too(path: Path, tmp_path: Path) -> None:
    programme = make_programme(read_league(write_league(tmp_path, "ada", "bo", deals=2)))
    with open_store(path) as store:
        end(begin(store, programme, SECRET))
    assert problems(path) == []
    row = rows(path)[-1]
    put(path, row.id, "places", "[9,9]")
    assert [problem.match for problem in problems(path)] == [row.id]


def test_a_database_without_a_night_is_no_night(tmp_path: Path) -> None:
    with open_store(tmp_path / "x.db") as store, pytest.raises(StoreError, match="no night was begun"):
        verify_night(store)


def test_a_night_of_another_version_is_refused_with_a_sentence(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE log SET payload = json_set(payload, '$.programme.method', 3) WHERE kind = 'night'")
    with read_store(path) as store, pytest.raises(StoreError, match="another version of Pips began this night"):
        last_night(store)
