"""A place is copied while it is open, and goes on elsewhere."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.people.store import Invited, People
from pips_tourney.place.backup import BackupError, back_up, take_back
from pips_tourney.place.desk.hand_ins import READY, HandIns


@pytest.fixture
def database(tmp_path: Path, night: Path) -> Path:
    """A night and one before it, and the folder of a place beside them."""
    home = tmp_path / "home"
    (home / "class-place" / "versions").mkdir(parents=True)
    (home / "class-place" / "logs" / "1").mkdir(parents=True)
    (home / "class-place" / "logs" / "1" / "ada.serpent.0.log").write_text("loud")
    for name in ("class.db", "class.1.db"):
        shutil.copy(night, home / name)
    return home / "class.db"


def test_it_goes_on_elsewhere_with_codes_versions_and_results(tmp_path: Path, database: Path) -> None:
    folder, other = database.with_name("class-place"), tmp_path / "other" / "course.db"
    other.parent.mkdir()
    with People(folder) as people, open_store(database) as store:
        ((ada, code),) = people.invite([Invited("Ada", "ada")])
        hand_ins = HandIns(people, folder / "versions")
        version = hand_ins.keep(ada, [("bot.py", b"a = 1")])
        hand_ins.set_state(version.id, READY)
        (folder / "versions" / "later.part").mkdir()
        (folder / "versions" / "later.part" / "bot.py").write_text("")
        store.append("pause", {"reason": "it is not written back yet"})  # in the -wal
        words = ["export", str(database), "--as", "backup", "-o", str(tmp_path / "b.zip")]
        told = CliRunner().invoke(main, words, catch_exceptions=False)
        head = store.head()
    assert told.exit_code == 0 and told.stdout.startswith("4 files written to")
    assert (tmp_path / "b.zip").stat().st_mode & 0o777 == 0o600
    assert take_back(tmp_path / "b.zip", other) == 4
    there = other.with_name("course-place")
    assert {path.name for path in other.parent.iterdir()} == {"course.db", "course.1.db", "course-place"}
    assert there.stat().st_mode & 0o777 == 0o700 and other.stat().st_mode & 0o777 == 0o600
    with People(there) as people, read_store(other) as store:
        assert people.enter(code) and store.head() == head
        ((kept),) = HandIns(people, there / "versions").all()
        assert (HandIns(people, there / "versions").files(kept) / "bot.py").read_bytes() == b"a = 1"
    with pytest.raises(BackupError, match=r"course.db is there already, and nothing is written over: leave --from out"):
        take_back(tmp_path / "b.zip", other)


def test_nothing_that_was_there_is_lost_when_a_backup_cannot_be_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pips_tourney.place import backup

    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for each in ("class.db", "class.1.db", "class-place/place.db"):
            archive.writestr(each, b"theirs")
    there, database = tmp_path / "class.1.db", tmp_path / "class.db"
    there.write_bytes(b"mine")
    for seen in ({1: there}, {}):  # it may come between the look and the writing
        monkeypatch.setattr(backup, "moved_aside", lambda _, seen=seen: seen)
        with pytest.raises(BackupError, match="class.1.db is there already" if seen else "File exists"):
            take_back(tmp_path / "b.zip", database)
        assert there.read_bytes() == b"mine" and not database.exists()


def test_a_backup_is_made_while_files_come_and_go(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pips_tourney.place import backup

    folder = database.with_name("class-place")
    People(folder).close()
    copied, ends = backup._copied, [1]

    def end_before(path: Path, into: Path) -> Path:
        if ends and path == database:
            ends.clear()
            database.rename(database.with_name("class.2.db"))
            with pytest.raises(FileNotFoundError):
                copied(path, into)
            shutil.copy(database.with_name("class.1.db"), database)
            raise FileNotFoundError
        return copied(path, into)

    monkeypatch.setattr(backup, "_copied", end_before)
    monkeypatch.setattr(backup, "files_below", lambda _: [folder / "versions" / "gone.part" / "x", folder / "gone"])
    assert back_up(database, tmp_path / "b.zip") == 4


def test_a_night_that_ends_meanwhile_is_copied_once(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pips_tourney.place import backup

    People(database.with_name("class-place")).close()
    copied, ends = backup._copied, [1]

    def end_after(path: Path, into: Path) -> Path:
        copy = copied(path, into)
        if ends and path == database:
            ends.clear()
            database.rename(database.with_name("class.2.db"))
            shutil.copy(database.with_name("class.1.db"), database)
        return copy

    monkeypatch.setattr(backup, "_copied", end_after)
    back_up(database, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert sorted(archive.namelist()) == ["class-place/place.db", "class.1.db", "class.2.db", "class.db"]


@pytest.mark.parametrize("name", ["../class.db", "class-place/../x", "class-place//x", "/etc/x", "other.db", "c.toml"])
def test_a_zip_that_is_no_backup_writes_nothing(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for each in ("class-place/place.db", "class.db", name):
            archive.writestr(each, b"")
    (tmp_path / "to").mkdir()
    with pytest.raises(BackupError, match="cannot be taken back: it has"):
        take_back(tmp_path / "b.zip", tmp_path / "to" / "class.db")
    assert not [*(tmp_path / "to").iterdir()]


def test_a_night_without_a_place_has_no_backup(tmp_path: Path, night: Path) -> None:
    with pytest.raises(BackupError, match="there is no place"):
        back_up(night, tmp_path / "b.zip")
