"""Situations in every game: their words tell positions of one kind from others."""

from __future__ import annotations

import pytest

from pips_referee.records.replay import get_text
from tests.contract.cases import CASES, Case

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@every_case
def test_every_question_is_of_some_kind_of_situation(case: Case) -> None:
    """In words, which tell positions of one kind from those of another."""
    text = get_text(case.game_name)
    seen = {text.situation(state.view(state.to_ask)) for state in case.positions(7, 40) if state.to_ask is not None}
    assert len(seen) > 1
    assert all(label and label == label.strip() for label in seen)
