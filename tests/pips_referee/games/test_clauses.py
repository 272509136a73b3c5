"""The rules against their plain twins, and mistakes that this must notice."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.lab.clauses import MISTAKES, PLAY, noticed, with_mistake


@pytest.mark.parametrize("game", PLAY)
def test_the_twin_agrees_and_every_clause_decides_something(game: str) -> None:
    rules, decided = with_mistake(game, None).GAME, Counter[str]()
    for number in range(60):
        decided.update(PLAY[game](rules, number))
    assert min(decided.values()) > 0, decided


@pytest.mark.parametrize("game", PLAY)
def test_planted_mistakes_are_noticed(game: str) -> None:
    some = (*MISTAKES[game][:2], MISTAKES[game][-1])
    assert [mistake for mistake in some if noticed(game, mistake, 120) is None] == []
