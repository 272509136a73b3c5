"""How long a search goes on."""

from __future__ import annotations

import itertools

import pytest

from pips_sdk.search import budget, rounds


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (budget.WORLDS_VARIABLE, budget.TIME_VARIABLE):
        monkeypatch.delenv(name, raising=False)


def test_a_number_of_rounds() -> None:
    assert list(rounds(3)) == [0, 1, 2]


def test_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPS_SEARCH_WORLDS", "5")
    assert len(list(rounds(3))) == 5


@pytest.mark.parametrize(("step_s", "done"), [(0.01, 10), (0.03, 4), (60, 1)])
def test_a_time(monkeypatch: pytest.MonkeyPatch, step_s: float, done: int) -> None:
    """A clock that begins at 0 and moves on by a step whenever it is read."""
    clock = itertools.count()
    monkeypatch.setattr(budget, "monotonic", lambda: next(clock) * step_s)
    monkeypatch.setenv("PIPS_SEARCH_MS", "100")
    assert len(list(rounds(3))) == done


@pytest.mark.parametrize(("step_s", "done"), [(0.01, 9), (0.03, 3), (60, 1), (0.0001, 50)])
def test_a_time_that_is_kept(monkeypatch: pytest.MonkeyPatch, step_s: float, done: int) -> None:
    """No round begins that would end late, and there are no more than asked for."""
    clock = itertools.count()
    monkeypatch.setattr(budget, "monotonic", lambda: next(clock) * step_s)
    assert len(list(rounds(50, ms=100))) == done
    assert done == 1 or done * step_s <= 0.1


def test_a_long_round_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """After one of 40 ms there is no time for another within 100."""
    clock = iter([0.0, 0.01, 0.05, 0.09])
    monkeypatch.setattr(budget, "monotonic", lambda: next(clock))
    assert list(rounds(50, ms=100)) == [0, 1, 2]


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPS_SEARCH_WORLDS", "5")
    assert len(list(rounds(3, ms=1))) == 5


@pytest.mark.parametrize("text", ["soon", "0", "-1", "1.5"])
def test_what_is_no_number(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PIPS_SEARCH_MS", text)
    with pytest.raises(ValueError, match=f"^PIPS_SEARCH_MS is '{text}', but has to be a whole number from 1$"):
        list(rounds(3))
