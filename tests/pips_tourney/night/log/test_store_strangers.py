"""Databases that others make, copy or open at the same time."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from pips_tourney.night.log.earlier_nights import move_aside
from pips_tourney.night.log.store import Store, StoreError, open_log, open_store, read_store
from pips_tourney.night.night import last_night
from tests.pips_tourney.night.log.test_store import row


def test_a_runner_and_a_desk_make_the_same_file(tmp_path: Path) -> None:
    both = Barrier(2)

    def opened(how: Callable[[Path], Store], path: Path) -> int:
        both.wait()
        with how(path) as store:
            store.append("met", {})
            return len(store.log())

    with ThreadPoolExecutor(2) as pool:
        for number in range(40):
            path = tmp_path / f"{number}.db"
            path.touch()
            pair = [pool.submit(opened, how, path) for how in (open_store, open_log)]
            assert {future.result() for future in pair} <= {1, 2}


def test_a_copy_of_the_one_file_has_what_was_stored_when_its_head_was_printed(tmp_path: Path) -> None:
    with open_store(tmp_path / "night.db") as store:
        store.add([row("m")])
        head = store.fold()
        store.add([row("n")])
        shutil.copy(tmp_path / "night.db", tmp_path / "copy.db")
        with read_store(tmp_path / "copy.db") as copy:
            assert (list(copy.ids()), copy.head()) == (["m"], head)


def test_a_closed_night_is_one_file_though_somebody_looks_on(tmp_path: Path) -> None:
    with open_store(tmp_path / "night.db") as store, read_store(tmp_path / "night.db"):
        store.add([row("m")])
        store.close()
        shutil.copy(tmp_path / "night.db", tmp_path / "copy.db")
    with read_store(tmp_path / "copy.db") as copy:
        assert list(copy.ids()) == ["m"]


@pytest.mark.parametrize("tables", [False, True])
def test_an_early_copy_says_which_file_it_lacks(tmp_path: Path, tables: bool) -> None:
    sqlite3.connect(tmp_path / "night.db").close()
    if tables:
        open_store(tmp_path / "night.db").close()
    (tmp_path / "night.db").touch()
    with (
        pytest.raises(StoreError, match="copy the file with -wal at its end too"),
        read_store(tmp_path / "night.db") as store,
    ):
        last_night(store)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("ALTER TABLE results RENAME TO r; CREATE VIEW results AS SELECT * FROM r", "view"),
        ("CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM results; END", "trigger"),
        ("CREATE INDEX i ON log (abs(seq))", "index"),
        ("CREATE VIRTUAL TABLE v USING fts5(x)", "table"),
    ],
)
def test_what_is_no_table_is_refused_at_opening(tmp_path: Path, sql: str, what: str) -> None:
    open_store(tmp_path / "night.db").close()
    with closing(sqlite3.connect(tmp_path / "night.db")) as connection:
        connection.executescript(sql)
    for how in (read_store, open_log, open_store):
        with pytest.raises(StoreError, match=f"no night's database has {what} '"):
            how(tmp_path / "night.db")


def test_a_value_of_any_size_is_not_loaded(tmp_path: Path) -> None:
    with open_store(tmp_path / "night.db") as store:
        store.add([row("m")])
    with closing(sqlite3.connect(tmp_path / "night.db")) as connection, connection:
        connection.execute("UPDATE results SET record = zeroblob(100000000)")
    with read_store(tmp_path / "night.db") as store, pytest.raises(StoreError, match="no value of a night has more"):
        store.rows(["m"])


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE shopping (item)")
    before = (tmp_path / "shop.db").read_bytes()
    for how in (open_store, open_log, read_store, move_aside):
        with pytest.raises(StoreError, match="this is no league database"):
            how(tmp_path / "shop.db")
    assert (tmp_path / "shop.db").read_bytes() == before
