"""Values in every game: whole numbers, for all seats, from what has fallen alone."""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.records.replay import get_text
from pips_referee.worth import FULL, get_features, get_worth, results_of
from tests.contract.cases import CASES, Case, chance

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@every_case
def test_a_value_is_a_share_of_what_all_seats_can_win(case: Case) -> None:
    worth, module = get_worth(case.game_name), get_features(case.game_name)
    for state in case.positions(3, 10):
        rows = module.features(state)
        assert [len(row) for row in rows] == [len(module.NAMES)] * case.seats
        assert all(type(count) is int for row in rows for count in row)
        assert module.left(state) >= 0
        values = worth.values(state)
        assert all(0 <= value <= FULL for value in values)
        assert -case.seats <= sum(values) - FULL * case.seats // 2 <= 0


@every_case
def test_a_value_looks_at_nothing_that_has_not_fallen(case: Case) -> None:
    """The luck ledger's mean is 0 only if a redealt position has the same value."""
    worth = get_worth(case.game_name)
    for state in case.positions(4, 10):
        assert worth.values(state.redeal(Random(5))) == worth.values(state)


@every_case
def test_the_end_of_a_match_is_worth_its_result(case: Case) -> None:
    state, _ = case.start(chance(6))
    rng = Random(6)
    while state.to_ask is not None:
        state.apply(state.sample_action(rng))
    assert get_worth(case.game_name).values(state) == results_of(state.outcome().places)


@every_case
def test_every_question_is_of_some_kind_of_situation(case: Case) -> None:
    """In words, which tell positions of one kind from those of another."""
    text = get_text(case.game_name)
    seen = {text.situation(state.view(state.to_ask)) for state in case.positions(7, 40) if state.to_ask is not None}
    assert len(seen) > 1
    assert all(label and label == label.strip() for label in seen)
