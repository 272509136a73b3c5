"""Tests of GAME_TITLE: install it (`pip install -e .`), then run `pytest` here."""

import pytest
from my_game import GAME, TURNS, Dare, MyGameState, Safe

from pips_referee.chance import Chance
from pips_referee.laws import Check, checks_of

SEEDS = [bytes([number]) * 32 for number in range(5)]


@pytest.mark.parametrize("check", checks_of(GAME.name), ids=str)
def test_it_keeps_the_laws_of_all_games(check: Check) -> None:
    check()


def test_clause_2() -> None:
    for seed in SEEDS:
        state = MyGameState(2, Chance(seed))
        assert [event.points for event in state.apply(Safe())] == [2]
        assert state.apply(Dare())[0].points in {0, 5}


def test_clause_1() -> None:
    state = MyGameState(2, Chance(SEEDS[0]))
    for _ in range(2 * TURNS):
        assert state.to_ask is not None
        state.apply(Safe())
    assert state.to_ask is None
