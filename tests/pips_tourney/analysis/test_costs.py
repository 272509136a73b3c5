"""The intervals of costs: that they hold, also where few worlds differ."""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.worth import FULL as WIN
from pips_sdk.search import Alternatives
from pips_sdk.wichita import DrawOn
from pips_tourney.analysis.costs import cost_of, judge_of
from pips_tourney.analysis.decided import KindOfTable, decisions
from tests.pips_tourney.analysis.matches import GREEDY, records

ANSWERS = DrawOn(True), DrawOn(False)
WORLDS = 200
TRIES = 2000


def test_an_answer_costs_nothing_against_itself_but_that_is_never_certain() -> None:
    (record,) = records("serpent", [GREEDY["serpent"]] * 2, 1)
    judge, decision = judge_of(KindOfTable.of(record)), next(iter(decisions(record, "ada")))
    cost = judge.cost(decision, decision.action, Random(1), 8)
    assert cost.mean == 0
    assert cost.error == pytest.approx(2**0.5 * WIN / 10)


@pytest.mark.unmeasured
@pytest.mark.parametrize("turns", [0.0005, 0.005, 0.02, 0.1, 0.4])
@pytest.mark.parametrize("both_ways", [False, True])
def test_intervals_hold_however_rarely_a_match_turns(turns: float, both_ways: bool) -> None:
    rng, held = Random(f"{turns}{both_ways}"), 0
    for _ in range(TRIES):
        lost = [WIN if rng.random() < turns else 0 for _ in range(WORLDS)]
        won = [WIN if both_ways and rng.random() < turns else 0 for _ in range(WORLDS)]
        low, high = cost_of(Alternatives(ANSWERS, (tuple(won), tuple(lost))), *ANSWERS).interval
        held += low <= (0 if both_ways else turns * WIN) <= high
    assert held / TRIES > 0.94
