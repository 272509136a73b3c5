"""The simulated disk: what a database keeps when its machine fails."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.lab.nights.disk import FULL, READ_ONLY, Disk, Kept, on_disk

TEXT = "x" * 300


def written(path: Path, how: str, rows: int = 20) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {how}")
    connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
    for _ in range(rows):
        connection.execute("INSERT INTO t VALUES (?)", (TEXT,))
    return connection


def rows_in(files: dict[str, bytes], folder: Path) -> int:
    folder.mkdir()
    for path, data in files.items():
        (folder / Path(path).name).write_bytes(data)
    connection = sqlite3.connect(folder / "a.db")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("SELECT count(*) FROM t").fetchone()[0])
    finally:
        connection.close()


def test_what_was_synced_is_there_after_the_power_has_failed(tmp_path: Path) -> None:
    passed: Counter[str] = Counter()
    disk = Disk(tmp_path, lambda point: passed.update([point]))
    with on_disk(disk):
        connection = written(tmp_path / "a.db", "FULL")
        for luck in range(5):
            assert rows_in(disk.after_power_loss(Random(luck)), tmp_path / f"after-{luck}") == 20
        connection.close()
    assert passed["sync"] > 20 and passed["write"] > 40


def test_what_was_not_synced_may_be_lost_though_a_killed_process_leaves_it(tmp_path: Path) -> None:
    disk = Disk(tmp_path, lambda _: None)
    with on_disk(disk):
        connection = written(tmp_path / "a.db", "FULL", rows=5)
        connection.execute("PRAGMA synchronous = OFF")
        for _ in range(20):
            connection.execute("INSERT INTO t VALUES (?)", (TEXT,))
        assert rows_in(disk.as_written(), tmp_path / "killed") == 25
        left = {rows_in(disk.after_power_loss(Random(luck)), tmp_path / f"after-{luck}") for luck in range(8)}
        connection.close()
    assert min(left) >= 5 and max(left) < 25


@pytest.mark.parametrize(
    ("trouble", "said"), [(FULL, "database or disk is full"), (READ_ONLY, "attempt to write a readonly database")]
)
def test_a_disk_in_trouble_says_so_and_keeps_what_it_has(tmp_path: Path, trouble: int, said: str) -> None:
    disk = Disk(tmp_path, lambda _: None)
    with on_disk(disk):
        connection = written(tmp_path / "a.db", "FULL")
        disk.trouble = {"write": trouble, "sync": trouble}
        with pytest.raises(sqlite3.OperationalError, match=said):
            connection.execute("INSERT INTO t VALUES (1)")
        disk.trouble = {}
        connection.execute("INSERT INTO t VALUES (1)")
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (21,)
        connection.close()


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    disk = Disk(tmp_path / "disk", lambda _: pytest.fail("it is no file of this disk"))
    with on_disk(disk):
        written(tmp_path / "a.db", "FULL").close()
    assert disk.files == {}


def test_a_write_that_was_not_synced_can_be_torn_between_sectors() -> None:
    kept = Kept(bytearray(b"a" * 2048), [(0, b"b" * 2048)])
    fates = {kept.after_power_loss(Random(luck)) for luck in range(40)}
    assert {b"a" * 2048, b"b" * 2048} < fates
    assert all(len(set(fate[at : at + 512])) == 1 for fate in fates for at in range(0, 2048, 512))
