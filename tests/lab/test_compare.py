"""Short forms of the laboratories `compare` and `planted`."""

from __future__ import annotations

from random import Random

import pytest

from tests.lab.compare import (
    MOST,
    Versions,
    best_of_same_deals,
    holds,
    matches_table,
    real_deals,
    real_mean,
    verdict,
)
from tests.lab.planted import CHANGES, first_shown


def test_intervals_hold_and_verdicts_are_seldom_wrong() -> None:
    rng, real = Random(1), real_deals("wichita", 120)
    held = [holds(Versions(real, 1.0, rng.uniform(0, 0.5)), rng) for _ in range(150)]
    assert 0.88 <= sum(held) / len(held) < 1
    turned = 0.5 - real.mean_of(4 * MOST) / real_mean(real) / 2
    better = [verdict(Versions(real, 1.0, turned), rng)[0] for _ in range(20)]
    worse = [verdict(Versions(real, 1.0, 1 - turned), rng)[0] for _ in range(20)]
    assert better.count("better") >= 17 and worse.count("not better") >= 19


def test_who_looks_at_the_same_deals_too_often_is_deceived() -> None:
    rng = Random(2)
    once, often = ([best_of_same_deals(looks, rng) for _ in range(100)] for looks in (1, 20))
    assert sum(once) > 90
    assert sum(often) < 50


@pytest.mark.parametrize("change", ["alike", "goes by the clock"])
def test_a_planted_change_is_told_right(change: str) -> None:
    assert CHANGES[change]("a")


@pytest.mark.parametrize("game", ["serpent", "wichita"])
def test_the_first_deal_that_is_shown_parts_where_the_change_acts(game: str) -> None:
    shown = first_shown(game, "a")
    assert shown.situation == shown.planted


def test_the_matches_to_a_verdict_are_counted_on_both_sides_at_the_same_gain() -> None:
    rows = [line.split(" | ") for line in matches_table(2, 30, ["wichita"])][2:]
    assert [row[1:3] for row in rows][-2:] == [["cautious, slip 0", "greedy, slip 0"], ["all", "all"]]
    assert all(int(row[4]) >= 20 and int(row[5]) >= 20 for row in rows)
