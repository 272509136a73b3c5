"""A league from Python, as in a notebook: an event loop is running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pips_tourney
from pips_tourney.play.from_python import NotPlayed
from tests.pips_tourney.in_process import write_league

pytestmark = pytest.mark.unmeasured  # other tests reach these lines


async def test_a_notebook_plays_a_league_and_gets_rows(tmp_path: Path) -> None:
    league = write_league(tmp_path, "ada", "bo", deals=2)
    said: list[str] = []
    part = pips_tourney.run_league(league, tmp_path / "n.db", options=["--minutes", "0"], told=said.append)
    assert (part.complete, len(part.matches)) == (False, len(part.seats) // 2)
    assert any("4 of 4 matches to play" in line for line in said)
    whole = pips_tourney.run_league(league, tmp_path / "n.db", told=said.append)
    assert (whole.complete, len(whole.matches)) == (True, 4)
    assert {(row["table"], row["bot"]) for row in whole.rows} == {("serpent", "ada"), ("serpent", "bo")}
    blocks = {(seat["deal"], seat["rotation"], seat["bot"], seat["seat"]) for seat in whole.seats}
    assert len(blocks) == 8 and sum(seat["place"] == 1 for seat in whole.seats) >= 4
    assert pips_tourney.read_played(tmp_path / "n.db") == whole


@pytest.mark.parametrize(
    ("league", "options", "what"),
    [
        ({"games": ["serpent"]}, [], "the path of its file"),
        ('games = ["serpent"]\ndeals = 1\n', [], "the path of its file"),
        ("l.toml", ["--db=other.db"], "leave --db out"),
    ],
)
def test_what_is_no_path_of_a_league_is_said(league: Any, options: list[str], what: str) -> None:
    with pytest.raises(NotPlayed, match=what):
        pips_tourney.run_league(league, options=options)


@pytest.mark.parametrize("options", [["--help"], "--help"])
def test_where_nothing_was_played_it_is_said(tmp_path: Path, options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_league(tmp_path, "ada", "bo").rename("-l.toml")
    with pytest.raises(NotPlayed, match="nothing was played"):
        pips_tourney.run_league("-l.toml", options=options, told=lambda _: None)


def test_a_mistake_is_raised_with_its_sentence(tmp_path: Path) -> None:
    (tmp_path / "l.toml").write_text("games = []")
    with pytest.raises(NotPlayed, match=r"l\.toml: .* mistake"):
        pips_tourney.run_league(tmp_path / "l.toml", tmp_path / "n.db", told=lambda _: None)
