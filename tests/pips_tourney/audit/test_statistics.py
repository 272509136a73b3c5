"""The audit's tests against brute force and textbooks.

They are wrong as often as they promise, and no more.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kruskal, ttest_1samp

from pips_tourney.audit.statistics import dependence, holm, unequal_means


def test_one_stratum_of_ranks_is_kruskal_and_wallis() -> None:
    rng = np.random.default_rng(1)
    ranks, labels = rng.permutation(60).astype(float), [str(n % 3) for n in range(60)]
    found = dependence(list(ranks), labels, ["one"] * 60)
    expected = kruskal(
        *([rank for rank, label in zip(ranks, labels, strict=True) if label == str(n)] for n in range(3))
    )
    assert found is not None and found.p == pytest.approx(expected.pvalue)


def test_two_labels_in_small_strata_are_as_likely_as_all_ways_to_hand_them_round() -> None:
    rng = np.random.default_rng(2)
    response = [list(rng.integers(0, 3, 3) / 2) for _ in range(40)]
    labels = [list(rng.permutation(["a", "b", "b"])) for _ in range(40)]
    flat = [value for row in response for value in row], [label for row in labels for label in row]
    found = dependence(*flat, [number for number in range(40) for _ in range(3)])
    assert found is not None

    def total(row: list[float], names: list[str]) -> float:
        return sum(value for value, name in zip(row, names, strict=True) if name == "a")

    ways = [[total(row, list(names)) for names in permutations(["a", "b", "b"])] for row in response]
    observed = sum(map(total, response, labels))
    drawn = np.sum([rng.choice(way, 200_000) for way in ways], axis=0)
    mean = float(sum(np.mean(way) for way in ways))
    far = abs(observed - mean)
    as_far, farther = (np.abs(drawn - mean) >= far - 1e-9).mean(), (np.abs(drawn - mean) >= far + 1e-9).mean()
    assert found.p == pytest.approx((as_far + farther) / 2, abs=0.01)
    assert found.excess["a"] == pytest.approx((observed - mean) / 40)


def test_nothing_is_said_of_too_little() -> None:
    assert dependence([0.0, 1.0] * 10, ["a", "b"] * 10, [0] * 20) is None
    assert dependence([0.0, 1.0] * 20, ["a"] * 40, [0] * 40) is None
    assert dependence([0.0, 1.0] * 20, ["a", "b"] * 20, list(range(40))) is None
    assert dependence([0.0] * 40 + [1.0], ["a"] * 40 + ["b"], [0] * 41) is None
    assert unequal_means(np.zeros((29, 2))) is None


def test_responses_that_are_all_equal_depend_on_nothing() -> None:
    found = dependence([0.5] * 40, ["a", "b"] * 20, [0] * 40)
    assert found is not None and found.p == 1.0
    assert unequal_means(np.full((40, 3), 0.5)) == 1.0


def test_two_seats_are_a_t_test() -> None:
    rows = np.random.default_rng(3).random((50, 2))
    assert unequal_means(rows) == pytest.approx(ttest_1samp(rows[:, 0] - rows[:, 1], 0).pvalue)


def test_a_seat_that_always_wins() -> None:
    assert unequal_means(np.array([[1.0, 0.0]] * 40)) == 2.0**-39


def test_one_uneven_deal_is_no_wonder() -> None:
    rows = np.full((40, 3), 0.5)
    rows[7] = [1.0, 0.5, 0.0]
    p = unequal_means(rows)
    assert p is not None and p > 0.2
    rows[:, 0] = 1.0
    assert unequal_means(rows) == 2.0**-39, "that seat always wins"


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert max(holm([0.9, 0.8, 0.2])) <= 1.0


@pytest.mark.unmeasured
@pytest.mark.parametrize("labels", [2, 4])
def test_false_alarms_are_as_rare_as_they_are_called(labels: int) -> None:
    rng = np.random.default_rng(4)
    p = []
    for _ in range(600):
        response = rng.choice([0.0, 0.5, 1.0], 80, p=[0.45, 0.1, 0.45])
        found = dependence(list(response), list(rng.integers(0, labels, 80)), [n // 10 for n in range(80)])
        assert found is not None
        p.append(found.p)
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.025)
    assert np.mean(np.array(p) < 0.005) < 0.015
