"""What an analysis finds: planted mistakes, and nothing without one."""

from __future__ import annotations

from itertools import count

import pytest

from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk.wichita import WichitaView
from pips_tourney.analysis.analyse import Analysis, analyse
from pips_tourney.analysis.decided import decisions
from pips_tourney.reports.analysed import analysis_json, situation_line
from tests.pips_tourney.analysis.matches import EVERY_GAME, GREEDY, PLANTED, records


def looked_at(game: str, matches: int, ticks: float, planted: bool = True) -> Analysis:
    """An analysis whose clock ticks once each time it is read: the same everywhere."""
    bots = [PLANTED[game] if planted else GREEDY[game], GREEDY[game]]
    clock = count()
    (found,) = analyse(records(game, bots, matches), "ada", ticks, clock=lambda: float(next(clock)))
    return found


@pytest.mark.unmeasured
@pytest.mark.parametrize("game", EVERY_GAME)
def test_a_planted_mistake_is_among_the_first_three_situations(game: str) -> None:
    found = looked_at(game, 24, 240)
    first = [loss.situation for loss in found.situations[:3]]
    assert PLANTED[game].planted in first
    planted = next(loss for loss in found.situations if loss.situation == PLANTED[game].planted)
    assert planted.a_match > 0


def test_mistakes_are_shown_with_a_better_answer_and_an_interval_above_0() -> None:
    found = looked_at("wichita", 20, 200)
    assert found.mistakes
    for mistake in found.mistakes:
        assert mistake.better != mistake.decision.action
        assert 0 < mistake.interval[0] <= mistake.cost.mean <= mistake.interval[1]
        assert mistake.other_cost.mean > 0
    costs = [mistake.cost.mean for mistake in found.mistakes]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.unmeasured
def test_a_bot_that_plays_as_the_house_loses_nothing_against_it() -> None:
    found = looked_at("serpent", 4, 60, planted=False)
    assert [loss.cost for loss in found.situations] == [0.0] * len(found.situations)
    assert [loss.interval for loss in found.situations] == [(0.0, 0.0)] * len(found.situations)


def test_one_match_gives_no_interval() -> None:
    """Its decisions are alike: what they cost says nothing of other matches."""
    found = looked_at("wichita", 1, 40)
    assert [loss.interval for loss in found.situations] == [None] * len(found.situations)
    weighed = [loss for loss in found.situations if loss.cost]
    assert weighed
    assert all(situation_line(loss).count("(one match gives no interval)") == 1 for loss in weighed)
    assert {each["interval"] for each in analysis_json([found])[0]["situations"]} == {None}


def test_only_the_bots_own_decisions_are_looked_at() -> None:
    (record,) = records("serpent", [GREEDY["serpent"]] * 2, 1)
    mine, theirs = list(decisions(record, "ada")), list(decisions(record, "bo"))
    assert {decision.seat for decision in mine} == {0}
    assert {decision.seat for decision in theirs} == {1}
    assert [decision.number for decision in mine] == list(range(1, len(mine) + 1))
    assert all(decision.view == decision.state.view(0) for decision in mine)
    assert not list(decisions(record, "cy"))


def test_a_fault_is_no_decision() -> None:
    """Neither the fault nor what the autopilot plays after it."""

    class Crasher(GreedyBot):
        def draw(self, view: WichitaView) -> bool:
            raise RuntimeError(view.kind)

    (record,) = records("wichita", [Crasher, *[GREEDY["wichita"]] * 2], 1)
    assert all(decision.view.kind == "lay" for decision in decisions(record, "ada"))
    assert len(list(decisions(record, "bo"))) > 3
