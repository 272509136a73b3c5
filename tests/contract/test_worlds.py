"""Imagined worlds: whatever a seat imagines agrees with all it knows, and can be played
on to the end.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.contract.cases import CASES, Case, chance, dump, inside

pytestmark = pytest.mark.unmeasured  # the same lines again, in many worlds

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
MOST = 30
"""Positions of a match that are imagined; of longer matches every second one, or third.
"""


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
