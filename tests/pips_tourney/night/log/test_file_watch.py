"""A database whose files disappear while it is written.

A sentence says so, and nothing claims to be stored.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pips_tourney.night.log.store import StoreError, open_store, read_store


def removed(path: Path) -> None:
    path.unlink()


def renamed(path: Path) -> None:
    path.rename(path.with_name("kept.db"))


def replaced(path: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    copy.replace(path)


def without_wal(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def without_shm(path: Path) -> None:
    Path(f"{path}-shm").unlink()


def without_lock(path: Path) -> None:
    Path(f"{path}.lock").unlink()


def without_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def renamed_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


GONE = [removed, renamed, replaced, without_wal, without_shm, without_lock, without_folder, renamed_folder]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "nights").mkdir()
    return tmp_path / "nights" / "night.db"


@pytest.mark.parametrize("how", GONE)
def test_a_file_that_goes_away_ends_the_night_with_a_sentence(path: Path, how: Callable[[Path], None]) -> None:
    with open_store(path) as store:
        store.append("night", {})
        store.check_files()
        how(path)
        with pytest.raises(StoreError, match=r"night\.db.* was (removed|renamed|replaced).*The night ends here"):
            store.append("pause", {})
        with pytest.raises(StoreError, match="The night ends here"):
            store.check_files()


def test_a_renamed_database_holds_all_that_was_stored(path: Path) -> None:
    with open_store(path) as store:
        store.append("night", {})
        renamed(path)
        with pytest.raises(StoreError):
            store.append("pause", {})
        kept = path.with_name("kept.db")
        shutil.copy(kept, path.with_name("alone.db"))
    with read_store(path.with_name("alone.db")) as found:
        assert [entry.kind for entry in found.log()] == ["night", "pause"]


def test_a_disk_that_takes_no_more_is_named(path: Path) -> None:
    with open_store(path) as store:
        store.append("night", {})
        store._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match=r"night\.db: attempt to write a readonly database"):
            store.append("pause", {})
