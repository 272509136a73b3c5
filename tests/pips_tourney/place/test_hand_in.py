"""Hand-ins: what is kept, and the hostile ones that are refused and leave nothing."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from pips_tourney.bots.archives import HandInError
from pips_tourney.place.desk.uploads import MOST, clear_parts, keep_files, packed


def a_zip(*entries: tuple[str | zipfile.ZipInfo, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", how) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return into.getvalue()


def a_link(name: str, mode: int = stat.S_IFLNK) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (mode | 0o777) << 16
    return entry


def with_flag(content: bytes, flag: int) -> bytes:
    """The zip with a flag set in its directory and at its first entry."""
    changed = bytearray(content)
    changed[6] |= flag
    changed[changed.index(b"PK\x01\x02") + 8] |= flag
    return bytes(changed)


def files_in(place: Path) -> dict[str, bytes]:
    """By path below the version's folder."""
    return {
        str(path.relative_to(place)).split("/", 1)[1]: path.read_bytes()
        for path in place.rglob("*.*")
        if path.is_file()
    }


def test_a_file_several_and_a_zip_are_kept(tmp_path: Path) -> None:
    keep_files([("bot.py", b"1"), ("more.py", b"2")], tmp_path / "a", "ada")
    assert files_in(tmp_path / "a") == {"ada/bot.py": b"1", "ada/more.py": b"2"}
    folder = a_zip(("my/bot.py", b"1"), ("my/lib/b.py", b"2"), ("__MACOSX/my/._bot.py", b""), ("my/", b""))
    name = keep_files([("my.ZIP", folder)], tmp_path / "b", "ada")
    assert files_in(tmp_path / "b") == {"ada/bot.py": b"1", "ada/lib/b.py": b"2"}
    with zipfile.ZipFile(packed(tmp_path / "b" / name / "ada")) as archive:
        assert {entry: archive.read(entry) for entry in archive.namelist()} == {"bot.py": b"1", "lib/b.py": b"2"}


GOOD = a_zip(("bot.py", b"x" * 500))
HOSTILE = {
    "nothing": [],
    "an empty zip": [("a.zip", a_zip())],
    "no zip": [("a.zip", b"hello")],
    "half a zip": [("a.zip", GOOD[: len(GOOD) // 2])],
    "a zip whose bytes were changed": [("a.zip", GOOD.replace(b"bot.py", b"bat.py", 1))],
    "a zip under another name": [("bot.py", GOOD)],
    "a zip slip": [("a.zip", a_zip(("../../bot.py", b"")))],
    "a slip in the middle": [("a.zip", a_zip(("a/../../bot.py", b""), ("b.py", b"")))],
    "an absolute path": [("a.zip", a_zip(("/etc/passwd", b"")))],
    "a path of Windows": [("a.zip", a_zip(("..\\..\\bot.py", b"")))],
    "a drive": [("a.zip", a_zip(("C:bot.py", b"")))],
    "a symbolic link": [("a.zip", a_zip((a_link("bot.py"), b"/etc/passwd")))],
    "a pipe": [("a.zip", a_zip((a_link("bot.py", stat.S_IFIFO), b"")))],
    "a device": [("a.zip", a_zip((a_link("bot.py", stat.S_IFCHR), b"")))],
    "a bomb": [("a.zip", a_zip(("bot.py", bytes(MOST.unpacked + 1))))],
    "a bomb of many": [("a.zip", a_zip(*((f"{number}.py", bytes(MOST.unpacked // 8)) for number in range(9))))],
    "a wheel that is a bomb": [("a.whl", a_zip(("a.py", bytes(MOST.unpacked + 1))))],
    "a wheel in a zip that is a bomb": [("a.zip", a_zip(("a.whl", a_zip(("a.py", bytes(MOST.unpacked + 1))))))],
    "a wheel that is none": [("a.whl", b"hello")],
    "many files": [("a.zip", a_zip(*((f"{number}.py", b"") for number in range(MOST.files + 1))))],
    "many zips": [("a.zip", a_zip(*((f"{number}.py", b"") for number in range(300))))] * 2,
    "a password": [("a.zip", with_flag(GOOD, 1))],
    "an unusual packing": [("a.zip", a_zip(("bot.py", b"x"), how=zipfile.ZIP_LZMA))],
    "two of one name": [("bot.py", b""), ("bot.py", b"")],
    "two that differ in capitals": [("Bot.py", b""), ("bot.py", b"")],
    "two that differ in how an accent is written": [("a.zip", a_zip(("n\u00fc.py", b""), ("nu\u0308.py", b"")))],
    "a file that is a folder": [("a.zip", a_zip(("a", b""), ("a/b.py", b"")))],
    "a folder that is a file": [("a.zip", a_zip(("a/b.py", b""), ("a", b"")))],
    "a slip in the form": [("../bot.py", b"")],
    "dots": [("..", b"")],
    "a control character": [("bot\x1b[2J.py", b"")],
    "a line in a name": [("bot\r\nset-cookie: a=b", b"")],
    "a direction mark": [("bot\u202eyp.exe", b"")],
    "no UTF-8": [("bot\udcff.py", b"")],
    "an empty part": [("a//bot.py", b"")],
    "blanks alone": [(" ", b"")],
    "a long name": [("x" * 300, b"")],
    "many folders": [("a/" * 9 + "bot.py", b"")],
    "a mark of HTML": [("<script>.py", b"")],
}


@pytest.mark.parametrize("uploads", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_hand_ins_are_refused_and_leave_nothing(uploads: list[tuple[str, bytes]], tmp_path: Path) -> None:
    place = tmp_path / "deep" / "versions"
    with pytest.raises(HandInError):
        keep_files(uploads, place, "ada")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert list(place.iterdir()) == []


def test_a_zip_of_an_older_packer_of_windows_has_folders(tmp_path: Path) -> None:
    files = ("my_bot\\", b""), ("my_bot\\bot.py", b"1"), ("my_bot\\lib\\a.py", b"2"), ("my_bot\\.git\\x", b"3")
    own = tmp_path / keep_files([("bot.zip", a_zip(*files))], tmp_path, "ada") / "ada"
    assert sorted(path.relative_to(own).as_posix() for path in own.rglob("*.py")) == ["bot.py", "lib/a.py"]
    assert not [*own.rglob("x")]


def test_what_a_command_can_start_may_be_started(tmp_path: Path) -> None:
    """Neither a browser nor most zips say which files are programs."""
    files = ("go", b"#!/bin/sh\n"), ("lib/engine", b"\x7fELF\x02"), ("bot.toml", b'command = "./go"\n')
    name = keep_files([("bot.zip", a_zip(*files))], tmp_path, "ada")
    own = tmp_path / name / "ada"
    assert [bool((own / file).stat().st_mode & stat.S_IXUSR) for file, _ in files] == [True, True, False]


def test_a_version_is_packed_once(tmp_path: Path) -> None:
    own = tmp_path / keep_files([("bot.py", b"1")], tmp_path, "ada") / "ada"
    kept = packed(own).stat()
    assert packed(own).stat().st_mtime_ns == kept.st_mtime_ns and packed(own).stat().st_ino == kept.st_ino
    assert [path.name for path in own.iterdir()] == ["bot.py"]


def test_what_was_being_written_is_cleared(tmp_path: Path) -> None:
    (tmp_path / "1.part" / "ada").mkdir(parents=True)
    kept = keep_files([("bot.py", b"1")], tmp_path, "ada")
    clear_parts(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [kept]
