"""The database: append-only, one writer, nothing stored twice, nothing unexplained."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from pips_tourney.night.log.earlier_nights import move_aside
from pips_tourney.night.log.lock import LOCK_PAUSE_S
from pips_tourney.night.log.store import (
    Row,
    Store,
    StoreError,
    open_log,
    open_store,
    read_store,
)
from pips_tourney.secret import Secret
from tests.needs import needs
from tests.unmeasured import unmeasured


def row(match: str, places: str = "[1,2]") -> Row:
    return Row(
        match, "serpent", '["a","b"]', places, "[3,1]", "[]", 9, "[[],[]]", b"\x00" * 32, b"record " + match.encode()
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.db"


def test_what_is_stored_is_there_for_everybody_once_add_returns(path: Path) -> None:
    with open_store(path) as store:
        store.add([row("m"), row("n")], [("void", {"match": "k", "why": "x"})])
        with read_store(path) as reader:
            assert reader.stored(["n", "m", "k"]) == {"m", "n"}
            assert reader.rows(["m", "k"]) == {"m": row("m")}
            assert reader.results(["n"]) == {"n": row("n")._replace(record=b"")}
            assert sorted(reader.ids()) == ["m", "n"]
            assert [(entry.kind, entry.payload) for entry in reader.log()] == [("void", {"match": "k", "why": "x"})]
            assert reader.log("night") == []


def test_the_first_result_of_a_match_stays(path: Path) -> None:
    with open_store(path) as store:
        store.add([row("m")])
        store.add([row("m", "[2,1]"), row("n")])
        assert store.rows(["m"])["m"] == row("m")
        assert len(list(store.ids())) == 2


def test_many_results_of_one_commit_are_stored_once_each(path: Path) -> None:
    """Some of them are known."""
    names = [f"m{number}" for number in range(103)]
    with open_store(path) as store:
        store.add([row(names[1], "[2,1]")])
        store.add([row(name) for name in names], (), [(name, "1") for name in names])
        assert store.rows(names) == {name: row(name) for name in names} | {names[1]: row(names[1], "[2,1]")}
        assert list(store.arenas()) == names


def test_many_matches_are_looked_up_at_once(path: Path) -> None:
    names = [f"m{number}" for number in range(1200)]
    with open_store(path) as store:
        store.add([row(name) for name in names])
        assert store.stored(names) == set(names)


def test_a_failed_transaction_stores_nothing_of_it(path: Path) -> None:
    with open_store(path) as store:
        bad = row("n")._replace(places=None)  # type: ignore[arg-type]  # the wrong type is the point
        with pytest.raises(StoreError, match="NOT NULL"):
            store.add([row("m"), bad])
        assert list(store.ids()) == []
        store.add([row("m")])


def test_the_secret_is_kept_once_and_for_all(path: Path) -> None:
    with open_store(path) as store:
        assert store.secret() is None
        store.keep_secret(Secret(b"1" * 32))
        store.keep_secret(Secret(b"2" * 32))
    with open_store(path) as store:
        assert store.secret() == Secret(b"1" * 32)


def test_nobody_else_may_read_the_file(path: Path) -> None:
    with open_store(path) as store:
        store.append("night", {})
        assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


def test_a_second_runner_is_told_who_the_first_is(path: Path) -> None:
    with open_store(path), pytest.raises(StoreError, match=rf"another runner \(process {os.getpid()}\)"):
        open_store(path)
    open_store(path).close()


def test_a_commit_is_on_the_disk_when_it_returns(path: Path) -> None:
    with open_store(path) as store:
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    ("version", "what"),
    [
        (99, r"another version of Pips \(format 99, this one knows 2\); update Pips"),
        (1, "play it with the version that began it"),
    ],
)
def test_a_database_of_another_version_is_refused(path: Path, version: int, what: str) -> None:
    open_store(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    for use in (open_store, read_store):
        with pytest.raises(StoreError, match=what):
            use(path)


def test_other_files_are_no_league_databases(path: Path) -> None:
    with pytest.raises(StoreError, match="no such database"):
        read_store(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE shopping (item)")
    connection.close()
    with pytest.raises(StoreError, match="no league database"):
        open_store(path)
    path.write_text("pips deals 1\n" * 100, encoding="ascii")
    for use in (open_store, read_store):
        with pytest.raises(StoreError, match="not a database"):
            use(path)


def test_a_database_that_cannot_be_opened_is_left_open_by_nobody(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE shopping (item)")
    connection.close()
    with pytest.raises(StoreError, match="no league database"):
        open_store(path)
    opened = {entry.resolve() for entry in Path("/proc/self/fd").iterdir()}
    assert path not in opened


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere.*No such file"):
        open_store(tmp_path / "nowhere" / "night.db")
    with pytest.raises(StoreError, match="Is a directory"):
        open_store(tmp_path)


def test_a_log_that_is_no_json_is_said_to_be_so(path: Path) -> None:
    with open_store(path) as store:
        store._connection.execute("INSERT INTO log (at, kind, payload) VALUES ('', 'night', '{')")
        with pytest.raises(StoreError, match="entry 1 of its log cannot be read"):
            store.log()


def test_an_old_night_moves_to_the_first_free_name(path: Path) -> None:
    def begun(name: str) -> Store:
        store = open_store(path)
        store.append(name, {})
        return store

    begun("first").close()
    begun("first").close()
    assert move_aside(path) == path.with_name("night.1.db")
    begun("second").close()
    assert move_aside(path) == path.with_name("night.2.db")
    assert not path.exists()
    with read_store(path.with_name("night.1.db")) as store:
        assert [entry.kind for entry in store.log()] == ["first", "first"]


def test_a_night_that_is_being_played_is_not_moved(path: Path) -> None:
    with open_store(path), pytest.raises(StoreError, match="another runner"):
        move_aside(path)


def test_a_night_moves_as_one_file_whoever_was_killed(path: Path) -> None:
    """A killed runner leaves the last entries in a second file.

    A second killing could separate that file from the database.
    """
    store = open_store(path)
    store.append("begun", {})
    beside = path.with_name("copy.db")
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{beside}{suffix}")
    store.close()
    aside = move_aside(beside)
    assert sorted(file.name for file in path.parent.glob("copy*")) == ["copy.1.db", "copy.db.lock"]
    with read_store(aside) as moved:
        assert [entry.kind for entry in moved.log()] == ["begun"]


def test_who_looks_for_a_runner_is_none(path: Path) -> None:
    open_store(path).close()
    lock = os.open(f"{path}.lock", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    looking = threading.Timer(2 * LOCK_PAUSE_S, os.close, [lock])
    looking.start()
    open_store(path).close()
    looking.join()


@needs("bwrap")
def test_a_database_alone_can_be_read_where_nothing_can_be_written(path: Path) -> None:
    with open_store(path) as store:
        store.append("begun", {})
    read = "import sys; from pathlib import Path; from pips_tourney.night.log.store import read_store; "
    read += "print(len(read_store(Path(sys.argv[1])).log()))"
    command = ["bwrap", "--ro-bind", "/", "/", sys.executable, "-c", read, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=unmeasured())
    assert (ended.stdout, ended.stderr) == ("1\n", "")


def test_a_table_that_only_some_nights_have(path: Path) -> None:
    with open_store(path) as store:
        assert store.beside("model_answers", ("match",)) == []
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE model_answers (match TEXT, seat INTEGER)")
            other.execute("INSERT INTO model_answers VALUES ('m', 1), ('n', 2)")
            other.commit()
        assert store.beside("model_answers", ("seat", "match")) == [(1, "m"), (2, "n")]


def test_opening_to_write_leaves_the_locks_of_readers_here(tmp_path: Path) -> None:
    """Another process would else take the file for unused, and empty what is read."""
    open_store(tmp_path / "night.db").close()
    with read_store(tmp_path / "night.db") as reader:
        reader.version()
        open_log(tmp_path / "night.db").close()
        take = (
            "import fcntl, sys; file = open(sys.argv[1], 'r+b')\n"
            "fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, (1 << 30) + 2)"  # what SQLite shares
        )
        ran = subprocess.run([sys.executable, "-c", take, str(tmp_path / "night.db")], check=False, capture_output=True)
        assert ran.returncode and b"BlockingIOError" in ran.stderr
