"""The tab key completes commands, bots and matches."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from pips_tourney.cli.bot import main as bot_main
from pips_tourney.cli.tourney import main
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x01" * 32)


@pytest.fixture
def match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The only match that was played, of the only night in this folder."""
    monkeypatch.chdir(tmp_path)
    with open_store(tmp_path / "night.db") as store:
        programme = make_programme(read_league(write_league(tmp_path, "ada", "bo", deals=1)))
        begin(store, programme, SECRET)
        first = next(iter(fixtures(programme)))
        store.add([row_of(play(first.header(SECRET), SECRET.rng_seed(first.match_id, 0)))])
    return first.match_id


def completed(words: list[str], begun: str, program: click.Command = main) -> list[str]:
    shell = ShellComplete(program, {}, "pips", "_PIPS_COMPLETE")
    return [item.value for item in shell.get_completions(words, begun)]


def test_it_completes_commands_bots_and_matches(match: str) -> None:
    assert completed([], "stan") == ["standings"]
    assert completed(["withdraw"], "a") == ["ada"]
    assert completed(["withdraw", "night.db"], "") == ["ada", "bo"]
    assert completed(["analyse", "night.db", "--bot"], "b") == ["bo"]
    assert completed(["matches", "night.db", "--bot"], "a") == completed(["matches", "--bot"], "a") == ["ada"]
    for words in (["annul"], ["explain", "night.db"]):
        assert completed(words, match[:2].upper()) == [match[:12]]
    assert completed(["annul"], "z") == []


def test_where_there_is_no_night_nothing_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed(["withdraw"], "") == completed(["annul", "none.db"], "") == []


def test_an_author_s_commands_complete_bots_files_and_matches(match: str, tmp_path: Path) -> None:
    (tmp_path / "my bot").mkdir()
    (tmp_path / "my bot" / "bot.py").touch()
    (tmp_path / ".hidden").touch()
    asked = [match[:12]]
    assert completed([], "as", bot_main) == ["ask"]
    assert completed(["play"], "g", bot_main) == ["greedy"]
    assert completed(["play", "greedy"], "my", bot_main) == ["my bot"]
    assert completed(["check"], "my bot/", bot_main) == ["my bot/bot.py"]
    assert ".hidden" not in completed(["play"], "", bot_main)
    assert completed(["play"], ".h", bot_main) == [".hidden"]
    assert completed(["play"], "nowhere/", bot_main) == []
    assert completed(["ask", "night.db"], match[:3], bot_main) == asked
    assert completed(["replay", "night.db"], match[:3]) == asked
    assert "night.db" in completed(["ask"], "night.d", bot_main)
    assert completed(["ask", "night.db", match[:12]], "gr", bot_main) == ["greedy"]
    assert completed(["ask", "one.pips"], "gr", bot_main) == ["greedy"]
