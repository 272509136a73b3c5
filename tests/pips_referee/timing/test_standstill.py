"""Waits that leave out the time for which the whole machine stood still."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from pips_referee.timing import standstill
from pips_referee.timing.standstill import BEATS, patience, standstills
from tests.lab.nights.virtual import BEGIN_S, Time, VirtualLoop

Run = Callable[[Coroutine[Any, Any, None]], float]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(standstill, "monotonic", time)
    return time


@pytest.fixture
def run(now: Time) -> Run:
    """Runs something on simulated time; returns how long it took."""

    def timed(work: Coroutine[Any, Any, None]) -> float:
        with asyncio.Runner(loop_factory=lambda: VirtualLoop(now, lambda: 0.0)) as runner:
            runner.run(work)
        return now() - BEGIN_S

    return timed


async def wait(seconds: float, at_most_s: float = 100.0) -> None:
    async def wait_for_nothing() -> None:
        async with patience(seconds) as limit:
            if at_most_s < seconds:
                limit.reschedule(asyncio.get_running_loop().time() + at_most_s)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await wait_for_nothing()


async def always_late(now: Time, seconds: float) -> None:
    """Be late so much at once, again and again, until cancelled."""
    while True:
        await asyncio.sleep(0.01)
        now.stand_still(seconds)


def test_a_wait_ends_when_its_time_is_over(run: Run) -> None:
    assert run(wait(10.0)) == pytest.approx(10.0)


@pytest.mark.parametrize("after_s", [0.1, 5.1, 9.9])
def test_a_standstill_does_not_count(now: Time, run: Run, after_s: float) -> None:
    async def stand_still() -> None:
        asyncio.get_running_loop().call_later(after_s, now.stand_still, 60.0)
        await wait(10.0)

    assert 70.0 <= run(stand_still()) <= 70.0 + 10.0 / BEATS


def test_a_wait_ends_on_a_machine_that_is_always_late(now: Time, run: Run) -> None:
    async def stand_still() -> None:
        late = asyncio.create_task(always_late(now, 2.0))
        await wait(10.0)
        late.cancel()

    assert run(stand_still()) < 2 * BEATS * (2.0 + 10.0 / BEATS) + 10.0


def test_what_comes_in_time_ends_the_wait(run: Run) -> None:
    async def come() -> None:
        async with patience(10.0):
            await asyncio.sleep(9.0)
        await asyncio.sleep(9.0)

    assert run(come()) == pytest.approx(18.0)


def test_a_wait_can_be_ended_early(run: Run) -> None:
    assert run(wait(10.0, at_most_s=3.0)) == pytest.approx(3.0)


def test_each_standstill_is_told_once(now: Time, run: Run) -> None:
    told: list[float] = []

    async def hear() -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(1.0, now.stand_still, 60.0)
        loop.call_later(2.0, now.stand_still, 0.3)  # a machine that is busy
        loop.call_later(70.0, now.stand_still, 5.0)
        async for seconds in standstills(now()):
            told.append(seconds)
            if len(told) == 2:
                return

    run(hear())
    assert told == [pytest.approx(60.0, abs=0.1), pytest.approx(5.0, abs=0.1)]


def test_on_a_machine_that_is_always_late_standstills_come_to_an_end(now: Time, run: Run) -> None:
    told: list[float] = []

    async def hear() -> None:
        late = asyncio.create_task(always_late(now, 2.0))
        told.extend([seconds async for seconds in standstills(now())])
        late.cancel()

    run(hear())
    assert len(told) == BEATS
