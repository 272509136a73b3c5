"""Imagined worlds: whatever a seat imagines agrees with all it knows, and can be played
on to the end.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pips.v1 import game_pb2
from pips_referee.game import View
from pips_referee.wire import get_wire
from tests.contract.cases import CASES, Case, chance, dump, inside
from tests.contract.test_state import some_legal

pytestmark = pytest.mark.unmeasured  # the same lines again, in many worlds

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
MOST = 30
"""Positions of a match that are imagined; of longer matches every second one, or third.
"""


def sent(case: Case, view: View) -> bytes:
    message = game_pb2.GameView()
    get_wire(case.game_name).write_view(view, message)
    return message.SerializeToString(deterministic=True)


@every_case
def test_a_world_looks_the_same_and_asks_the_same(case: Case) -> None:
    """Byte by byte, at questions of all kinds; the answers that are legal are the same
    ones.
    """
    rng = Random(3)
    for number in (1, 2):
        for state in case.positions(number, MOST):
            assert state.to_ask is not None
            view = state.view(state.to_ask)
            world = view.sample_world(rng)
            assert (world.to_ask, world.kind) == (state.to_ask, state.kind)
            assert sent(case, world.view(state.to_ask)) == sent(case, view)
            assert some_legal(world) == some_legal(state)


@every_case
def test_a_world_can_be_played_to_its_end(case: Case) -> None:
    rng = Random(4)
    for state in case.positions(1, 3):
        assert state.to_ask is not None
        world = state.view(state.to_ask).sample_world(rng)
        while world.to_ask is not None:
            world.apply(world.sample_action(rng))
        assert len(world.outcome().places) == case.seats


@every_case
def test_a_world_holds_the_cards_there_are(case: Case) -> None:
    """What a world has that the truth has not is only what the seat cannot see."""
    holdings = inside(case.game_name).holdings
    rng = Random(5)
    for state in case.positions(2, 10):
        assert state.to_ask is not None
        world = state.view(state.to_ask).sample_world(rng)
        assert set(dump(world)) == set(dump(state))
        assert holdings(world).total() == holdings(state).total()


@every_case
def test_the_same_luck_imagines_the_same_world(case: Case) -> None:
    for state in case.positions(3, 4):
        assert state.to_ask is not None
        view = state.view(state.to_ask)
        one, other, third = (view.sample_world(Random(number)) for number in (1, 1, 2))
        assert dump(one) == dump(other) != dump(third)


@every_case
def test_who_is_not_asked_imagines_nothing(case: Case) -> None:
    state, _ = case.start(chance(1))
    assert state.to_ask is not None
    with pytest.raises(LookupError, match="not asked"):
        state.view((state.to_ask + 1) % case.seats).sample_world(Random(1))


def test_worlds_differ_where_nothing_is_known() -> None:
    """Over many draws every card that the other may hold is held by it about as often
    as any other.
    """
    case = CASES[0]
    state, _ = case.start(chance(1))
    assert state.to_ask is not None
    view, rng = state.view(state.to_ask), Random(6)
    held = Counter(card for _ in range(2000) for card in view.sample_world(rng).hidden[1 - view.seat])
    assert len(held) == 43 and max(held.values()) < 2 * min(held.values())
