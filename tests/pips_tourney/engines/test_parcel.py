"""Bots as an archive: same bytes for same files; programs run when unpacked."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from pips_tourney.bots.executable import Executable, program, sample_program
from pips_tourney.engines.dask.parcel import pack, place


@pytest.fixture
def ada(tmp_path: Path) -> Executable:
    folder = tmp_path / "here" / "ada"
    (folder / "brain").mkdir(parents=True)
    (folder / "bot.py").write_text("from brain import word\nprint(word.WORD)\n", encoding="utf-8")
    (folder / "brain" / "__init__.py").touch()
    (folder / "brain" / "word.py").write_text("WORD = 'hello'\n", encoding="utf-8")
    (folder / ".secret").write_text("not a part of the bot", encoding="utf-8")
    return program(["python", "bot.py"], folder, {"BOOK": f"{folder}/book.txt"}, files=[str(folder)])


def test_a_bot_runs_where_it_is_unpacked(ada: Executable, tmp_path: Path) -> None:
    parcel, programs = pack({"ada/serpent": ada})
    assert str(tmp_path) not in repr(programs)
    folder = parcel.unpack(tmp_path / "there")
    placed = place(programs["ada/serpent"], folder)
    assert placed.command == (sys.executable, "bot.py")
    assert placed.cwd.startswith(str(folder))
    assert placed.env["BOOK"] == f"{placed.cwd}/book.txt"
    assert placed.files == (placed.cwd,)
    assert not list(Path(placed.cwd).glob(".*"))
    done = subprocess.run(placed.command, cwd=placed.cwd, env=placed.env, capture_output=True, text=True, check=True)
    assert done.stdout == "hello\n"


def test_a_python_without_filters_of_tarfile_unpacks_it_too(
    ada: Executable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They came with Python 3.11.4, and Debian 12 has 3.11.2."""
    parcel, _ = pack({"ada/serpent": ada})

    def extract_all(archive: tarfile.TarFile, path: Path) -> None:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            (path / member.name).parent.mkdir(parents=True, exist_ok=True)
            (path / member.name).write_bytes(file.read())

    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    monkeypatch.setattr(tarfile.TarFile, "extractall", extract_all)
    assert [file.name for file in parcel.unpack(tmp_path / "there").rglob("*.py")]


def test_one_file_of_a_folder_travels_alone(tmp_path: Path) -> None:
    for name in ("bot.py", "diary.txt"):
        (tmp_path / name).write_text("print('here')\n", encoding="utf-8")
    single = program(["python", str(tmp_path / "bot.py")], tmp_path, {}, files=[str(tmp_path / "bot.py")])
    parcel, programs = pack({"bo/serpent": single})
    placed = place(programs["bo/serpent"], parcel.unpack(tmp_path / "there"))
    assert [path.name for path in Path(placed.cwd).iterdir()] == ["bot.py"]
    assert Path(placed.command[1]).read_text(encoding="utf-8") == "print('here')\n"


def test_a_sample_bot_is_on_every_machine_already(tmp_path: Path) -> None:
    parcel, programs = pack({"cy/serpent": sample_program("greedy", "serpent", {})})
    placed = place(programs["cy/serpent"], parcel.unpack(tmp_path))
    assert placed.command[0] == sys.executable
    assert Path(placed.cwd).is_dir()
    assert not list(Path(placed.cwd).iterdir())


def test_the_same_files_make_the_same_parcel(ada: Executable, tmp_path: Path) -> None:
    first, _ = pack({"ada/serpent": ada})
    (Path(ada.cwd) / "bot.py").touch()
    again, _ = pack({"ada/serpent": ada})
    assert first == again
    assert first.unpack(tmp_path / "there") == again.unpack(tmp_path / "there")
    (Path(ada.cwd) / "bot.py").write_text("print('other')\n", encoding="utf-8")
    assert pack({"ada/serpent": ada})[0].sha256 != first.sha256


def test_a_damaged_parcel_is_not_unpacked(ada: Executable, tmp_path: Path) -> None:
    parcel, _ = pack({"ada/serpent": ada})
    with pytest.raises(OSError, match="damaged"):
        replace(parcel, data=parcel.data[:-1] + b"x").unpack(tmp_path / "there")
