"""Real bots on the same deals: a copy is found by what it plays."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from pips_sdk.samples import sample_files
from pips_tourney.cli.nights import check
from pips_tourney.cli.tourney import main
from pips_tourney.league.read import read_league
from pips_tourney.workshop.checks import same_deals
from pips_tourney.workshop.checks.class_check import ClassReport
from pips_tourney.workshop.checks.likeness import FEWEST_ANSWERS, Likeness, Pair
from tests.needs import needs
from tests.pips_tourney.workshop.test_likeness import STARTERS

BROKEN = "raise ValueError('no weights')"


@needs("bwrap")
@pytest.mark.xdist_group("processes")
@pytest.mark.unmeasured
def test_a_copy_is_found_by_its_code_and_by_what_it_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_deals, "house_sources", lambda _: STARTERS)
    monkeypatch.setattr(same_deals, "QUESTIONS", FEWEST_ANSWERS)
    own = sample_files("wichita")["cautious"].read_text(encoding="utf-8")
    copy = own.replace("FULL_HAND", "ENOUGH").replace("left", "rest").replace("CautiousBot", "Mine")
    for name, text in {"ada": own, "bo": copy, "cy": BROKEN, "dee": BROKEN}.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "bot.py").write_text(text, encoding="utf-8")
    (tmp_path / "class" / "bo" / "link.py").symlink_to("bot.py")
    (tmp_path / "class.toml").write_text('games = ["wichita"]\nbots = ["class/*"]\n', encoding="utf-8")
    found = same_deals.likeness(read_league(tmp_path / "class.toml"))
    (pair,) = found.pairs
    assert (pair.one, pair.other, pair.source, pair.answers) == ("ada", "bo", 1.0, 1.0) and pair.asked >= FEWEST_ANSWERS
    assert found.bots == 4 and sorted(found.left_out) == ["cy", "dee"] and found.same_files == (("cy", "dee"),)


def test_the_check_of_a_class_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Likeness((Pair("ada", "bo", 0.8, 0.996, 500), Pair("ada", "cy", 0.9, None, 0)), 4, {"dee": "exit status 1"})
    monkeypatch.setattr(check, "check_class", lambda *_: ClassReport(()))
    monkeypatch.setattr(check, "visit", lambda _: Mock(lines=list, as_json=dict))
    hidden: list[Path] = []

    def compared(_: object, private: Iterable[Path]) -> Likeness:
        hidden.extend(private)
        return found

    monkeypatch.setattr(check, "likeness", compared)
    league = tmp_path / "class.toml"
    league.write_text(
        'games = ["serpent"]\nbots = [{ name = "a", sample = "random" }, { name = "b", sample = "random" }]\n'
    )
    told = CliRunner().invoke(main, ["check", str(league), "--alike"], catch_exceptions=False).stdout
    assert (
        "ada and bo: 80% of the code, the same answer to 99.6% of 500 questions\nada and cy: 90% of the code\n" in told
    )
    assert "dee could not be played: exit status 1\nBots compared: 4; pairs that are alike: 2.\n" in told
    told = CliRunner().invoke(main, ["check", str(league), "--alike", "--json"], catch_exceptions=False).stdout
    assert json.loads(told)["alike"] == json.loads(json.dumps(found.as_json()))
    assert Path("class.db") in hidden, "no bot reads the night"
    assert CliRunner().invoke(main, ["check", "--alike"]).exit_code == 2
