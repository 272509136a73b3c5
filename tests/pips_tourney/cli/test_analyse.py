"""`pips-bot analyse` and `pips-tourney analyse`, as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee.records.record import replay as replayed
from pips_referee.records.record import write_record
from pips_tourney.analysis.ledger import night_luck
from pips_tourney.cli.bot import main as bot_main
from pips_tourney.cli.tourney import main
from pips_tourney.night.director import office
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from tests.pips_tourney.analysis.matches import GREEDY, PLANTED, records
from tests.pips_tourney.web.nights import small_night

SHORT = '[{ name = "serpent", options = { hands = 2 } }]'


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of records in which ada has a planted mistake."""
    folder = tmp_path_factory.mktemp("kept")
    for record in records("wichita", [PLANTED["wichita"], GREEDY["wichita"]], 12):
        data = write_record(record.header, replayed(record))
        (folder / f"{record.header.match_id}.pips").write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night that is over."""
    return small_night(tmp_path_factory.mktemp("night"), deals=1, games=SHORT)


def test_records_are_analysed(kept: Path) -> None:
    result = CliRunner().invoke(bot_main, ["analyse", str(kept), "--bot", "ada", "--seconds", "2"])
    assert result.exit_code == 0, result.output
    assert "ada in Wichita, 2 seats" in result.output
    assert "12 matches" in result.output
    assert PLANTED["wichita"].planted in result.output
    assert "What" not in result.output
    for line in result.output.splitlines():
        if "pips-bot ask" in line:
            assert ".pips" in line


@pytest.mark.unmeasured
def test_the_same_as_json(kept: Path) -> None:
    result = CliRunner().invoke(bot_main, ["analyse", str(kept), "--bot", "bo", "--seconds", "1", "--json"])
    (found,) = json.loads(result.output)
    assert (found["bot"], found["game"], found["seats"], found["matches"]) == ("bo", "wichita", 2, 12)
    assert all(low <= each["cost_a_match"] <= high for each in found["situations"] for low, high in [each["interval"]])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.pips"], "nowhere.pips: No such file"),
        (["."], "there is no record"),
        (["KEPT", "--bot", "zed"], "no decision of zed"),
        (["TEXT"], "is no record of a match"),
    ],
)
def test_what_cannot_be_analysed_is_said(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    text = tmp_path / "text.pips"
    text.write_text("hello", encoding="utf-8")
    places = {"KEPT": str(kept), "TEXT": str(text)}
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    result = CliRunner().invoke(bot_main, ["analyse", *[places.get(word, word) for word in words]])
    assert result.exit_code == 2
    assert said in result.output


def test_a_bot_that_is_not_there(night: Path) -> None:
    wrong = CliRunner().invoke(main, ["analyse", str(night), "--bot", "zed"])
    assert (wrong.exit_code, "there is no bot zed" in wrong.output) == (2, True)


@pytest.mark.unmeasured
def test_a_bot_without_a_match_stands_in_no_others_way(tmp_path: Path) -> None:
    path = small_night(tmp_path, deals=1, games=SHORT)
    with office(path) as at:
        at.withdraw("cy", "it did not start", from_start=True)
    told = CliRunner().invoke(main, ["analyse", str(path), "--seconds", "1"])
    assert told.exit_code == 0 and "ada in Serpent, 2 seats" in told.output, told.output
    nothing = CliRunner().invoke(main, ["analyse", str(path), "--bot", "cy"])
    assert nothing.exit_code != 0 and "no match of cy is over" in nothing.output


@pytest.mark.unmeasured
def test_luck_is_told_and_made_again_the_same(night: Path) -> None:
    words = ["analyse", str(night), "--bot", "ada", "--seconds", "1"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 0, told.output
    assert "ada in Serpent, 2 seats" in told.output and "serpent: what luck gave" in told.output
    assert told.output.count("luckiest") == 2 * 3
    first = json.loads(CliRunner().invoke(main, [*words, "--json"]).output)["luck"]
    with read_store(night) as store:
        again = night_luck(last_night(store)).dump()
    assert first == json.loads(json.dumps(again)) and first["matches"]


@pytest.mark.unmeasured
@pytest.mark.parametrize("word", ["my_bot", "my_bot/bot.py", "greedy"])
def test_a_bot_without_a_record_is_told_what_keeps_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_bot").mkdir()
    (tmp_path / "my_bot" / "bot.py").write_text("from pips_sample_bots.serpent.greedy_bot import *\n")
    ended = CliRunner().invoke(bot_main, ["analyse", word])
    assert ended.exit_code == 2
    assert f"  pips-bot play {word} greedy --save kept\n" in ended.stderr
    assert "  pips-bot analyse kept --bot " in ended.stderr
