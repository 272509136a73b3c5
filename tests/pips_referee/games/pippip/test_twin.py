"""The rules against their plain twin: the same questions, legal answers and points."""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.games.pippip.rules import GAME, PippipState
from pips_referee.games.pippip.values import Call, PippipAction, PippipOptions
from tests.pips_referee.games.pippip.twin import Legal, Turns, Twin

CASES = [("fosdick", seats) for seats in range(3, 13)] + [("hervey", seats) for seats in range(2, 13)]


@pytest.mark.parametrize("eager", [False, True], ids=["random", "calling-all"])
@pytest.mark.parametrize("windows", ["house", "fosdick", "hervey"])
@pytest.mark.parametrize(("rules", "seats"), CASES)
def test_the_twin_agrees_on_every_question(rules: str, seats: int, windows: str, eager: bool) -> None:
    chance, rng = Chance(bytes([seats] * 32)), Random(seats)
    hands = 6 if seats == 3 else 1 if seats > 8 and windows != "house" else None
    state, _ = GAME.start(PippipOptions(rules, windows=windows, hands=hands), seats, chance)
    twin = Twin(rules, state.hands, seats, chance, windows)
    turns = twin.play()
    legal = next(turns)
    while state.to_ask is not None:
        compare(state, twin)
        assert set(state.legal_actions()) == legal
        action = all_pairs(state, rng) if eager and state.kind == "call" else state.sample_action(rng)
        state.apply(action)
        legal = next_legal(turns, action)
    compare(state, twin)
    assert legal == set()


def next_legal(turns: Turns, action: PippipAction) -> Legal:
    """The twin's next legal answers; none when its match is over."""
    try:
        return turns.send(action)
    except StopIteration:
        return set()


def all_pairs(state: PippipState, rng: Random) -> Call:
    """All pairs that can be called, in a random order."""
    suits = list(state.callable)
    rng.shuffle(suits)
    return Call(tuple(suits))


def compare(state: PippipState, twin: Twin) -> None:
    assert state.to_ask == twin.asked
    assert list(state.outcome().scores) == twin.points
    assert state.trumps == twin.trumps
    for seat, hand in enumerate(twin.hands):
        assert state.hidden[seat] == sorted(piece.card for piece in hand if not piece.face_up)
        assert sorted(state.face_up[seat]) == sorted(piece.card for piece in hand if piece.face_up)
