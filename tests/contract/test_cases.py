"""What the cases of every game cover, and what only a look inside a state can tell."""

from __future__ import annotations

from dataclasses import fields
from random import Random

import pytest

from pips_referee.game import REGISTRY
from tests.contract.cases import CASES, Case, chance, inside

pytestmark = pytest.mark.unmeasured  # the same lines again, in matches of every game, option and number of seats

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


CHANGED_IN_VIEWS = {"hidden", "face_up", "windows_left"}
"""What a view shows of one seat alone, or to one seat alone."""


def test_every_game_has_its_cases() -> None:
    """Its least, usual and most seats, and each of its options."""
    assert {case.game_name for case in CASES} == set(REGISTRY)
    for name in REGISTRY:
        cases = [case for case in CASES if case.game_name == name]
        least = min(cases[0].game.seats(case.options)[0] for case in cases)
        most = max(cases[0].game.seats(case.options)[-1] for case in cases)
        assert {least, most} <= {case.seats for case in cases}
        options = {field for case in cases for field in case.option_values}
        assert options == {field.name for field in fields(cases[0].options)}


@every_case
def test_views_name_things_as_the_state_does(case: Case) -> None:
    """Views are made by position: no two fields of one type may have changed places."""
    compared = set()
    for number in (1, 2):
        for state in case.positions(number, 40):
            view = state.view(state.to_ask or 0)
            for name in type(view).__match_args__:
                held = getattr(state, name, None)
                if isinstance(held, list):
                    held = tuple(held)
                seen = getattr(view, name)
                if type(held) is type(seen) and not isinstance(held, list | bytes | bytearray):
                    compared.add(name)
                    if name not in CHANGED_IN_VIEWS:
                        assert seen == held, name
    assert len(compared) > 4


@every_case
def test_different_seeds_differ(case: Case) -> None:
    logs = []
    for number in range(5):
        state, log = case.start(chance(number))
        rng = Random(1)
        while state.to_ask is not None:
            log += state.apply(state.sample_action(rng))
        logs.append(tuple(log))
    assert len(set(logs)) == 5


@every_case
def test_cards_are_conserved(case: Case) -> None:
    room = inside(case.game_name)
    state, _ = case.start(chance(6))
    rng = Random(6)
    while state.to_ask is not None:
        assert room.holdings(state) == room.whole(state)
        state.apply(state.sample_action(rng))
    assert room.holdings(state) == room.whole(state)
