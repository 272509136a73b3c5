"""A scrimmage is played by the league's table, clock and sandbox."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from pips_referee.records.record import read_record
from pips_tourney.workshop.checks import scrimmage as module
from pips_tourney.workshop.checks.scrimmage import scrimmage
from tests.needs import needs

pytestmark = [needs("bwrap"), pytest.mark.xdist_group("processes"), pytest.mark.unmeasured]

RUN = "\n\nif __name__ == '__main__':\n    run(Mine)\n"
LAYS_NOTHING = f"""from pips_sdk import run
from pips_sdk.wichita import WichitaBot


class Mine(WichitaBot):
    def lay(self, view):
        return ()
{RUN}"""
OF_LEAGUE = 'bots = [{ name = "r", sample = "random" }, { name = "g", sample = "greedy" }]\n'
GREEDY = {"name": "sample greedy", "sample": "greedy"}


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEALS", 10)
    monkeypatch.setattr(module, "BUDGET_S", 600.0)


def played(folder: Path, text: str, other: dict[str, Any] = GREEDY, games: str = '["wichita"]') -> dict[str, Any]:
    (folder / "ada").mkdir()
    (folder / "ada" / "bot.py").write_text(text, encoding="utf-8")
    league = folder / "class.toml"
    league.write_text(f"games = {games}\n{OF_LEAGUE}", encoding="utf-8")
    return scrimmage(league, {"name": "ada v2", "path": str(folder / "ada")}, other, [folder / "class.db"])


def test_a_weak_bot_reads_how_much_it_lost_and_one_match(tmp_path: Path) -> None:
    found = played(tmp_path, LAYS_NOTHING)
    said = "\n".join(found["lines"])
    assert found["against"] == "sample greedy"
    assert "ada v2 won 0, drew 0, lost 20: 0.0 % against sample greedy" in said
    assert "weaker than ada v2" not in said and "at least" in said
    lost = read_record(b64decode(found["lost"]))
    assert set(lost.header.names) == {"ada v2", "sample greedy"}
    assert lost.outcome.places[lost.header.names.index("ada v2")] == 2


def test_more_seats_and_games_are_the_leagues(tmp_path: Path) -> None:
    games = '[{ name = "wichita", seats = 3, options = { decks = 2 } }, { name = "serpent" }]'
    text = LAYS_NOTHING.replace(
        "import WichitaBot", "import WichitaBot\nfrom pips_sdk.serpent import SerpentBot"
    ).replace("run(Mine)", "run(Mine, SerpentBot)")
    said = "\n".join(played(tmp_path, text, games=games)["lines"])
    assert "Wichita:" in said and "Serpent:" in said
    assert "was placed above it" in said, "house bots have the other seats"


def test_when_its_time_is_over_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUDGET_S", -1.0)
    found = played(tmp_path, LAYS_NOTHING)
    assert found["lines"][0] == "Stopped after 0 of 20 matches." and found["lost"] == ""


def test_a_bot_that_does_not_start_says_why(tmp_path: Path) -> None:
    found = played(tmp_path, "raise ValueError('no weights')\n")
    assert "no weights" in "\n".join(found["lines"]) and found["lost"] == ""
