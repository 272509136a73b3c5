"""A view's answers about its cells, and random actions."""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.cards import parse_card
from pips_referee.games.dominion.battle import odds
from pips_referee.games.dominion.rules import DominionState
from pips_referee.games.dominion.values import PASS, Attack, Conquer, Declare, Resign
from tests.rules.dominion_positions import play, position


def resigning() -> DominionState:
    state = position({0: (1, 1)})
    state.had_armies[0] = True
    state.stage, state.kind = "resign", ""
    state.proceed([])
    return state


def turned(card: str, mine: int = 8) -> DominionState:
    """Cards 0 and 8 of seat 0 against 3 and 5 of seat 1, with a card turned."""
    state = position({0: (0, mine), 3: (1, 5), 8: (0, 2), 5: (1, 1)}, stock=card)
    play(state, Declare())
    return state


def conquering() -> DominionState:
    state = position({0: (0, 8), 3: (1, 5)}, luck={"battle/0/0": (6, 6), "battle/1/0": (1, 1)}, stock="AC")
    play(state, Declare())
    return state


def attacking_again() -> DominionState:
    state = position({0: (0, 8), 3: (1, 9)}, luck={"battle/0/0": (6, 6), "battle/1/0": (6, 6)}, stock="AC")
    play(state, Declare())
    return state


def test_cells() -> None:
    view = position({0: (0, 8), 3: (1, 5)}).view(0)
    assert (view.reach(1), view.reach(4), view.neighbours(4)) == ((0, 2), (1, 7), (1, 3, 5, 7))
    assert (view.is_vertical(4), view.is_vertical(5)) == (True, False)


def test_battles_as_they_stand() -> None:
    view = position({0: (0, 8), 3: (1, 5)}).view(0)
    assert view.advantage(0, 3) == 4
    assert view.odds(0, 3) == odds(4, 8, 5)
    view = turned("2S").view(0)
    assert view.turned == parse_card("2S")
    assert view.advantage(0, 3) == 6
    assert view.odds(0, 3) == odds(6, 8, 5)


@pytest.mark.parametrize(
    "state",
    [
        resigning(),
        position({0: (0, 8), 3: (1, 5)}),
        turned("KH"),
        turned("KS"),
        turned("AC"),
        attacking_again(),
        conquering(),
        position({0: (0, 4), 1: (0, 2)}),
        position({8: (1, 1)}, luck={"deploy/0/0": (2, 3)}),
    ],
    ids=["resign", "declare", "reinforce", "remove", "must-attack", "attack", "conquer", "advance", "deploy"],
)
def test_every_legal_answer_comes_up(state: DominionState) -> None:
    rng, legal = Random(1), set(state.legal_actions())
    assert {state.sample_action(rng) for _ in range(2000)} == legal


def test_a_choice_is_as_likely_as_to_pass() -> None:
    """However many armies could move, and for the first and the last one alike."""
    rng = Random(1)
    state = attacking_again()
    share = sum(state.sample_action(rng) == PASS for _ in range(1000)) / 1000
    assert 0.45 < share < 0.55
    state = resigning()
    assert {type(state.sample_action(rng)) for _ in range(50)} == {type(PASS), Resign}


def test_answers_are_listed_in_a_fixed_order() -> None:
    assert list(attacking_again().legal_actions()) == [PASS, Attack(0, 3)]
    assert list(turned("AC").legal_actions()) == [Attack(0, 3), Attack(8, 5)]
    assert list(conquering().legal_actions()) == [Conquer(count) for count in range(9)]
    assert list(resigning().legal_actions()) == [PASS, Resign()]
