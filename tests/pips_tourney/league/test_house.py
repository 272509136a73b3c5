"""League files that ship with Pips."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.league.house import HouseLeagueError, house_leagues, write_house_league
from pips_tourney.league.read import read_league

BOT = """from pips_sdk import run
from pips_sdk.wichita import WichitaBot


class MyBot(WichitaBot):
    pass
"""


@pytest.mark.parametrize("name", sorted(house_leagues()))
def test_each_can_be_read_where_it_was_written(tmp_path: Path, name: str) -> None:
    for bot in ("ada", "bo"):
        (tmp_path / "submissions" / bot).mkdir(parents=True)
        (tmp_path / "submissions" / bot / "bot.py").write_text(BOT, encoding="utf-8")
    write_house_league(name, tmp_path / "league.toml")
    assert read_league(tmp_path / "league.toml").file.games


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text("mine", encoding="utf-8")
    with pytest.raises(HouseLeagueError, match="is there already"):
        write_house_league("first", tmp_path / "league.toml")
    assert (tmp_path / "league.toml").read_text(encoding="utf-8") == "mine"


def test_a_name_that_none_has() -> None:
    with pytest.raises(HouseLeagueError, match=r"no league called last ships with Pips; there are .*first"):
        write_house_league("last", Path("league.toml"))


def test_new_writes_one_to_start_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, ["new"])
    assert said.exit_code == 0 and "pips-tourney run league.toml" in said.output
    assert read_league(Path("league.toml")).file.name == "First league"
    again = CliRunner().invoke(main, ["new"])
    assert again.exit_code == 2 and "is there already" in again.output


def test_a_league_that_ships_is_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    unplayed = ["--secret-file", "nowhere"]
    said = CliRunner().invoke(main, ["run", "first", *unplayed])
    assert "wrote first.toml" in said.output and "nowhere" in said.output
    again = CliRunner().invoke(main, ["run", "first", *unplayed])  # the file that is there now
    assert "wrote" not in again.output and "nowhere" in again.output
    assert "No such file" in CliRunner().invoke(main, ["run", "second", *unplayed]).output
