"""`pips-tourney replay` and `verify` of a record: what they print, how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pips_referee.records.record import read_record
from pips_referee.records.replay import replay_pages
from pips_tourney.cli.tourney import main
from tests.records import random_record


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A file with a match of Serpent."""
    path = tmp_path / "match.pips"
    path.write_bytes(random_record())
    return path


@pytest.fixture
def tampered(tmp_path: Path) -> Path:
    """A file whose last answer is missing."""
    path = tmp_path / "tampered.pips"
    data = bytearray(random_record())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    return path


class TestReplay:
    def test_the_truth(self, record: Path) -> None:
        result = call("replay", record, "--all")
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            line for page in replay_pages(read_record(record.read_bytes())) for line in page
        ]

    def test_what_one_seat_saw(self, record: Path) -> None:
        result = call("replay", record, "--seat", "1")
        assert result.exit_code == 0
        assert "seat 1: bot1 (you)" in result.stdout

    @pytest.mark.parametrize("seat", [[], ["--seat", "0"]])
    def test_one_json_object_a_line(self, record: Path, seat: list[str]) -> None:
        result = call("replay", record, "--json", *seat)
        assert result.exit_code == 0
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert [lines[0]["line"], lines[-1]["line"]] == ["header", "outcome"]
        assert lines[0].get("seat") == (0 if seat else None)

    def test_a_seat_that_nobody_has(self, record: Path) -> None:
        result = call("replay", record, "--seat", "2")
        assert result.exit_code == 2
        assert "the match has seats 0 to 1" in result.stderr

    def test_what_is_no_record(self, tmp_path: Path) -> None:
        path = tmp_path / "letter.txt"
        path.write_text("Dear referee")
        result = call("replay", path)
        assert result.exit_code == 2
        assert "this is no match record" in result.stderr

    def test_a_record_that_does_not_replay_is_shown_as_far_as_it_goes(self, tampered: Path) -> None:
        result = call("replay", tampered)
        assert result.exit_code == 1
        assert "seat 0 (bot0), question 1" in result.stdout
        assert "match a-match-of-serpent: it claims" in result.stderr

    def test_a_file_that_is_not_there(self) -> None:
        assert call("replay", "nowhere.pips").exit_code == 2


class TestVerify:
    def test_a_good_record_is_named(self, record: Path) -> None:
        questions = read_record(record.read_bytes()).outcome.questions
        result = call("verify", record)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"{record}: match a-match-of-serpent verified, {questions} questions\n"

    def test_a_bad_one_is_named_with_what_differs(self, tampered: Path) -> None:
        result = call("verify", tampered)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"{tampered}: match a-match-of-serpent: it claims questions" in result.stderr
