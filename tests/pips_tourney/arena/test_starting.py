"""The clock of a start: a bot's waits for its core do not count."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from time import monotonic, process_time, sleep

import pytest

from pips_referee.timing import standstill
from pips_referee.timing.standstill import BEAT_S, BEATS
from pips_tourney.arena import starting
from pips_tourney.arena.starting import (
    MOST_CREDITED,
    CoreTime,
    StartClock,
    is_surely_over,
)
from tests.lab.nights.virtual import BEGIN_S, Time, VirtualLoop

LOOP = "while True: pass"


class Waits:
    """Replaces the kernel's ledger: given shares of the time waited and run."""

    def __init__(self, share: float, ran: float = 0.0) -> None:
        self.share, self.ran, self.ran_us = share, ran, 0

    def credit_us(self, now: float) -> int:
        self.ran_us = round(1e6 * self.ran * now)
        return round(1e6 * self.share * now)


class Core:
    """Replaces the kernel's account of a core: busy for a share of the time."""

    def __init__(self, share: float) -> None:
        self.share, self.now = share, 0.0

    def busy_us(self) -> int:
        return round(1e6 * self.share * self.now)


def clock_of(share: float, busy: float = 0.0, ran: float = 0.0) -> StartClock:
    core = Core(busy)

    class Clock(StartClock):
        def kept_s(self, now: float) -> float:
            core.now = now
            return super().kept_s(now)

    clock = Clock(10, _core_wait=Waits(share, ran), _core_time=core)  # type: ignore[arg-type]
    clock.begin(0)
    return clock


@pytest.mark.parametrize(
    ("busy", "ran", "over_at", "starved"),
    [
        (0.0, 0.0, 10, False),  # it slept on an idle core
        (1.0, 1.0, 10, False),  # it did all the work itself
        (0.5, 0.0, 20, False),  # half of the time the core was idle
        (0.9, 0.1, 40, True),  # in 40 s it had 4 and the core idled for 4: it never had its ten
        (1.0, 0.0, 40, True),
    ],
)
def test_as_long_as_its_core_works_for_others_a_start_is_not_late(
    busy: float, ran: float, over_at: float, starved: bool
) -> None:
    clock = clock_of(0, busy, ran)
    assert not clock.is_over(over_at - 0.1)
    assert clock.is_over(over_at + 0.2)
    assert clock.is_starved(over_at + 0.2) is starved


def test_the_core_s_account_begins_with_the_request() -> None:
    """Until its keeper gets the core, no process exists, and it waits all the same."""
    clock = clock_of(0, busy=1.0)
    clock._core_wait = None
    assert not clock.is_over(39.9) and clock.is_over(40.1) and clock.is_starved(40.1)


def test_a_core_s_account_grows_with_what_is_done_on_it() -> None:
    core = min(os.sched_getaffinity(0))
    account = CoreTime(core)
    before, cores = account.busy_us(), os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        end = process_time() + 0.2
        while process_time() < end:
            pass
    finally:
        os.sched_setaffinity(0, cores)
    assert account.busy_us() - before > 150_000
    assert CoreTime(None).busy_us() == CoreTime(10**6).busy_us() == 0


def test_who_never_waited_has_the_limit() -> None:
    clock = clock_of(0)
    assert not clock.is_over(10)
    assert clock.is_over(10.1)


def test_who_waited_half_of_the_time_has_twice_the_limit() -> None:
    clock = clock_of(0.5)
    assert not clock.is_over(19.9)
    assert clock.is_over(20.1)


def test_however_long_it_waited_a_start_ends() -> None:
    clock = clock_of(1)
    assert not clock.is_over(10 + 10 * MOST_CREDITED)
    assert clock.is_over(10.1 + 10 * MOST_CREDITED)


def test_a_process_that_was_not_there_yet_is_given_the_limit_alone() -> None:
    clock = StartClock(10)
    clock.begin(5)
    assert not clock.is_over(14)
    assert clock.is_over(16)


@pytest.mark.parametrize(("rivals", "over"), [(4, False), (0, True)])
def test_on_a_core_that_is_shared_the_kernel_tells(rivals: int, over: bool) -> None:
    """A process that computes is over its time; one with a fifth of a core is not."""
    core = min(os.sched_getaffinity(0))
    begun = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(rivals + 1)]
    try:
        for process in begun:
            os.sched_setaffinity(process.pid, {core})
        clock = StartClock(0.3, core)
        clock.begin(monotonic())
        clock.started(begun[0].pid, monotonic())
        sleep(0.6)
        if over:  # whatever else uses this core, it runs for 0.3 s in the end
            while not clock.is_over(monotonic()) and monotonic() < clock._began_s + 2:
                sleep(0.05)
        assert clock.is_over(monotonic()) is over
    finally:
        for process in begun:
            process.kill()
            process.wait()


def test_time_for_which_the_machine_stood_still_is_left_out() -> None:
    clock = StartClock(10.0)
    clock.begin(100.0)
    clock.stood_still(60.0)
    assert not clock.is_over(169.9) and clock.is_over(170.1)


async def test_a_beat_that_comes_too_late_shows_a_standstill(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0 + BEAT_S, 160.0 + 2 * BEAT_S])
    told: list[float] = []
    known = asyncio.Event()

    def at() -> float:
        return next(times, 200.0)

    class Clock(StartClock):
        def stood_still(self, seconds: float) -> None:
            told.append(round(seconds, 3))
            known.set()

    monkeypatch.setattr(standstill, "monotonic", at)
    clock = Clock(10.0)
    clock.begin(100.0)
    beats = asyncio.create_task(clock.leave_out_standstills())
    await known.wait()
    beats.cancel()
    assert told == [60.0]


@pytest.mark.parametrize(("late_s", "at_most_s"), [(0.0, 10.1), (0.6, 10.1 + 0.6 * BEATS), (3.0, 13.1 + 3.0 * BEATS)])
def test_a_start_ends_on_a_machine_that_is_always_late(
    monkeypatch: pytest.MonkeyPatch, late_s: float, at_most_s: float
) -> None:
    now = Time()
    monkeypatch.setattr(standstill, "monotonic", now)
    clock = StartClock(10.0)

    async def start() -> None:
        clock.begin(now())
        beats = asyncio.create_task(clock.leave_out_standstills())
        while not clock.is_over(now()):
            await asyncio.sleep(0.02)
            now.stand_still(late_s)
        beats.cancel()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(now, lambda: 0.0)) as runner:
        runner.run(start())
    assert 10.0 < now() - BEGIN_S < at_most_s


async def test_a_start_that_seems_over_is_looked_at_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = StartClock(10.0)
    clock.begin(100.0)

    def looks() -> Iterator[float]:
        yield 165.0
        clock.stood_still(60.0)  # the beat comes only now
        yield 165.1

    times = looks()
    monkeypatch.setattr(starting, "monotonic", lambda: next(times))
    assert not await is_surely_over(clock)
