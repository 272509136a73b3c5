"""A game of another wheel fails in the middle of a match: each command says where."""

from __future__ import annotations

import re
import sys
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee.game import AnyGame
from pips_tourney.cli.bot import main as bot
from pips_tourney.cli.tourney import main as tourney
from pips_tourney.web.live.seats import Seats

MISTAKES = {"Held": "pig.PigState.apply", "PigView": "pig.PigState.view", "Outcome": "pig.PigState.outcome"}
"""Names that the game's module has lost, and where it misses them."""
TABLE = ["random", "random", "--game", "pig", "--option", "goal=9", "--seed", "a"]


def told(output: str, place: str) -> None:
    """One sentence names the game and its line, and only its own lines follow."""
    why = rf"the game pig failed in {place} \(line \d+ of .*pig/__init__\.py\): TypeError: .*\nTraceback"
    assert len(re.findall(rf"Error: {why}", output)) == 1, output
    assert not re.search("/(click|pips_[a-z]+)/", output.partition("Traceback")[2])


@pytest.mark.parametrize(
    ("command", "lost"), [*product(["human", "play", "watch", "compare"], MISTAKES), ("human", "Roll")]
)
def test_a_match_that_fails_says_where(pig: AnyGame, monkeypatch: pytest.MonkeyPatch, command: str, lost: str) -> None:
    monkeypatch.setattr(sys.modules["pig"], lost, None)
    more = {"watch": ["--delay", "0"], "play": ["-n", "2"]}.get(command, [])
    words = ["human", "pig", *TABLE[4:]] if command == "human" else [command, *TABLE, "--in-process", *more]
    ended = CliRunner().invoke(bot, words, input="hold\n" * 200)
    assert ended.exit_code == 2
    told(ended.stderr, MISTAKES.get(lost, "pig.PigView.legal_actions"))


def test_a_record_that_cannot_be_shown_any_more_says_where(
    pig: AnyGame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    CliRunner().invoke(bot, ["play", *TABLE, "--in-process", "-n", "2", "--save", str(tmp_path)])
    record = str(min(tmp_path.iterdir()))
    monkeypatch.setattr(sys.modules["pig"], "Threw", None)
    for main, words in (
        (tourney, ["replay", record, "--all"]),
        (bot, ["ask", record, "--seat", "0", "--question", "1"]),
    ):
        ended = CliRunner().invoke(main, words)
        assert ended.exit_code == 2
        told(ended.stderr, "pig.PigState.throw")


@pytest.mark.parametrize("lost", [*MISTAKES, "Roll"])
def test_a_person_at_a_browser_is_told(
    pig: AnyGame, monkeypatch: pytest.MonkeyPatch, lost: str, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys.modules["pig"], lost, None)
    seats = Seats()
    seat = seats.take({"game": "pig", "options": {"goal": 9}, "seed": "a"})
    number, state = 1, seat.state(0)
    while not state["failed"]:
        assert not state["over"]
        seat.answer(number, "hold")
        number, state = number + 1, seat.state(0)
    assert state["ask"] is None
    assert MISTAKES.get(lost, "pig.PigView.legal_actions") in caplog.text
    seats.close()
