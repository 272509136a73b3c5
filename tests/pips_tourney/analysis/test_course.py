"""The course of one match: expected results, luck, costly answers."""

from __future__ import annotations

import pytest

from pips_referee.records.record import replay
from pips_referee.worth import get_worth
from pips_tourney.analysis.course import course, expected
from pips_tourney.analysis.luck import match_luck
from tests.pips_tourney.analysis.matches import GREEDY, PLANTED, records

KEY = bytes(32)


@pytest.mark.parametrize("game", list(GREEDY))
def test_expected_results_end_with_the_result(game: str) -> None:
    (record,) = records(game, [GREEDY[game]] * 2, 1)
    values, history = expected(record), replay(record).history
    assert len(values) == len(history) + 1
    assert len({*values}) > len(history) // 4  # they move
    best = max(values[-1])
    assert [value == best for value in values[-1]] == [place == 1 for place in record.outcome.places]


def test_a_course_says_at_which_step_luck_and_mistakes_were() -> None:
    (record,) = records("wichita", [PLANTED["wichita"], GREEDY["wichita"]], 1)
    found = course(record, KEY, seconds=1.0)
    luck = match_luck(record, get_worth("wichita"), KEY)
    assert (found.luck, found.totals) == (luck.moments, luck.totals)
    history = replay(record).history
    for step, mistake in found.mistakes:
        reply = history[step - 1]
        assert (reply.seat, reply.number) == (mistake.decision.seat, mistake.decision.number)
        assert reply.action == mistake.decision.action != mistake.better
        assert mistake.interval[0] <= mistake.cost.mean <= mistake.interval[1]
    costs = [mistake.cost.mean for _, mistake in found.mistakes]
    assert costs == sorted(costs, reverse=True)
