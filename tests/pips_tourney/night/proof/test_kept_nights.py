"""The night of every release verifies, or is refused with a sentence."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pips_referee import installed
from pips_referee.game import get_game
from pips_tourney.cli.tourney import main
from pips_tourney.night.log.connecting import SCHEMA_VERSION
from tests.goldens.night import ENDING, NIGHTS, unpacked

KEPT = {night.name.removesuffix(ENDING): night for night in NIGHTS.glob(f"*{ENDING}")}
THIS = version("pips-tourney")
MATCHES = 33


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, words)], catch_exceptions=False)


def refusal(ended: Result) -> str:
    """The one sentence with which a night is refused."""
    [line] = ended.stderr.splitlines()
    assert ended.exit_code != 0 and ended.stdout == ""
    return line


@pytest.fixture
def night(tmp_path: Path) -> Path:
    return unpacked(KEPT[THIS], tmp_path)


def test_this_versions_night_verifies(night: Path) -> None:
    """Without it: `python -m tests.goldens.night`."""
    ended = run("verify", night)
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.startswith(f"{MATCHES} results verified")


@pytest.mark.parametrize("kept", KEPT)
def test_an_older_night_verifies_or_is_refused_with_a_sentence(kept: str, tmp_path: Path) -> None:
    ended = run("verify", unpacked(KEPT[kept], tmp_path))
    if ended.exit_code:
        assert "another version of Pips" in refusal(ended) or "'s rules, and here" in refusal(ended)
    else:
        assert ended.stdout.startswith(f"{MATCHES} results verified")


@pytest.mark.parametrize("later", [-1, 1])
def test_a_night_of_another_format_is_refused(night: Path, later: int) -> None:
    with closing(sqlite3.connect(night)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + later}")
    assert "it was written by another version of Pips" in refusal(run("verify", night))


@pytest.mark.parametrize("command", [["verify"], ["standings"], ["audit"], ["report"], ["export", "--as", "pgn"]])
def test_a_night_of_other_rules_is_refused_in_one_sentence(
    night: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has changed its records."""
    monkeypatch.setattr(type(get_game("serpent")), "rules_version", 99)
    assert "played by version 1 of serpent's rules, and here they are of version 99" in refusal(run(*command, night))


@pytest.mark.parametrize("command", ["verify", "standings"])
def test_so_is_a_night_of_a_game_that_is_not_installed(
    night: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {game: place for game, place in installed.places().items() if game != "serpent"}
    monkeypatch.setattr(installed, "places", lambda: others)
    get_game.cache_clear()
    assert "cannot be read without its games: there is no game 'serpent'" in refusal(run(command, night))
