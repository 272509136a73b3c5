"""Every game keeps the laws, with each number of seats and each option of its cases."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest

from pips_referee.laws import LAWS, Check, checks_of
from tests.contract.cases import CASES

LEAST = {"nothing_hidden_shows": 3, "what_is_illegal_is_refused_and_changes_nothing": 50}
"""So much has to be compared to show anything; elsewhere one thing."""
CHECKS = [check for name, cases in groupby(CASES, lambda case: case.game_name) for check in checks_of(name, cases)]
SAME_LINES = {"pips_referee.laws.play", "pips_referee.laws.twins", "pips_referee.laws.elsewhere"}
"""Where matches run the same lines of the rules again and again."""


def marked(check: Check) -> Any:
    same = check.law.tries.__module__ in SAME_LINES and "turn" not in check.law.name
    marks = [pytest.mark.unmeasured] if same else []
    return pytest.param(check, marks=marks, id=str(check))


@pytest.mark.parametrize("check", [*map(marked, CHECKS)])
def test_every_game_keeps_the_laws(check: Check) -> None:
    assert check() >= LEAST.get(check.law.name, 1)


def test_every_law_says_what_it_says() -> None:
    assert all(law.sentence.endswith(".") for law in LAWS)
    assert {check.law for check in CHECKS} == {*LAWS}
