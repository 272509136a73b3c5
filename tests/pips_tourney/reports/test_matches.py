"""The list of matches: one bot's, those it lost, as text, JSON and CSV."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.play import crew as crew_module
from tests.pips_tourney.in_process import InProcessEngine, write_league


def typed(*words: str) -> str:
    ended = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_one_finds_the_matches_of_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(crew_module, "make_engine", lambda *_: InProcessEngine())
    write_league(tmp_path, "ada", "bo", deals=3)
    typed("run", "night.toml")
    every = json.loads(typed("matches", "night.db", "--json"))
    assert len(every) == 6
    lost = {match["match"] for match in every if match["places"][match["bots"].index("ada")] > 1}
    shown = typed("matches", "night.db", "--bot", "ada").splitlines()
    assert [line[:12] for line in shown] == [match["match"][:12] for match in every]
    assert all((" 1. bo " in line) == (match["match"] in lost) for line, match in zip(shown, every, strict=True))
    rows = list(csv.DictReader(typed("export", "night.db", "--as", "matches").splitlines()))
    assert len(rows) == 12
    assert {tuple(row[name] for name in ("contest", "deal", "rotation", "block")) for row in rows} == {
        (match["contest"], match["deal"], str(match["rotation"]), match["block"]) for match in every
    }
    blocks = Counter((match["contest"], match["block"]) for match in every)
    assert len({(match["deal"], match["rotation"]) for match in every}) == 6 and set(blocks.values()) == {2}
    assert {row["counts"] for row in rows} == {"True"}
    assert [int(row["score"]) for row in rows] == [score for match in every for score in match["scores"]]


def test_what_cannot_be_listed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(crew_module, "make_engine", lambda *_: InProcessEngine())
    write_league(tmp_path, "ada", "bo", deals=1)
    typed("run", "night.toml")
    nobody = CliRunner().invoke(main, ["matches", "--bot", "cy"])
    assert nobody.exit_code == 2 and "has a bot cy; there are ada, bo" in nobody.output
