"""Every game keeps the laws, with each number of seats and each option of its cases."""

from __future__ import annotations

from itertools import groupby

import pytest

from pips_referee.laws import LAWS, Check, checks_of
from tests.contract.cases import CASES

LEAST = {"nothing_hidden_shows": 3, "what_is_illegal_is_refused_and_changes_nothing": 50}
"""So much has to be compared to show anything; elsewhere one thing."""
CHECKS = [check for name, cases in groupby(CASES, lambda case: case.game_name) for check in checks_of(name, cases)]


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_every_game_keeps_the_laws(check: Check) -> None:
    assert check() >= LEAST.get(check.law.name, 1)


def test_every_law_says_what_it_says() -> None:
    assert all(law.sentence.endswith(".") for law in LAWS)
    assert {check.law for check in CHECKS} == {*LAWS}
