"""What Moodle and Canvas hand out plays as it is, under the names of its authors."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path
from zlib import crc32

import pytest

from pips_tourney.league.collected import participant, prefix_in
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league

A_BOT = b"from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n"
MOODLE = "Anna Alder_1000137_assignsubmission_file_"
JUNK = {"__MACOSX/._bot.py": b"\0", "._bot.py": b"\0", ".DS_Store": b"\0"}


def a_zip(files: dict[str, bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return into.getvalue()


def league(folder: Path, files: dict[str, bytes], bots: str = "submissions/*") -> League:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    text = (
        f'game = "serpent"\nbots = ["{bots}", {{ name = "r", sample = "random" }}, {{ name = "g", sample = "greedy" }}]'
    )
    (folder / "night.toml").write_text(text, encoding="utf-8")
    return read_league(folder / "night.toml")


def played(of: League) -> dict[str, tuple[str, str]]:
    """By bot, where it was handed in, and its file."""
    return {bot.name: (of.where[bot.name], str((bot.command or [""])[-1])) for bot in of.file.bots if bot.submitted}


SHAPES = {
    "a folder": {f"{MOODLE}/bot.py": A_BOT},
    "a folder in a folder": {f"{MOODLE}/anna/anna.py": A_BOT, f"{MOODLE}/readme.txt": b"Hello."},
    "a zip in a folder": {f"{MOODLE}/bot.zip": a_zip({"bot.py": A_BOT, **JUNK})},
    "a zipped folder in a folder": {f"{MOODLE}/anna.zip": a_zip({"anna/bot.py": A_BOT, "__MACOSX/anna/._bot.py": b""})},
    "a zip in a zip": {f"{MOODLE}/x.zip": a_zip({"y.zip": a_zip({"anna/src/bot.py": A_BOT})})},
    "a file with that of a Mac": {f"{MOODLE}/foo.py": A_BOT, f"{MOODLE}/._foo.py": b"\0"},
    "a flat file": {f"{MOODLE}bot.py": A_BOT},
    "a flat zip": {f"{MOODLE}bot.zip": a_zip({"bot.py": A_BOT})},
    "flat files": {f"{MOODLE}bot.py": A_BOT, f"{MOODLE}weights.json": b"{}", f"{MOODLE}help.py": b"a = 1\n"},
    "a text beside it": {f"{MOODLE}/bot.py": A_BOT, f"{MOODLE[:-5]}onlinetext_/onlinetext.html": b"<p>Hello"},
    "a zip beside the bot": {f"{MOODLE}/bot.py": A_BOT, f"{MOODLE}/data.zip": a_zip({"bot.py": b"1"})},
    "in a folder a zip beside the bot": {
        f"{MOODLE}/my/bot.py": A_BOT,
        f"{MOODLE}/my/data.zip": a_zip({"bot.py": b"1"}),
    },
    "flat, a zip beside the bot": {f"{MOODLE}bot.py": A_BOT, f"{MOODLE}data.zip": a_zip({"bot.py": b"1"})},
    "Canvas": {"Anna Alder_12345_67890_bot.py": A_BOT},
    "Canvas, late, again": {"Anna Alder_LATE_12345_67890_bot-2.zip": a_zip({"bot.py": A_BOT})},
    "Canvas, two files": {"Anna Alder_12345_67890_bot-1.py": A_BOT, "Anna Alder_12345_67891_help.py": b"a = 1\n"},
}


@pytest.mark.parametrize("is_zip", [False, True], ids=["by hand", "as one zip"])
def test_each_shape_is_one_bot_under_its_persons_name(tmp_path: Path, *, is_zip: bool) -> None:
    authors = {f"Anna {shape.replace(',', '')}": files for shape, files in SHAPES.items()}
    files = {f"{who}{name[10:]}": content for who, files in authors.items() for name, content in files.items()}
    if is_zip:
        found = league(tmp_path, {"moodle.zip": a_zip(files)}, "moodle.zip")
    else:
        found = league(tmp_path, {f"submissions/{name}": content for name, content in files.items()})
    assert not found.broken and set(played(found)) == set(authors)
    assert all(where.startswith(("submissions/Anna", "moodle.zip/Anna")) for where, _ in played(found).values())
    for bot in found.file.bots:
        if bot.submitted:
            folder = tmp_path / (bot.cwd or "")
            assert (folder / (bot.command or [""])[-1]).read_bytes() == A_BOT
            assert (folder / "data.zip").is_file() == ("zip beside" in bot.name)


def test_the_zip_of_a_class_keeps_each_mistake_to_its_author(tmp_path: Path) -> None:
    whole = a_zip({
        f"{MOODLE}/bot.py": A_BOT,
        "Bo_2_assignsubmission_file_/bot.rar": b"Rar!",
        "Cy_3_assignsubmission_file_/bot.ipynb": b"{}",
        "Dee_4_assignsubmission_file_/../../../evil.py": A_BOT,
        "Eve_5_assignsubmission_file_/bot.zip": b"PK\x03\x04 half",
        "Gus_6_assignsubmission_file_/bot.py": b"",
        "Anna Alder_7_assignsubmission_file_/bot.py": A_BOT + b"\n",
        "Hal_8_assignsubmission_onlinetext_/onlinetext.html": b"<p>my code",
    })  # fmt: skip
    found = league(tmp_path, {"moodle.zip": whole}, "moodle.zip")
    assert set(played(found)) == {"Anna Alder", "Anna Alder 2"}
    told = {"Bo": ".zip", "Cy": "notebook", "Dee": "leads out of the folder", "Eve": "broken", "Gus": "empty"}
    assert (
        all(what in found.broken[bot] for bot, what in told.items()) and "which file is the bot" in found.broken["Hal"]
    )
    assert found.broken["Bo"].startswith("moodle.zip/Bo_2_") and str(tmp_path) not in "".join(found.broken.values())
    assert not [*tmp_path.rglob("evil.py")]


@pytest.mark.parametrize(
    "name", [f"{MOODLE}Bo_2_assignsubmission_file_b.py", "anna_12_34_Bo_2_assignsubmission_file_b.py"]
)
def test_what_a_person_called_a_file_names_nobody_else(name: str) -> None:
    who = participant(name)
    assert who is not None and who.number in ("1000137", "12") and who.name.lower().startswith("anna")


def test_a_mistake_is_told_by_the_place_of_the_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = league(Path(), {"moodle.zip": a_zip({f"{MOODLE}/notes.txt": b"Hello"})}, "moodle.zip").broken["Anna Alder"]
    assert told.startswith(f"moodle.zip/{MOODLE}: which file is the bot") and ".unpacked" not in told


def test_a_zip_in_a_pattern_is_one_persons_whatever_is_in_it(tmp_path: Path) -> None:
    posing = a_zip({"Bo_2_assignsubmission_file_/bot.py": A_BOT, "Cy_3_assignsubmission_file_/bot.py": A_BOT})
    found = league(tmp_path, {"submissions/anna.zip": posing})
    assert not played(found) and list(found.broken) == ["anna"]


def test_a_program_that_is_a_zip_too_is_one_bot(tmp_path: Path) -> None:
    posing = a_zip({"Bo_2_assignsubmission_file_/bot.py": A_BOT, "Cy_3_assignsubmission_file_/bot.py": A_BOT})
    assert list(played(league(tmp_path, {"ada.py": A_BOT + posing}, "ada.py"))) == ["ada"]


@pytest.mark.parametrize("name", ["Anna\x1b[2J", "\u00e4" * 112, "Anna\u202e"])
def test_a_name_that_no_file_should_have_stands_before_none(name: str) -> None:
    assert prefix_in(f"{name}_1_assignsubmission_file_/bot.py") == ""


def test_other_files_of_the_same_checksum_are_unpacked_anew(tmp_path: Path) -> None:
    """A checksum of a zip is easily met."""
    one, other = b"x = 1  # plumless\n", b"x = 1  # buckeroo\n"
    assert crc32(one) == crc32(other)
    for content in (one, other):
        league(tmp_path, {"moodle.zip": a_zip({f"{MOODLE}/bot.py": content})}, "moodle.zip")
    assert len([*(tmp_path / ".unpacked").iterdir()]) == 2


def test_a_wheel_of_an_unknown_kind_stops_nobody_else(tmp_path: Path) -> None:
    wheel = bytearray(a_zip({"a.py": b""}))
    wheel[wheel.find(b"PK\x01\x02") + 6] = 99  # the version that is needed
    files = {"submissions/eve.zip": a_zip({"bot.py": A_BOT, "a.whl": bytes(wheel)}), "submissions/bo/bot.py": A_BOT}
    found = league(tmp_path, files)
    assert list(played(found)) == ["bo"] and "is no wheel (zip file version 9.9)" in found.broken["eve"]


def test_it_is_unpacked_once_and_anew_when_it_has_changed(tmp_path: Path) -> None:
    files = {"submissions/anna.zip": a_zip({"bot.py": A_BOT})}
    before = {path: path.stat().st_ino for path in _unpacked(league(tmp_path, files), tmp_path)}
    assert {path: path.stat().st_ino for path in _unpacked(league(tmp_path, files), tmp_path)} == before
    after = _unpacked(league(tmp_path, {"submissions/anna.zip": a_zip({"bot.py": A_BOT + b"#\n"})}), tmp_path)
    assert len(after) == 2 and {*before} < {*after}
    elsewhere = tmp_path.with_name("elsewhere")
    shutil.copytree(tmp_path, elsewhere, ignore=shutil.ignore_patterns(".unpacked"))
    (first, second) = (read_league(folder / "night.toml") for folder in (tmp_path, elsewhere))
    assert [bot.cwd for bot in first.file.bots] == [bot.cwd for bot in second.file.bots], "its place says what it holds"


def _unpacked(_: League, folder: Path) -> list[Path]:
    return [*(folder / ".unpacked").rglob("bot.py")]


def test_a_zip_that_is_named_alone_is_a_bot(tmp_path: Path) -> None:
    assert list(played(league(tmp_path, {"anna.zip": a_zip({"my/bot.py": A_BOT})}, "anna.zip"))) == ["anna"]


def test_a_link_in_a_folder_is_not_followed_and_a_link_to_a_bot_has_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "secret.zip").write_bytes(a_zip({"bot.py": A_BOT}))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "bot.py").write_bytes(A_BOT)
    (tmp_path / "submissions" / "eve").mkdir(parents=True)
    (tmp_path / "submissions" / "eve" / "bot.zip").symlink_to(tmp_path / "secret.zip")
    (tmp_path / "submissions" / "anna").symlink_to(tmp_path / "elsewhere")
    found = league(tmp_path, {})
    assert list(played(found)) == ["anna"] and "eve" in found.broken
    assert not [*tmp_path.glob(".unpacked/*/eve")]


def test_where_nothing_can_be_unpacked_it_is_said(tmp_path: Path) -> None:
    (tmp_path / ".unpacked").write_text("a file", encoding="utf-8")
    found = league(tmp_path, {"submissions/anna.zip": a_zip({"bot.py": A_BOT})})
    assert "cannot be unpacked into" in found.broken["anna"]
