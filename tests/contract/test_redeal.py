"""Redealt states: what is dealt stays, and what is to come is drawn anew."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from scipy.stats import chisquare

from pips_referee.game import REGISTRY, AnyState
from tests.contract.cases import CASES, Case, chance, inside
from tests.pips_referee.games.even import SURE

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def to_come(state: Any) -> list[Any]:
    """The cards not yet dealt, the next first; Serpent deals a whole hand at once."""
    match type(state).__name__:
        case "WichitaState":
            return list(state.stock[len(state.stock) - state.stock_size :])
        case "PippipState":
            return list(state.deck[state.drawn :])
        case "DominionState":
            return list(state.stock[state.turned_count :])
        case _:
            return []


@every_case
def test_the_pack_is_whole(case: Case) -> None:
    rng = Random(7)
    for state in case.positions(1, 12):
        other = state.redeal(rng)
        assert inside(case.game_name).holdings(other) == inside(case.game_name).holdings(state)
        assert sorted(to_come(other)) == sorted(to_come(state))


@pytest.mark.unmeasured  # the same lines again, in many worlds
@pytest.mark.parametrize("game_name", [name for name in REGISTRY if name != "serpent"])
def test_each_card_is_as_likely_to_be_next(game_name: str) -> None:
    case = next(case for case in CASES if case.game_name == game_name)
    state, rng = case.positions(4, 1)[0], Random(9)
    cards = Counter(to_come(state))
    drawn = [to_come(state.redeal(rng)) for _ in range(4000)]
    for place in (0, -1):
        found = Counter(order[place] for order in drawn)
        assert set(found) == set(cards)
        share = len(drawn) / cards.total()
        assert chisquare([found[card] for card in cards], [share * cards[card] for card in cards]).pvalue > SURE


def test_the_next_hand_of_serpent_is_another() -> None:
    """S1: a hand is dealt at once, so the later ones come from fresh luck."""
    state, _ = CASES[0].start(chance(1))
    hands = Counter(next_hand(state.redeal(Random(number))) for number in range(20))
    assert len(hands) == 20
    assert next_hand(state.copy()) == next_hand(state.copy())


def next_hand(state: AnyState) -> tuple[object, ...]:
    first = state.view(0).hand_number
    while state.view(0).hand_number == first:
        state.apply(next(state.legal_actions()))
    return state.view(0).hidden, state.view(1).hidden
