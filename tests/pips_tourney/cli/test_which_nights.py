"""Commands that look at a whole season, as `standings --season` does.

They are export, verify, audit and status.
"""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.pips_tourney.cli.conftest import Terminal
from tests.pips_tourney.in_process import write_league

OLD_BO = "bo (version 1, until night 1)"


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Two nights of six matches; `bo` has changed between them."""
    terminal = Terminal(tmp_path, monkeypatch)
    league = write_league(tmp_path, "ada", "bo", deals=3, more="season = true\n")
    terminal.type("run", "night.toml")
    text = league.read_text(encoding="utf-8")
    league.write_text(text.replace('name = "bo",', 'name = "bo", env = { WEEK = "2" },'), encoding="utf-8")
    terminal.type("run", "night.toml")
    return terminal


def forge_the_first_night() -> None:
    with closing(sqlite3.connect("night.1.db")) as connection, connection:
        connection.execute("UPDATE results SET places = '[1,1]'")


@pytest.mark.parametrize("times", ["[[[3,x]],[[1,2]]]", "[[[3,5]],[[9999999,1]]]", "[[[3,5]]]", "x"])
def test_standings_of_damaged_answer_times_say_so(times: str, terminal: Terminal) -> None:
    with closing(sqlite3.connect("night.db")) as connection, connection:
        connection.execute("UPDATE results SET times = ? WHERE rowid = 2", (times,))
    told = terminal.type("standings", "night.db", "--json")
    assert told.exit_code != 0
    assert "night.db was changed or damaged: " in told.output


def test_a_season_is_exported_with_the_names_of_its_standings(terminal: Terminal) -> None:
    whole = json.loads(terminal.type("standings", "--season", "night.db", "--json").stdout)
    assert json.loads(terminal.type("export", "--season", "--as", "json").stdout) == whole
    rows = {row["bot"]: row for row in whole["tables"][0]["rows"]}
    assert set(rows) == {"ada", "bo", OLD_BO}

    points = dict.fromkeys(rows, 0.0)
    games = terminal.type("export", "--season", "--as", "pgn").stdout.split("[Event ")[1:]
    for game in games:
        assert game.startswith('"Test night, season: serpent"]')
        tags = dict(line[1:-2].split(' "', 1) for line in game.splitlines() if line.startswith("["))
        white, black = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}[tags["Result"]]
        points[tags["White"]] += white
        points[tags["Black"]] += black
    assert len(games) == 12
    assert points == {bot: row["points"] for bot, row in rows.items()}

    text = terminal.type("export", "--season", "--as", "gradebook", "--baseline", "ada").stdout
    graded = {line["bot"]: line for line in csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))}
    assert {bot: float(line["points"]) for bot, line in graded.items()} == points
    assert {bot: line["matches"] for bot, line in graded.items()} == {"ada": "12", "bo": "6", OLD_BO: "6"}
    for bot in ("bo", OLD_BO):
        assert float(graded[bot]["points_percent_against_ada"]) == pytest.approx(100 * points[bot] / 6, abs=0.01)
    assert (
        "there is no bot di to be"
        in terminal.type("export", "--season", "--as", "gradebook", "--baseline", "di").stderr
    )


def test_the_standings_of_a_season_say_who_improved(terminal: Terminal) -> None:
    lines = terminal.type("standings", "--season").stdout.splitlines()
    assert lines[-2].startswith("Who improved most")
    assert lines[-1].startswith("  bo  nights 1 to 2  ")
    assert "Who improved" not in terminal.type("standings").stdout


def test_each_night_of_a_season_is_verified_audited_and_told_by_its_file(terminal: Terminal) -> None:
    assert terminal.type("verify", "night.1.db").exit_code == terminal.type("audit", "night.1.db").exit_code == 0
    assert json.loads(terminal.type("status", "night.1.db", "--json").stdout)["played"] == 6
    forge_the_first_night()
    bad = terminal.type("verify", "night.1.db")
    assert bad.exit_code == terminal.type("audit", "night.1.db").exit_code == 1
    assert "its row does not say what its record says: places" in bad.stderr
    assert terminal.type("verify", "night.db").exit_code == terminal.type("audit").exit_code == 0


def test_nights_that_were_moved_aside_need_not_be_told_from_the_last_one(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.type("status").stdout.startswith("Test night: complete")
    (tmp_path / "night.db").rename(tmp_path / "other.db")
    assert "There are night.1.db, other.db: name one" in terminal.type("status").stderr
