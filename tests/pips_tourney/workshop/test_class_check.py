"""All submissions at once: which are ready, what is wrong, which are the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main as bot_main
from pips_tourney.cli.tourney import main
from pips_tourney.doctor.findings import Complaint
from pips_tourney.league.league import League
from pips_tourney.sandbox.tiers import Sandbox, SandboxError
from pips_tourney.workshop.checks.check_report import Report
from pips_tourney.workshop.checks.class_check import ClassReport, check_class
from tests.needs import needs

pytestmark = pytest.mark.unmeasured  # other tests reach these lines
GOOD = """
from pips_sdk import run
from pips_sdk.wichita import WichitaBot

class Ada(WichitaBot):
    pass

if __name__ == "__main__":
    run(Ada)
"""
LEAGUE = 'games = ["wichita"]\nbots = ["class/*", { name = "base", sample = "random" }]\n'


@needs("bwrap")
def test_each_submission_gets_its_verdict_and_a_letter(tmp_path: Path) -> None:
    submissions = {
        "ada": GOOD,
        "bo": GOOD,
        "eve": GOOD.replace("    pass", "    def draw(self, view):\n        print('x' * 999)\n        return False"),
        "cy": GOOD.replace("pass", "retrun 1"),
        "dee": GOOD.replace("    pass", "    def __init__(self, *_):\n        raise ValueError('no weights')"),
        "tim": f"import torchy\n{GOOD}",
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
    assert "6 of 6 checked: " in ended.stderr and " checked: ada, ready" in ended.stderr, ended.stderr
    found = {each["bot"]: each for each in json.loads(ended.stdout)["bots"]}
    assert {bot: each["ready"] for bot, each in found.items()} == {
        "ada": True, "bo": True, "cy": False, "dee": False, "eve": True, "tim": False, "vera": False,
    }  # fmt: skip
    assert (found["ada"]["same_as"], found["bo"]["same_as"]) == (["bo"], ["ada"])
    letters = {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "letters").iterdir()}
    assert set(letters) == {f"{bot}.txt" for bot in found}
    assert "the zip is broken" in letters["vera.txt"] and "no weights" in letters["dee.txt"]
    assert "What to do" not in letters["vera.txt"], "its reason says it"
    assert "do without it: a league's bot has" in letters["tim.txt"] and "install it" not in letters["tim.txt"]
    assert letters["ada.txt"].startswith("ada is ready: it played 4 matches without a fault.")
    assert re.search(r"^Its slowest answer took \d+ ms in wichita, of 1000 ms\.$", letters["ada.txt"], re.MULTILINE)
    assert "It printed" not in letters["ada.txt"]
    size = re.search(r"It printed (\d+\.\d) kB in 4 matches; of each of its processes a night", letters["eve.txt"])
    assert size is not None and float(size[1]) > 4
    assert not any(str(tmp_path) in letter for letter in letters.values())


def test_no_submission_reads_a_night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden: list[Path] = []

    def seen(_: League, private: Iterable[Path]) -> Sandbox:
        hidden.extend(private)
        raise SandboxError("that is all")

    monkeypatch.setattr(League, "sandbox", seen)
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "bot.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "class.toml").write_text(LEAGUE, encoding="utf-8")
    with pytest.raises(SandboxError, match="that is all"):
        check_class(tmp_path / "class.toml")
    assert {tmp_path / "class.db", Path("class.db"), tmp_path / "class.db-wal"} <= {*hidden}


def test_the_same_bots_are_named_once() -> None:
    of = {"ada": ["bo", "cy"], "bo": ["ada", "cy"], "cy": ["ada", "bo"], "dee": []}
    report = ClassReport(tuple(Report(bot, 1000, same_as=others) for bot, others in of.items()))
    assert [*report.lines()][-2:] == ["The same files: ada, bo, cy", "4 of 4 are ready."] and not report.ok


@needs("bwrap")
def test_findings_about_the_machine_refuse_no_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.doctor.visit.examine", lambda *_: [Complaint("cores", "busy", "wait")])
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "bot.py").write_text(GOOD, encoding="utf-8")
    league = tmp_path / "class.toml"
    league.write_text(LEAGUE, encoding="utf-8")
    ready = CliRunner().invoke(main, ["check", str(league)], catch_exceptions=False)
    assert ready.exit_code == 0 and "cores: busy." in ready.output, ready.output
    assert CliRunner().invoke(main, ["check"], catch_exceptions=False).exit_code == 1


@needs("bwrap")
def test_a_bot_of_another_game_is_told_so_by_every_check(tmp_path: Path) -> None:
    """By the check of a class, and by an author's own, with the league or its game."""
    serpent = GOOD.replace("pips_sdk.wichita", "pips_sdk.serpent").replace("WichitaBot", "SerpentBot")
    (tmp_path / "class" / "eve").mkdir(parents=True)
    bot = tmp_path / "class" / "eve" / "bot.py"
    bot.write_text(serpent, encoding="utf-8")
    league = tmp_path / "class.toml"
    league.write_text(LEAGUE, encoding="utf-8")
    told = CliRunner().invoke(main, ["check", str(league)], catch_exceptions=False)
    assert told.exit_code == 1 and "It does not play wichita. It says that it plays serpent." in told.output
    for words in (["--league", str(league)], ["--game", "wichita"], ["--game", "wichita", "--in-process"]):
        told = CliRunner().invoke(bot_main, ["check", str(bot), *words], catch_exceptions=False)
        assert told.exit_code == 1, (words, told.output)
        assert "It does not play wichita." in told.output and "It says that it plays serpent." in told.output


def test_an_author_checks_as_the_league_would_without_its_other_bots(tmp_path: Path) -> None:
    """The league's bots, suite and anchor are elsewhere; its clock and options hold."""
    ada = tmp_path / "a[b] *?" / "ada.py"
    ada.parent.mkdir()
    ada.write_text(GOOD, encoding="utf-8")
    league = tmp_path / "class.toml"
    more = 'deals = { suite = "ours", count = 3 }\nanchor = "base"\nclock = { answer_ms = 700 }\n'
    league.write_text(LEAGUE + more, encoding="utf-8")
    told = CliRunner().invoke(bot_main, ["check", str(ada), "--league", str(league), "--json"], catch_exceptions=False)
    found = json.loads(told.stdout)
    assert (told.exit_code, found["ok"], found["bot"], found["league"]) == (0, True, "ada", "class"), told.output
    assert found["matches"] == 4
    told = CliRunner().invoke(bot_main, ["check", str(ada), "--league", str(league)], catch_exceptions=False)
    assert told.output.endswith("ada is ready for class.\n")
    for words, said in (
        (["random", "--league", str(league)], "is a sample bot"),
        ([str(ada), "--league", str(league), "--game", "wichita"], "leave --in-process and --game out"),
        ([str(ada), "--league", str(tmp_path / "no.toml")], "no.toml"),
    ):
        told = CliRunner().invoke(bot_main, ["check", *words])
        assert told.exit_code == 2 and said in told.output, told.output
