"""All submissions at once: which are ready, what is wrong, which are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main

pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.unmeasured]
GOOD = """
from pips_sdk import run
from pips_sdk.wichita import WichitaBot

class Ada(WichitaBot):
    pass

if __name__ == "__main__":
    run(Ada)
"""
LEAGUE = 'games = ["wichita"]\nbots = ["class/*", { name = "base", sample = "random" }]\n'


def test_each_submission_gets_its_verdict_and_a_letter(tmp_path: Path) -> None:
    submissions = {
        "ada": GOOD,
        "bo": GOOD,
        "cy": GOOD.replace("pass", "retrun 1"),
        "dee": GOOD.replace("    pass", "    def __init__(self, *_):\n        raise ValueError('no weights')"),
    }
    for name, text in submissions.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "bot.py").write_text(text, encoding="utf-8")
    (tmp_path / "class" / "vera.zip").write_bytes(b"PK\x03\x04")
    league = tmp_path / "class.toml"
    league.write_text(LEAGUE, encoding="utf-8")
    words = ["check", str(league), "-o", str(tmp_path / "letters"), "--json"]
    ended = CliRunner().invoke(main, words, catch_exceptions=False)
    assert ended.exit_code == 1, ended.output
    found = {each["bot"]: each for each in json.loads(ended.stdout)["bots"]}
    assert {bot: each["ready"] for bot, each in found.items()} == {
        "ada": True, "bo": True, "cy": False, "dee": False, "vera": False,
    }  # fmt: skip
    assert (found["ada"]["same_as"], found["bo"]["same_as"]) == (["bo"], ["ada"])
    letters = {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "letters").iterdir()}
    assert set(letters) == {f"{bot}.txt" for bot in found}
    assert "unzip" in letters["vera.txt"] and "no weights" in letters["dee.txt"]
    assert letters["ada.txt"].startswith("ada is ready: it played 4 matches without a fault.")
    assert not any(str(tmp_path) in letter for letter in letters.values())
