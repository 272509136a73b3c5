"""The benchmark of the time to a settled order, with a small field."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.lab.bench import truth
from tests.lab.bench.truth import SCHEMES, Played, Scheme, Truth, lines, median_ratio
from tests.lab.bench.truth_pool import SAMPLES, FieldOfBots, Table, pool

SMALL = FieldOfBots("wichita", 2, SAMPLES, 24, 0, {})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    folder = tmp_path_factory.mktemp("pool")
    played, kept = pool(SMALL, folder, workers=0, say=lambda _: None), pool(SMALL, folder)
    for before, after in zip(played, kept, strict=True):
        assert before.bots == after.bots and before.seconds == after.seconds > 0
        assert (before.scores == after.scores).all() and before.places.shape == (24, 2, 2)
        assert (before.seating[:, 0] == before.seating[:, 1, ::-1]).all()
    return Truth(SMALL, kept)


def test_every_scheme_settles_the_order_of_bots_far_apart(small: Truth) -> None:
    assert small.order == {by: ["greedy", "cautious", "random"] for by in ("results", "points")}
    rng = np.random.default_rng(1)
    for scheme in SCHEMES:
        night = small.night(scheme, rng)
        assert night.settled and night.right and night.until == night.seconds > 0
        assert night.matches >= 3 * 20


def test_independent_matches_have_a_deal_each_and_both_seats(small: Truth) -> None:
    drawn = {bots: np.arange(6) for bots in small.tables}
    alone, twice = (small.matches(drawn, scheme) for scheme in SCHEMES[:2])
    assert len(alone[0]) == len(set(alone[0])) == 18 and len(twice[0]) == 36 and len(set(twice[0])) == 18
    for block in set(twice[0]):
        assert twice[1][twice[0] == block].tolist()[0] == twice[1][twice[0] == block].tolist()[1][::-1]
    assert (np.bincount(alone[1][:, 0]) == np.bincount(alone[1][:, 1])).all()


def test_a_night_that_is_not_settled_takes_for_ever(small: Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    level = [
        Table(table.bots, table.seating, table.places * 0 + 1, table.scores, 1.0) for table in small.tables.values()
    ]
    monkeypatch.setattr(truth, "MOST", 20)
    of = Truth(SMALL, level)
    night = of.night(SCHEMES[1], np.random.default_rng(1))
    assert not night.settled and night.until == float("inf") and night.matches == 3 * 40


def test_lines_have_a_row_a_scheme(small: Truth, tmp_path: Path) -> None:
    rows = list(lines(small, 4, np.random.default_rng(2)))
    assert [row.split(" | ")[1] for row in rows] == [scheme.name for scheme in SCHEMES]
    assert all("| 100 % |" in row for row in rows)


def test_a_scheme_that_does_not_settle_is_a_bound(small: Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    def night(scheme: Scheme, rng: np.random.Generator) -> Played:
        return Played(10.0, 40, settled=scheme.duplicate, right=True)

    monkeypatch.setattr(small, "night", night)
    alone, twice, *_ = lines(small, 5, np.random.default_rng(2))
    assert "| > 10 (> 10 to > 10) | 1 | 40 | 0 % | 0 % |" in alone
    assert "| 10 (10 to 10) | > 1.0 (1.0 to 1.0) | 40 | 100 % | 0 % |" in twice


def test_a_ratio_has_an_interval() -> None:
    rng = np.random.default_rng(3)
    ratio, low, high = median_ratio(rng.normal(30, 1, 50), rng.normal(10, 1, 50), rng)
    assert low < ratio < high and 2.8 < ratio < 3.2


def test_nights_that_are_not_settled_leave_the_ratio_open_above() -> None:
    rng = np.random.default_rng(4)
    slow = np.array([30.0] * 29 + [np.inf] * 22)
    ratio, low, high = median_ratio(slow, np.full(51, 10.0), rng)
    assert (ratio, low, high) == (3.0, 3.0, np.inf)
