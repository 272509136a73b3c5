"""The stopwatch of the tests leaves out what others took of the machine."""

from __future__ import annotations

from types import SimpleNamespace

import psutil
import pytest

from tests.machine import Stopwatch


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time on the clock, and what was taken from either of two cores by then."""
    told = [100.0, 7.0, 0.0]
    monkeypatch.setattr("tests.machine.monotonic", lambda: told[0])
    monkeypatch.setattr(psutil, "cpu_times", lambda percpu: [SimpleNamespace(steal=taken) for taken in told[1:]])
    return told


def test_what_was_taken_from_the_core_of_which_most_was_is_not_counted(cores: list[float]) -> None:
    watch = Stopwatch()
    cores[:] = [104.0, 8.0, 3.0]
    assert watch.taken_s() == pytest.approx(3.0)
    assert watch.had_s() == pytest.approx(1.0)


def test_of_a_time_in_the_past_the_worst_is_taken(cores: list[float]) -> None:
    watch = Stopwatch()
    for second in range(1, 11):
        cores[0] += 1
        cores[2] += 0.75 if second in (4, 5) else 0.0
        watch.look()
    assert watch.had_at_least_s(1.0) == pytest.approx(0.25)
    assert watch.had_at_least_s(2.0) == pytest.approx(0.5)
    assert watch.had_at_least_s(8.0) == pytest.approx(6.5)
    cores[0] += 50
    assert watch.had_at_least_s(50.0) == pytest.approx(48.5)


def test_a_machine_that_tells_of_nothing_had_all_the_time(cores: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "cpu_times", lambda percpu: [SimpleNamespace(user=1.0)])
    watch = Stopwatch()
    cores[0] += 4
    assert watch.had_s() == watch.had_at_least_s(4.0) == 4.0
