"""`pips-tourney balance`: planted faults of a game are found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pips_referee import installed
from pips_referee.game import get_game, places_of
from pips_referee.laws import chance
from pips_referee.worth import results_of
from pips_tourney.cli.tourney import main

TILTED = """
from collections.abc import Iterator
from typing import Annotated
from msgspec import Meta
from pips_referee.game import Action, Event, Game, Outcome, State, Value, View, places_of

class Take(Value, Action):
    points: Annotated[int, Meta(ge=0, le=2)]

class Nod(Value, Action):
    pass

class Said(Value, Event):
    pass

class TiltedView(Value, View):
    seat: int
    kind: str
    def legal_actions(self) -> Iterator[Take | Nod]:
        return iter({"take": [Take(0), Take(1), Take(2)], "nod": [Nod()], "": []}[self.kind])

class TiltedState(State):
    def __init__(self, points):
        self.points, self.to_ask, self.kind = points, 0, "nod"
    def view(self, seat):
        return TiltedView(seat, self.kind if seat == self.to_ask else "")
    def apply(self, action):
        if self.kind == "nod":
            self.kind = "take"
            return []
        self.points[self.to_ask] += action.points
        self.to_ask = self.to_ask + 1 if self.to_ask + 1 < len(self.points) else None
        self.kind = "" if self.to_ask is None else "take"
        return []
    def outcome(self):
        return Outcome(places_of(self.points), tuple(self.points))

class Tilted(Game[TiltedView, Take | Nod, Said]):
    name, title, rules_version, kinds = "tilted", "Tilted", 1, ("take", "nod", "sing")
    def seats(self, options):
        return range(2, 4)
    def start(self, options, seats, chance):
        return TiltedState([chance.index(f"gift/{seat}", 3) + (seat == 0) for seat in range(seats)]), []
    def longest(self, options, seats):
        return seats + 1

GAME = Tilted()
"""
GREEDY = """
from pips_sdk import GameBot

class Greedy(GameBot):
    game = "tilted"
    def choose(self, view):
        return [*view.legal_actions()][-1]
"""


@pytest.fixture(autouse=True)
def tilted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Seat 0 is ahead, `nod` decides nothing, and `sing` never comes."""
    (tmp_path / "tilted" / "bots").mkdir(parents=True)
    (tmp_path / "tilted" / "__init__.py").write_text(TILTED, encoding="utf-8")
    (tmp_path / "tilted" / "bots" / "__init__.py").touch()
    (tmp_path / "tilted" / "bots" / "greedy_bot.py").write_text(GREEDY, encoding="utf-8")
    monkeypatch.setenv(installed.VARIABLE, f"{installed.told()} tilted=tilted:GAME")
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (installed.places, get_game):
        cached.cache_clear()
    yield
    for cached in (installed.places, get_game):
        cached.cache_clear()


def said(*words: str) -> Result:
    return CliRunner().invoke(main, ["balance", "tilted", "--in-process", "--seed", "s", *words])


def deal_decides(seats: int) -> float:
    """The deal's share of the variance of results, over all gifts and answers."""
    draws = [*product(range(3), repeat=seats)]
    results = np.array(
        [
            [results_of(places_of(np.add(gift, taken) + np.eye(seats, dtype=int)[0])) for taken in draws]
            for gift in draws
        ]
    )
    return float(results.mean(axis=1).var(axis=0).sum() / results.var(axis=(0, 1)).sum())


@pytest.mark.parametrize("seats", [2, 3])
def test_what_was_planted_is_found(seats: int) -> None:
    result = said("-n", "200", "--seats", str(seats), "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["results"][0]["low"] > 0.5 > told["results"][1]["high"]
    assert told["luck"]["low"] <= deal_decides(seats) <= told["luck"]["high"]
    assert told["kinds"]["nod"] == {
        "asked": 200 * seats,
        "alone": 200 * seats,
        "answers": 200 * seats,
        "too_many": False,
    }
    assert (
        told["kinds"]["take"]["alone"] == 0 and told["kinds"]["take"]["answers"] == 3 * told["kinds"]["take"]["asked"]
    )
    assert sorted(answer for answer, _ in told["never"]) == ["take 0", "take 1"]
    assert (told["shortest"], told["longest"], told["promised"]) == (seats + 1, seats + 1, seats + 1)
    assert told["strong"] == "greedy" and told["difference"]["low"] > 0


def test_its_words() -> None:
    result = said("-n", "60")
    assert result.exit_code == 0, result.output
    for sentence in (
        "The seats are not equal: seat 0 more, seat 1 less than half.",
        "nod: 120 questions, 1.0 answers each; 120 with one legal answer, which decides nothing.",
        "Never asked: sing.",
        "greedy is",
    ):
        assert sentence in result.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--strong", "wise"], "there is no sample bot 'wise' for tilted; there are greedy, random"),
        (["--seats", "5"], "tilted is for 2 to 3 seats, not 5"),
        (["-n", "1"], "a balance takes 2 deals or more that were played from every seat, not 1"),
    ],
)
def test_what_cannot_be_judged_is_said(words: list[str], sentence: str) -> None:
    result = said(*words)
    assert result.exit_code == 2
    assert sentence in result.output


def test_few_deals_say_nothing_sure() -> None:
    result = said("-n", "10")
    assert result.exit_code == 0, result.output
    assert "10 deals say nothing sure: play 50 or more." in result.output


def test_a_game_that_fails_is_said_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    tilted = type(get_game("tilted").start(get_game("tilted").options(), 2, chance(0))[0])
    monkeypatch.setattr(tilted, "apply", lambda self, action: {}[action])
    result = said("-n", "2")
    assert result.exit_code == 2
    assert "KeyError" in result.output and not isinstance(result.exception, KeyError)


def test_what_the_strong_bot_was_not_asked_is_not_missing_from_its_answers() -> None:
    """Random is asked with more cards, and so with more answers, than greedy is."""
    words = ["wichita", "-n", "6", "--in-process", "--strong", "greedy", "--seed", "s"]
    told = json.loads(CliRunner().invoke(main, ["balance", *words, "--json"]).stdout)
    printed = CliRunner().invoke(main, ["balance", *words]).output
    assert told["kinds"]["lay"]["too_many"] and "lay" not in told["unlisted"]
    assert "lay nothing (random: about" in printed and "Not looked at" not in printed
    assert "2 seats. 6 deals" in printed and ": 1 questions" not in printed
