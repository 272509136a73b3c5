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


@pytest.mark.parametrize("text", ["soon", "0", "-1", "1.5"])
def test_what_is_no_number(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PIPS_SEARCH_MS", text)
    with pytest.raises(ValueError, match=f"^PIPS_SEARCH_MS is '{text}', but has to be a whole number from 1$"):
        list(rounds(3))
