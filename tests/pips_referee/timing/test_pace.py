"""Turns on a grid of time, with a clock and timers that tests move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from pips.v1 import referee_pb2
from pips_referee.game import AnyState, Event
from pips_referee.match import FaultKind
from pips_referee.records.record import replay
from pips_referee.service.table import Table
from pips_referee.timing.pace import Pace
from pips_referee.turns import turns_of
from tests.pips_referee.house import House, faults_of, serpent_header, two_bots


@dataclass
class Timers:
    """Calls that are due, and when."""

    now_s: float = 100.0
    calls: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def later(self, wait_s: float, call: Callable[[], None]) -> Timer:
        assert wait_s >= 0
        self.calls.append((self.now_s + wait_s, call))
        return Timer(self, self.calls[-1])

    def run(self) -> float:
        """The next of them: when it was due."""
        due_s, call = self.calls.pop(0)
        self.now_s = max(self.now_s, due_s)
        call()
        return due_s


@dataclass
class Timer:
    timers: Timers
    what: tuple[float, Callable[[], None]]

    def cancel(self) -> None:
        if self.what in self.timers.calls:
            self.timers.calls.remove(self.what)


class Scripted:
    """Every event is one turn."""

    def __init__(self) -> None:
        self.passed = 0

    def count(self, events: Sequence[Event], state: AnyState) -> int:
        self.passed += len(events)
        return self.passed


NOTHING: Any = None


def a_pace(timers: Timers) -> Pace:
    return Pace(0.02, Scripted(), lambda: timers.now_s, timers.later)


def put_times(answers: Sequence[tuple[float, int]]) -> list[int]:
    """The times in ms at which questions are put.

    By answer: how long the bot takes, in ms, and how many events the answer brings.
    """
    timers, log, put = Timers(), list[Event](), list[int]()
    pace = a_pace(timers)

    def asked() -> None:
        put.append(round(1000 * (timers.now_s - 100)))

    pace.wait(log, NOTHING, asked)
    timers.run()
    for took_ms, events in answers:
        timers.now_s += took_ms / 1000
        log += [Event()] * events
        pace.wait(log, NOTHING, asked)
        timers.run()
    return put


def test_every_turn_takes_one_step_forced_or_chosen() -> None:
    assert put_times([(1, 1), (19, 1), (0, 2), (5, 2)]) == [0, 20, 40, 80, 120]


def test_who_takes_longer_moves_the_grid_by_whole_steps() -> None:
    assert put_times([(25, 1), (1, 1), (130, 2), (1, 1)]) == [0, 40, 60, 200, 220]


def test_what_passes_no_turn_is_put_at_once() -> None:
    """The same seat is asked twice in one turn."""
    assert put_times([(1, 2), (3, 0), (1, 2)]) == [0, 40, 60, 100]


def test_only_the_last_waits() -> None:
    timers, log = Timers(), [Event()]
    pace = a_pace(timers)
    pace.wait(log, NOTHING, lambda: None)
    pace.wait(log, NOTHING, lambda: None)
    assert len(timers.calls) == 1
    pace.stop()
    pace.stop()
    assert not timers.calls


async def test_a_paced_match_is_the_same_and_takes_its_time(house: House) -> None:
    """It takes at least as long as its turns; questions and answers do not change."""
    a, b = await two_bots(house)
    orders = house.orders()
    for count, pace_ms in enumerate((0, 2), 1):
        begun = monotonic()
        await orders.order(serpent_header(f"{pace_ms}"), ["a/0", "b/0"], referee_pb2.Clock(pace_ms=pace_ms))
        await asyncio.gather(a.play(finishes=count), b.play(finishes=count))
        record = await orders.record()
        turns = turns_of("serpent").count(replay(record).log, replay(record).state)
        assert record.outcome.faults == ()
        assert pace_ms == 0 or monotonic() - begun > 0.9 * turns * pace_ms / 1000


async def test_a_paced_match_that_is_lost_or_void_ends_all_the_same(house: House) -> None:
    await two_bots(house)
    orders = house.orders()
    slow = referee_pb2.Clock(pace_ms=60_000)
    for match_id in ("lost", "void"):
        await orders.order(serpent_header(match_id), ["a/0", "b/0"], slow)
    while len(house.registry.session("a/0").seats) < 2:
        await house.watched()
    (first, _), (second, _) = house.registry.session("a/0").seats.values()
    assert isinstance(first, Table)
    second.void("the test says so")
    assert (await orders.result()).void == "the test says so"
    first.fault(0, FaultKind.CRASH)
    assert first.match.is_over and first._pace is not None
    first._pace.stop()
    first._put_later()
    assert faults_of(await orders.record()) == [(0, "crash")]
