"""What Pip-Pip!'s network is told, and that it was taught by the same rules."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pips_referee.cards import CARDS, Suit
from pips_referee.chance import Chance
from pips_referee.games.pippip.rules import GAME, PippipState
from pips_referee.games.pippip.values import FOSDICK, HERVEY, Call, PippipAction, PippipOptions, PippipView, Play
from pips_sample_bots.pippip import outlook
from pips_sample_bots.pippip.greedy_bot import GreedyBot, cards_left
from pips_sample_bots.pippip.outlook import SCALE, Outlook, after, suit_inputs, sure, table_inputs, trick_of
from pips_sdk.search import house
from tests.needs import need, needs

TEACH = Path(__file__).parents[1] / "lab/teach/pippip/teach.py"
OPEN = len(CARDS)
"""Added to a card that lies face up."""


def teach() -> ModuleType:
    spec = importlib.util.spec_from_file_location("teach", TEACH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("g++")
    program: Path = teach().compiled(tmp_path_factory.mktemp("trainer"), "-O1", "-fsanitize=undefined")
    return program


def said(*words: object) -> list[str]:
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.long
@needs("g++")
def test_one_more_network_can_be_taught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = tmp_path / "cards.json"
    shutil.copy(outlook.FILE, written)
    subprocess.run([sys.executable, TEACH, written, "--seats", "3", "--more", "--hands", "1"], check=True)
    before, now = json.loads(outlook.FILE.read_text())["networks"], json.loads(written.read_text())["networks"]
    assert now == {**before, "3": [*before["3"], now["3"][-1]]}
    monkeypatch.setattr(outlook, "FILE", written)
    outlook.networks.cache_clear()
    try:
        state, _ = GAME.start(PippipOptions(), 3, Chance(bytes(32)))
        assert state.to_ask is not None
        view = state.view(state.to_ask)
        values = Outlook(3).values(view, list(view.legal_actions()), cards_left(view))
        assert len({*values}) == len(values)
    finally:
        outlook.networks.cache_clear()


@pytest.mark.parametrize(("seats", "learned"), [(2, "2"), (3, "3"), (5, "4"), (12, "6")])
def test_the_network_is_what_the_file_says(seats: int, learned: str) -> None:
    """Answer by answer; seats that were not taught have the next fewer ones."""
    content = json.loads(outlook.FILE.read_text())
    networks = []
    for entry in content["networks"][learned]:
        ends = np.cumsum([rows * columns for rows, columns in entry["shapes"]])
        assert ends[-1] == len(entry["weights"])
        parts = np.split(np.array(entry["weights"]) / content["unit"], ends[:-1])
        networks.append([part.reshape(shape) for part, shape in zip(parts, entry["shapes"], strict=True)])
    state, _ = GAME.start(PippipOptions(), max(3, seats), Chance(bytes(32)))
    view = state.view(state.to_ask or 0)
    left, actions = cards_left(view), list(view.legal_actions())
    for action, value in zip(actions, Outlook(seats).values(view, actions, left), strict=True):
        then = after(view, action, left)
        trick = trick_of(then)
        inputs, to_come = np.array([suit_inputs(then, trick, suit) for suit in Suit]), 0.0
        for first, first_bias, second, bias, out, out_bias in networks:
            suits = np.maximum(inputs @ first.T + first_bias, 0)
            row = np.concatenate([suits.sum(0), suits[then.next_trumps], table_inputs(then, trick)])
            to_come += (np.maximum(second @ row + bias, 0) @ out.T + out_bias).item() / len(networks)
        assert value == pytest.approx(sure(then, trick) + SCALE * to_come)


def hand_like(seats: int, rules: str, deck: list[int], trumps: int, leader: int) -> PippipState:
    """The first hand of a match with that deck."""
    options = PippipOptions(rules, hands=1)
    state, _ = GAME.start(options, seats, Chance(bytes(32)))
    assert isinstance(state, PippipState)

    class Stacked(Chance):
        def shuffled(self, name, items, first=None):  # type: ignore[no-untyped-def]
            return [CARDS[card] for card in deck]

        def index(self, name: str, stop: int) -> int:
            return 13 * trumps

    state.chance = Stacked(bytes(32))
    state.hand_number, state.hands = 1, 2  # the next hand cuts for its trumps
    state.dealer = (leader - 2) % seats
    state.points = [0] * seats
    state.deal([])
    state.settle([])
    return state


def action_of(word: str) -> PippipAction:
    card, *suits = map(int, word.split(","))
    return Play(CARDS[card % OPEN], card >= OPEN) if card >= 0 else Call(tuple(map(Suit, suits)))


@pytest.mark.parametrize(("seats", "rules"), [(2, HERVEY), (3, FOSDICK), (4, HERVEY), (6, FOSDICK)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_trainer_plays_by_the_rules_and_sees_the_same(trainer: Path, seats: int, rules: str, seed: int) -> None:
    """Every question, answer, point and input of a hand, and what `greedy` does."""
    lines = iter(said(trainer, "trace", seats, int(rules == FOSDICK), seed))
    trumps, leader = map(int, next(lines).split())
    state = hand_like(seats, rules, list(map(int, next(lines).split())), trumps, leader)
    greedy = house(GreedyBot, PippipOptions(rules, hands=2), seats)
    asked = 0
    while state.to_ask is not None and state.hand_number == 2:
        turn, trumps_now, count, usual, chosen, *points = next(lines).split()
        view = state.view(state.to_ask)
        assert (state.to_ask, state.trumps) == (int(turn), int(trumps_now))
        assert state.points == list(map(int, points[:seats]))
        assert greedy(state) == action_of(usual)
        told = dict(inputs_told(lines, int(count)))
        legal = [action for action in view.legal_actions() if not isinstance(action, Call) or len(action.suits) <= 3]
        assert set(told) == set(legal)
        left = cards_left(view)
        for action, inputs in told.items():
            assert seen(view, action, left) == pytest.approx(inputs, abs=1e-4)
        state.apply(action_of(chosen))
        asked += 1
    assert asked > 104 / 2
    assert state.points == list(map(int, next(lines).split()))[:seats]


def inputs_told(lines: Iterator[str], count: int) -> Iterator[tuple[PippipAction, list[float]]]:
    for _ in range(count):
        word, *suits = next(lines).split()
        yield action_of(word), [*map(float, suits), *map(float, next(lines).split())]


def seen(view: PippipView, action: PippipAction, left: list[int]) -> list[float]:
    then = after(view, action, left)
    trick = trick_of(then)
    suits = [number for suit in Suit for number in suit_inputs(then, trick, suit)]
    return [sure(then, trick), *suits, *table_inputs(then, trick)]
