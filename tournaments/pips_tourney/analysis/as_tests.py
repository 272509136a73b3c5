"""Costly decisions as tests of the bot that made them.

A test asks the bot for its answer in a position. It fails as long as `greedy` and
`cautious` find that the answer costs something in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import NormalDist
from typing import Final

from pips_referee.game import Action, View
from pips_referee.worth import FULL
from pips_sdk import Bot
from pips_sdk._runtime.table import FAILURES
from pips_sdk.positions import position_of, text_of
from pips_sdk.search import Cost
from pips_tourney.analysis.analyse import LEVEL, Analysis, CostlyDecision
from pips_tourney.analysis.costs import Judge, cost_of, judge_of

WORLDS: Final = 400
"""The number of fresh worlds in which each policy weighs each answer of a test."""


@dataclass(frozen=True, slots=True)
class MistakeTest:
    """A position with the bot's answer and the alternatives."""

    mistake: CostlyDecision
    position: str
    costly: tuple[Action, ...]
    """Costly answers, the bot's own first."""
    harmless: tuple[Action, ...]
    """Answers that are not known to cost anything, the best first."""
    cost: Cost
    """The cost of the bot's answer in this position, in millionths of a win."""


def mistake_tests(found: Analysis, bot: type[Bot], rng: Random) -> list[MistakeTest]:
    """Tests of those mistakes that the bot repeats when asked for the position alone.

    A position's text says less than a match. So a mistake is left out if the bot then
    answers differently, or if its cost is no longer beyond doubt.
    """
    judge, tests = judge_of(found.table), list[MistakeTest]()
    half = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / max(1, len(found.mistakes)))
    for mistake in found.mistakes:
        position = text_of(found.table.game.name, mistake.decision.view)
        if position is None:
            continue
        view = position_of(found.table.game.name, position)
        answer = _answer(bot, view)
        if answer == mistake.decision.action:
            tests += _weighed(judge, mistake, position, view, half, rng)
    return tests


def _answer(bot: type[Bot], view: View) -> Action | None:
    """The bot's answer when a test asks it; None if it fails."""
    try:
        return bot().choose(view)
    except FAILURES:  # anything a bot may raise without a match
        return None


def _weighed(
    judge: Judge, mistake: CostlyDecision, position: str, view: View, half: float, rng: Random
) -> Iterator[MistakeTest]:
    """The test, if the answer also costs something in the position."""
    decision = replace(mistake.decision, view=view)
    house = [policy(decision.state) for policy in judge.policies]
    tried = [*dict.fromkeys([decision.action, mistake.better, *house])]
    by_policy = [judge.weigh(decision, tried, rng, WORLDS, policy) for policy in range(len(judge.policies))]
    costs = {action: [cost_of(each, action, mistake.better) for each in by_policy] for action in tried}
    costly = [action for action in tried if all(cost.mean > half * cost.error for cost in costs[action])]
    if decision.action in costly:
        harmless = [action for action in tried if action not in costly]
        best_first = sorted(harmless, key=lambda action: costs[action][0].mean)
        yield MistakeTest(mistake, position, tuple(costly), tuple(best_first), costs[decision.action][0])


def mistakes_file(tests: Sequence[MistakeTest], bot: type[Bot], module: str, game: str) -> str:
    """A pytest file with these tests; `module` is the module of the bot's class."""
    head = f'''"""Mistakes of {bot.__name__}, written by `pips-bot analyse --tests`.

Each test is red until the bot gives a better answer there.
"""

from {module} import {bot.__name__}

from pips_sdk.{game} import position
'''
    return head + "".join(_one(number, test, bot.__name__) for number, test in enumerate(tests, 1))


def _one(number: int, test: MistakeTest, name: str) -> str:
    decision, cost = test.mistake.decision, test.cost
    low, high = (round(100 * end / FULL) for end in cost.interval)
    answers = [[str(action) for action in actions] for actions in (test.costly, test.harmless)]
    return f'''

def test_{number}_{re.sub("[^a-z0-9]+", "_", decision.situation.lower()).strip("_")}() -> None:
    """Match {decision.match[:12]}, seat {decision.seat}, question {decision.number}.

    {answers[0][0]} costs {100 * cost.mean / FULL:.0f} % of a win ({low} to {high}) here.
    In the match it was another amount: a position leaves out what came before.
    """
    view = position({test.position!r})
    harmless = {answers[1]!r}
    assert str({name}().choose(view)) not in {answers[0]!r}, f"better: {{harmless}}"
'''
