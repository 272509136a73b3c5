"""The clock of a start: what a bot waits for its core is not its own."""

from __future__ import annotations

import os
import subprocess
import sys
from time import monotonic, sleep

import pytest

from pips_tourney.arena.starting import MOST_CREDITED, StartClock

LOOP = "while True: pass"


class Waits:
    """In place of the kernel's ledger: half of the time was waited."""

    def __init__(self, share: float) -> None:
        self.share = share

    def credit_us(self, now: float) -> int:
        return round(1e6 * self.share * now)


def clock_of(share: float) -> StartClock:
    clock = StartClock(10, _core_wait=Waits(share))  # type: ignore[arg-type]
    clock.begin(0)
    return clock


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
    """One that computes is over its time; one that had a fifth of a core meanwhile is not."""
    core = min(os.sched_getaffinity(0))
    begun = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(rivals + 1)]
    try:
        for process in begun:
            os.sched_setaffinity(process.pid, {core})
        clock = StartClock(0.3)
        clock.begin(monotonic())
        clock.started(begun[0].pid, monotonic())
        sleep(0.6)
        if over:  # whoever else uses this core, it runs for 0.3 s in the end
            while not clock.is_over(monotonic()) and monotonic() < clock._began_s + 2:
                sleep(0.05)
        assert clock.is_over(monotonic()) is over
    finally:
        for process in begun:
            process.kill()
            process.wait()
