"""Where what bots print is kept, and found again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from pips_tourney.arena import children
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.logs import log_of, logged, printed_in
from pips_tourney.cli.bot import main
from pips_tourney.files import NotWritten


def test_each_process_has_a_file_and_its_lines_are_found(tmp_path: Path) -> None:
    program_of = logged(lambda process: Executable(("true",), "/", {}), tmp_path / "logs")
    for process, text in (("a.b/serpent/0", "1\n2\n3\n"), ("a.b/serpent/1", "4\n"), ("b/serpent/0", "5\n")):
        log = Path(program_of(process).log)
        assert log == log_of(tmp_path / "logs", process)
        log.write_text(text, encoding="utf-8")
    assert list(printed_in(tmp_path / "logs", "a.b")) == ["1", "2", "3", "4"]
    assert list(printed_in(tmp_path / "logs", "a")) == []
    assert list(printed_in(tmp_path / "logs", "a.b", last=2)) == ["3", "4"]


def test_a_log_has_a_bound_however_many_processes_write_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "LOGGED_BYTES", 10)
    for _ in range(30):  # a bot that crashes comes back as a new process
        child = children.Child("a/serpent/0", Mock(spec=subprocess.Popen), None, None, wrapped=False)
        child.log = os.open(tmp_path / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        child.keep(b"abc\n")
        child.close_log()
    assert (tmp_path / "log").read_bytes() == b"abc\nabc\nab"


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(NotWritten, match=r"file/logs cannot be written: Not a directory; name another folder"):
        logged(lambda process: Executable(("true",), "/", {}), tmp_path / "file" / "logs")


def test_in_process_there_is_nothing_to_keep() -> None:
    said = CliRunner().invoke(main, ["play", "random", "greedy", "--game", "serpent", "--in-process", "--logs", "x"])
    assert said.exit_code == 2
    assert "leave --logs out" in said.output
