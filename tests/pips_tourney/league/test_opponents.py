"""The bots of a league file play in environments."""

from __future__ import annotations

from pathlib import Path

import pytest

import pips_sample_bots.serpent.greedy_bot
from pips_sdk.env import MatchEnv
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.opponents import league_opponents

LEAGUE = """
games = ["serpent", "wichita"]
bots = [
    { path = "ada" },
    { name = "bo", command = "python mine.py", cwd = "bo", games = ["serpent"] },
    { name = "cy", sample = "greedy" },
    { name = "di", command = "./program", cwd = "bo", games = ["serpent"] },
]
"""


def test_python_bots_and_samples_of_a_league_play(tmp_path: Path) -> None:
    source = Path(pips_sample_bots.serpent.greedy_bot.__file__).read_text(encoding="utf-8")
    for folder, name in (("ada", "bot.py"), ("bo", "mine.py")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(source, encoding="utf-8")
    (tmp_path / "bo/program").touch(mode=0o755)
    league = tmp_path / "league.toml"
    league.write_text(LEAGUE, encoding="utf-8")
    found = league_opponents(league, "serpent")
    assert found == {"ada": tmp_path / "ada/bot.py", "bo": tmp_path / "bo/mine.py", "cy": "greedy"}
    for opponent in found.values():
        env = MatchEnv("serpent", opponents={1: opponent})
        while env.seat is not None:
            assert env.seat == 0
            env.step(env.legal()[0])
        assert env.fault is None
    assert set(league_opponents(str(league), "wichita")) == {"ada", "cy"}


def test_a_file_that_is_no_league_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LeagueError):
        league_opponents(tmp_path / "none.toml", "serpent")
