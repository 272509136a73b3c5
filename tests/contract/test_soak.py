"""A little of `make lab WHAT=soak`: random matches with all seats and options."""

from __future__ import annotations

import pytest

from pips_referee.game import REGISTRY
from tests.contract.cases import Case
from tests.lab.soak import LEAST_A_CASE, soak, soak_cases

pytestmark = pytest.mark.unmeasured  # what it looks for is not a line that nothing else runs
CASES = [case for name in REGISTRY for case in soak_cases(name)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.game_name}: {case.label}")
def test_random_matches_end_by_the_rules(case: Case) -> None:
    assert 0 < soak(case, 3) <= case.longest


@pytest.mark.parametrize("name", REGISTRY)
def test_every_number_of_seats_is_soaked(name: str) -> None:
    cases = soak_cases(name)
    seats = {case.seats for case in cases}
    assert seats == {n for case in cases for n in case.game.seats(case.options)}
    assert len(cases) * LEAST_A_CASE <= 10_000
