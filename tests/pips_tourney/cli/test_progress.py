"""The bar of a night: what it says, and that it counts as the standings do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pips_tourney.cli.nights.progress import Progress
from pips_tourney.league.read import read_league
from pips_tourney.night.log.store import Row
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.play.evening import Announcement
from tests.pips_tourney.in_process import write_league


class Bar:
    """A bar, and a clock that a test moves."""

    def __init__(self, folder: Path) -> None:
        self.now, self.count = 0.0, (1000, 0)
        self._programme = make_programme(read_league(write_league(folder, "ada", "bo", deals=3)))
        self.progress = Progress(lambda: self.now)

    def begin(self, missing: int) -> None:
        self.progress.begins(Announcement(self._programme, 1000, missing, 1, "", None, count=lambda: self.count))

    def store(self, rows: int) -> None:
        row = Row("x", "serpent", json.dumps(["ada", "bo"]), "[1,2]", "[]", "[]", 1, "[]", b"", b"")
        self.progress.stored([row] * rows)


@pytest.fixture
def bar(tmp_path: Path) -> Bar:
    return Bar(tmp_path)


def test_a_file_gets_a_line_for_a_tenth_and_no_frames(bar: Bar, capsys: pytest.CaptureFixture[str]) -> None:
    bar.begin(1000)
    capsys.readouterr()
    for second in range(100):
        bar.now = float(second)
        bar.store(10)
    bar.progress.ends()
    lines = [line for line in capsys.readouterr().err.split("\n") if "head of the chain" not in line]
    assert len(lines) == 10 and lines[-1] == ""
    assert lines[0].startswith("110 of 1000 matches")
    assert not any("\r" in line or "|" in line for line in lines)


def test_a_brief_night_says_nothing_of_its_progress(bar: Bar, capsys: pytest.CaptureFixture[str]) -> None:
    bar.begin(1000)
    capsys.readouterr()
    bar.store(200)
    bar.progress.ends()
    assert capsys.readouterr().err == ""


def test_the_bar_ends_full_though_a_bot_was_left_out(
    bar: Bar, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar.begin(1000)
    bar.store(600)
    bar.count = (600, 600)
    bar.progress.ends()
    assert "600/600 matches" in capsys.readouterr().err
