"""Dominion's bot that thinks by the clock: legal, within its time, and its choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from pips_referee.game import View
from pips_referee.match import Question
from pips_sample_bots.dominion import master_bot
from pips_sample_bots.dominion.master_bot import MOST_MS, MasterBot
from pips_sample_bots.dominion.search_bot import SearchBot
from pips_sdk import Bot, play_match
from pips_sdk.dominion import DominionAction, DominionOptions, DominionView, position
from pips_sdk.search import budget

SMALL = DominionOptions(3, max_rounds=4)


def test_it_takes_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of a second, and with 100 ms on the clock a quarter of that."""
    given: list[int] = []

    def rounds(worlds: int, ms: int) -> Iterator[int]:
        given.append(ms)
        return iter(range(1))

    monkeypatch.setattr(master_bot, "rounds", rounds)
    for size, seats in ((3, 2), (4, 3), (5, 4)):
        options = DominionOptions(size, max_rounds=3)
        assert play_match([MasterBot] * seats, bytes(32), options).outcome.faults == ()
    assert {*given} == {MOST_MS}

    for left_ms, think_ms in ((100, {25}), (99, set[int]())):  # with less it is `search`

        class Late(MasterBot):
            def choose(self, view: DominionView) -> DominionAction:
                self.time_left_ms = left_ms  # noqa: B023 - played before it changes
                return super().choose(view)

        given.clear()
        play_match([Late, MasterBot], bytes(32), SMALL)
        assert {*given} == {*think_ms, MOST_MS}


@pytest.mark.parametrize("world_s", [0.003, 0.03, 0.15])
def test_no_answer_takes_longer(monkeypatch: pytest.MonkeyPatch, world_s: float) -> None:
    """By a clock that goes on by so much with every world."""
    ticks = count()
    monkeypatch.setattr(budget, "monotonic", lambda: next(ticks) * world_s)
    asked, most = 0, 0

    class Timed(MasterBot):
        def choose(self, view: DominionView) -> DominionAction:
            nonlocal asked, most
            before = next(ticks)
            action = super().choose(view)
            passed = next(ticks) - before - 2  # the first look at the clock is no world
            asked, most = asked + (passed > 0), max(most, passed)
            return action

    assert play_match([Timed, SearchBot], bytes(32), SMALL).outcome.faults == ()
    assert asked
    assert 0 < most * world_s <= MOST_MS / 1000


def noted(views: list[View]) -> Callable[[Bot, Question], None]:
    """Called with every question; it adds what the seat sees."""
    return lambda _, question: views.append(question.view)


def test_counted_worlds_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MasterBot, "worlds", lambda self, view: iter(range(8)))
    seen: list[list[View]] = [[], []]
    for views in seen:
        play_match([MasterBot, SearchBot], bytes([7] * 32), SMALL, on_question=noted(views))
    assert seen[0] == seen[1]
    assert len(seen[0]) > 10


def test_it_looks_a_round_further_than_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the match is won before, its playouts end after the next turn but one."""
    view = position("ask: deploy | dice: 3 4 | field: 7H+3 5C 2D-4 AS 9H 3C+1 4S 8D JC-1")
    ends: list[set[int]] = []
    for bot_class in (SearchBot, MasterBot):
        bot, found = bot_class(), set[int]()
        bot.begin(0, 2, SMALL, bytes(32))

        def standing(world: Any, seat: int, found: set[int] = found) -> float:
            found.add(world.round - view.round)
            return 0.0

        monkeypatch.setattr(bot, "standing", standing)
        monkeypatch.setattr(bot, "worlds", lambda view: iter(range(5)))
        bot.choose(view)
        ends.append(found)
    assert [max(found) for found in ends] == [1, 2]
