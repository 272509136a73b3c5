"""Value functions: their arithmetic, their files, and how well they fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import exp
from random import Random
from typing import Any

import pytest

from pips_referee.chance import Chance
from pips_referee.game import REGISTRY, get_game
from pips_referee.worth import (
    FULL,
    MOST_LOGITS,
    WEIGHT_UNIT,
    Worth,
    WorthError,
    get_worth,
    logistic,
    mean_results,
    read_worth,
    results_of,
)
from tests.lab.worth.positions import SETTINGS, played


@pytest.mark.parametrize(
    ("places", "results"),
    [
        ((1, 2), (1_000_000, 0)),
        ((1, 1), (500_000, 500_000)),
        ((1, 2, 2, 4), (1_000_000, 500_000, 500_000, 0)),
        ((3, 1, 1), (0, 750_000, 750_000)),
    ],
)
def test_a_result_is_the_mean_against_each_other_seat(places: tuple[int, ...], results: tuple[int, ...]) -> None:
    assert results_of(places) == results


def test_the_logistic_table_is_the_logistic_function() -> None:
    for step in range(-1300, 1300, 7):
        logits = step / 100
        assert logistic(round(logits * WEIGHT_UNIT)) == pytest.approx(FULL / (1 + exp(-logits)), abs=8)
        assert logistic(step * 9_999) + logistic(-step * 9_999) == FULL
    assert logistic(MOST_LOGITS * WEIGHT_UNIT) == logistic(10**12) == FULL


def test_equal_seats_share_alike() -> None:
    assert mean_results([7, 7]) == (500_000, 500_000)
    assert mean_results([7, 7, 7]) == (500_000, 500_000, 500_000)
    high, low = mean_results([WEIGHT_UNIT, 0])
    assert high + low == FULL
    assert high > low


def test_weights_change_evenly_between_two_knots() -> None:
    worth = Worth("serpent", 1, "", (0, 4), {2: ((8,), (16,)), 5: ((80,), (160,))})
    assert [list(worth.weights_at(2, left)) for left in (0, 1, 2, 4, 99)] == [[8], [10], [12], [16], [16]]
    assert list(worth.weights_at(3, 0)) == [8]
    assert list(worth.weights_at(4, 0)) == list(worth.weights_at(9, 0)) == [80]


def _without_weights(model: dict[str, Any]) -> None:
    model["weights"] = {}


def _another_feature(model: dict[str, Any]) -> None:
    model["features"][0] = "luck"


def _falling_knots(model: dict[str, Any]) -> None:
    model["knots"] = model["knots"][::-1]


def _short_row(model: dict[str, Any]) -> None:
    model["weights"]["2"][0].pop()


def _missing_row(model: dict[str, Any]) -> None:
    model["weights"]["2"].pop()


def _words(model: dict[str, Any]) -> None:
    model["weights"]["2"][0][0] = "much"


def _no_version(model: dict[str, Any]) -> None:
    del model["version"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_without_weights, "needs weights"),
        (_another_feature, "but the game counts"),
        (_falling_knots, "knots that rise from 0"),
        (_short_row, "one weight a feature"),
        (_missing_row, "one weight a feature"),
        (_words, "cannot be read"),
        (_no_version, "cannot be read"),
    ],
)
def test_a_model_that_does_not_fit_is_refused(spoil: Callable[[dict[str, Any]], None], said: str) -> None:
    model = json.loads((get_game("serpent").room / "worth.json").read_bytes())
    spoil(model)
    with pytest.raises(WorthError, match=said):
        read_worth("serpent", json.dumps(model).encode())


@pytest.mark.parametrize("text", [b"", b"[]", b"\xff"])
def test_a_file_that_is_no_model_is_refused(text: bytes) -> None:
    with pytest.raises(WorthError, match="make lab WHAT=worth"):
        read_worth("serpent", text)


@pytest.mark.unmeasured
@pytest.mark.parametrize("game", REGISTRY)
def test_values_come_true_in_fresh_matches(game: str) -> None:
    """Much better than saying one half, whose mean squared error is 0.25.

    `make lab WHAT=worth` measures it closely; here a broken model would show.
    """
    setting, worth = SETTINGS[game][0], get_worth(game)
    errors = []
    for number in range(30):
        states = [state.copy() for state in played(setting, Random(f"fresh/{number}"))]
        results = results_of(states[-1].outcome().places)
        for state in states[:: max(1, len(states) // 8)]:
            errors += [((a - b) / FULL) ** 2 for a, b in zip(worth.values(state), results, strict=True)]
    assert sum(errors) / len(errors) < 0.21


def test_a_start_is_even_in_serpent() -> None:
    """Both direct the same number of hands, so the first deal alone tells little."""
    game = get_game("serpent")
    state, _ = game.start(game.options(), 2, Chance(bytes(32)))
    assert all(abs(value - FULL // 2) < FULL // 4 for value in get_worth("serpent").values(state))
