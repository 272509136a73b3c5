"""A question of a match in words, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main


@pytest.fixture
def record(tmp_path: Path) -> str:
    words = ["play", "greedy", "random", "--game", "serpent", "-n", "2", "--in-process", "--save", str(tmp_path)]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    return str(min(tmp_path.glob("*.pips")))


def test_a_position_and_its_answers(record: str) -> None:
    asked = CliRunner().invoke(main, ["ask", record, "--seat", "1"])
    assert asked.exit_code == 0
    assert "What happened since you were last asked:" in asked.output
    assert any(line.strip().startswith("answer: ") for line in asked.output.splitlines())


def test_the_view_as_the_protocol_has_it(record: str) -> None:
    shown = CliRunner().invoke(main, ["ask", record, "--question", "1", "--json"])
    assert set(json.loads(shown.output)["view"]) == {"serpent"}


def test_what_was_never_asked(record: str) -> None:
    missing = CliRunner().invoke(main, ["ask", record, "--question", "9999"])
    assert missing.exit_code == 2 and "seat 0 was asked " in missing.output
    assert CliRunner().invoke(main, ["ask", record, "--seat", "7"]).exit_code == 2
