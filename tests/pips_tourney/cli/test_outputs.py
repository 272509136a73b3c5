"""No option that writes destroys what Pips keeps, by whatever name the file goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main as bot
from pips_tourney.cli.tourney import main as tourney
from pips_tourney.files import NotWritten, check_file, writable, write_file
from tests.pips_tourney.cli.conftest import Terminal

WRITING = {"output", "save", "logs", "results"}
FILES = {
    ("export", "output"): ["export", "night.db", "--as", "csv"],
    ("submit", "results"): ["submit", "ada", "--to", "http://127.0.0.1:9"],
}
FOLDERS = {
    ("check", "output"), ("report", "output"),
    ("play", "save"), ("play", "logs"),
}  # fmt: skip
KEPT = [
    "night.db",
    "night.db-wal",
    "night.db.lock",
    "night.db.key",
    "night.toml",
    "secret",
    "ada.py",
    "roster.csv",
    "marks.csv",
]


def options() -> Iterator[tuple[str, click.Option]]:
    for group in (tourney, bot):
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            for parameter in command.params if command is not None else ():
                if isinstance(parameter, click.Option) and isinstance(parameter.type, click.Path):
                    yield name, parameter


def test_every_option_that_writes_is_tried_here() -> None:
    assert {(name, str(option.name)) for name, option in options() if option.name in WRITING} == {*FILES, *FOLDERS}


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A folder with a night that was played, and what lies beside one."""
    made = Terminal(tmp_path, monkeypatch)
    made.type("run", "night.toml")
    (tmp_path / "night.db-wal").write_bytes(b"")
    for key in ("secret", "night.db.key"):
        (tmp_path / key).write_text("5f" * 32)
    (tmp_path / "ada.py").write_text('"""A bot."""\n')
    (tmp_path / "roster.csv").write_text("name,bot\nAda,ada\n")
    (tmp_path / "marks.csv").write_text("table,name\n1,Ada\n")
    return made


def itself(kept: Path) -> Path:
    return kept


def symlink(kept: Path) -> Path:
    (link := kept.with_name("a-link")).symlink_to(kept)
    return link


def hard_link(kept: Path) -> Path:
    (link := kept.with_name("hard.html")).hardlink_to(kept)
    return link


@pytest.mark.parametrize("way", [itself, symlink, hard_link])
@pytest.mark.parametrize("words", FILES.values(), ids=lambda words: words[0])
def test_no_file_of_a_night_is_overwritten(terminal: Terminal, words: list[str], way: Callable[[Path], Path]) -> None:
    option = "--results" if words[0] == "submit" else "-o"
    for name in KEPT:
        before = Path(name).read_bytes()
        if way is hard_link and not before:
            continue  # an empty file has nothing to lose
        place = way(Path(name).absolute())
        ended = CliRunner().invoke(bot if words[0] == "submit" else tourney, [*words, option, str(place)])
        assert (ended.exit_code, ended.exception.__class__) == (2, SystemExit), (name, ended.output)
        assert Path(name).read_bytes() == before, name
        if way is not itself:
            place.unlink()


def test_no_page_of_a_folder_goes_through_a_link(terminal: Terminal) -> None:
    before = Path("night.db").read_bytes()
    for name in ("night.html", "feedback/ada.txt", "site/index.html"):
        for way in (os.symlink, os.link):
            place = Path("f", name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            way(Path("night.db").absolute(), place)
            ended = terminal.type("report", "night.db", "-o", "f")
            assert (ended.exit_code, "no earlier export" in ended.stderr) == (2, True), ended.output
            assert Path("night.db").read_bytes() == before
            place.unlink()


def test_logs_go_to_no_file_by_a_link(terminal: Terminal) -> None:
    from pips_tourney.bots.logs import logged

    Path("logs").mkdir()
    Path("logs", "ada.serpent.0.log").hardlink_to("night.db")
    with pytest.raises(NotWritten, match="it is a link to another file; name another folder with --logs"):
        logged(lambda _: None, Path("logs"))("ada/serpent/0")  # type: ignore[arg-type, return-value]


def test_earlier_exports_empty_files_and_devices_are_written(terminal: Terminal) -> None:
    Path("empty.csv").touch()
    for _ in range(2):
        for form, place in (("csv", "empty.csv"), ("json", "s.json"), ("pgn", "s.pgn"), ("csv", "/dev/null")):
            assert terminal.type("export", "night.db", "--as", form, "-o", place).exit_code == 0, place
    assert terminal.type("export", "night.db", "--as", "json", "-o", "s.pgn").exit_code == 2
    full = terminal.type("export", "night.db", "--as", "csv", "-o", "/dev/full")
    assert (full.exit_code, "No space left on device" in full.stderr) == (2, True)
    shown = Path("link.csv")
    shown.symlink_to("empty.csv")
    assert terminal.type("export", "night.db", "--as", "csv", "-o", "link.csv").exit_code == 0
    assert shown.is_symlink()


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a.csv"
    write_file(place, ["bot,elo\n", "ada,1500\n"])
    place.chmod(0o640)

    def breaks() -> Iterator[str]:
        yield "bot,elo\n"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="space"):
        write_file(place, breaks())
    assert place.read_text() == "bot,elo\nada,1500\n"
    write_file(place, ["bot,elo\n"])
    assert (place.read_text(), place.stat().st_mode & 0o777) == ("bot,elo\n", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("mode", [0o664, 0o640])
def test_a_replaced_file_may_be_read_by_whom_it_was(tmp_path: Path, mode: int) -> None:
    place = tmp_path / "page.html"
    place.touch()
    place.chmod(mode)
    before = os.umask(0o077)
    try:
        write_file(place, ["<!doctype html>"])
    finally:
        os.umask(before)
    assert place.stat().st_mode & 0o777 == mode


def test_a_folder_that_takes_no_file_is_told_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "page.html"
    place.write_text("<!doctype html>", encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)  # root may always
    with pytest.raises(NotWritten, match="Permission denied"):
        check_file(place)
    check_file(Path(os.devnull))


def test_names_of_files_as_a_locale_can_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert writable("Jürgen") == "Jürgen"
    monkeypatch.setattr(os, "fsencode", lambda name: name.encode("ascii"))
    assert writable("Jürgen") == "J_xfcrgen"
    monkeypatch.setattr(os, "fsencode", lambda name: name.encode("latin-1"))
    assert (writable("Jürgen"), writable("王")) == ("Jürgen", "_u738b")
