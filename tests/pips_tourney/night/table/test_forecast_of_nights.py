"""Forecasts of a season's nights: before one, in the middle, and what came of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.night.table.forecast import forecasts, reckoning_json, reckonings
from pips_tourney.night.table.season import read_season
from pips_tourney.play.estimate import expected
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.runner import run_night
from pips_tourney.reports.season import forecast_lines, reckoning_lines
from pips_tourney.web.season import season_json
from tests.pips_tourney.night.table.test_season import Weeks


@pytest.fixture
def weeks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weeks:
    weeks = Weeks(tmp_path, monkeypatch)
    weeks.league("ada", "bo", "cy", deals=6)
    return weeks


def config(weeks: Weeks) -> RunConfig:
    return RunConfig(weeks.folder / "night.toml", weeks.database)


def test_nothing_is_forecast_before_the_first_night(weeks: Weeks) -> None:
    assert expected(config(weeks)) == []


def test_before_a_night_every_bot_of_it_is_forecast_also_a_new_one(weeks: Weeks) -> None:
    weeks.play()
    weeks.league("bo", "cy", "dee", changed="bo", deals=8)
    [found] = expected(config(weeks))
    assert found.left == 3 * 8 * 2
    assert found.of.bots == ("bo", "cy", "dee")
    assert found.tells is not None
    said = found.as_json()
    assert {pair["a"] + pair["b"] for pair in said["pairs"]} == {"bocy", "bodee", "cydee"}
    lines = [*forecast_lines([found])]
    assert any(line.startswith("  bo against ") or " against bo: " in line for line in lines)
    assert sum("first " in line for line in lines) == 3


def test_the_open_night_is_forecast(weeks: Weeks) -> None:
    weeks.play()
    assert forecasts(read_season(weeks.database)) == []  # nothing is still to come
    run_night(replace(config(weeks), minutes=0), weeks.watching)
    [found], [before] = forecasts(read_season(weeks.database)), expected(config(weeks))
    assert (found.left, found.of.bots) == (3 * 6 * 2, ("ada", "bo", "cy"))
    assert found.as_json() == before.as_json()
    said = CliRunner().invoke(main, ["standings", str(weeks.database), "--full"]).output
    assert "the forecast, 36 matches to come" in said
    dry = CliRunner().invoke(
        main, ["run", str(weeks.folder / "night.toml"), "--db", str(weeks.database), "--dry-run", "--json"]
    )
    assert json.loads(dry.output)["forecast"] == [found.as_json()]


def test_a_season_is_held_to_its_forecasts(weeks: Weeks) -> None:
    for _ in range(3):
        weeks.play()
    [(label, found)] = reckonings(read_season(weeks.database))
    assert len(found.pairs) == 2 * 3
    rows = [night["tables"][0]["rows"] for night in nights_of(weeks)[1:]]
    best = [{row["bot"] for row in night if row["elo"] == night[0]["elo"]} for night in rows]
    assert [set(bots) for bots, _ in found.firsts] == best
    lines = [*reckoning_lines(label, found)]
    assert "results of pairs came within the 90 %" in lines[0]
    assert season_json(weeks.database)["reckoning"] == [{"label": label} | reckoning_json(found)]


def nights_of(weeks: Weeks) -> list[dict]:  # type: ignore[type-arg]
    nights = season_json(weeks.database)["nights"]
    assert isinstance(nights, list)
    return nights
