"""The simulations themselves, in small.

They run, and what they measure is near what is promised.
"""

from __future__ import annotations

from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest

from pips_tourney.ratings.fit.clumps import Estimates
from pips_tourney.ratings.fit.tally import tally
from pips_tourney.ratings.stopping import Settled
from tests.lab.simulate import __main__ as simulate
from tests.lab.simulate import (
    adaptive,
    better,
    contradictions,
    coverage,
    forecast,
    kept,
    margins,
    plackett_luce,
    precise,
    stopping,
    truth,
)
from tests.lab.simulate.kept import Kept
from tests.lab.simulate.leagues import World
from tests.lab.simulate.night import Night
from tests.lab.simulate.oracle import twins_better


@pytest.mark.parametrize("world", [World(4, 2, 0.7), World(5, 4, 0.7)])
def test_intervals_hold_most_values_and_are_shorter_than_those_that_ignore_deals(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "UNLIMITED", 50_000)
    rng = np.random.default_rng(1)
    found, alone = coverage.covered(world, 20, 40, coverage.limit(world, rng), rng)
    assert found.ratings.mean() > 0.88
    assert found.differences.mean() > 0.88
    assert found.width < 0.9 * alone.width


@pytest.mark.long
def test_cards_that_suit_one_bot_deceive_who_ignores_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "UNLIMITED", 50_000)
    world, rng = World(5, 4, 0.1, taste=0.7), np.random.default_rng(2)
    found, alone = coverage.covered(world, 20, 30, coverage.limit(world, rng), rng)
    assert found.differences.mean() > 0.88 > alone.differences.mean()


def test_a_night_settled_by_margin_is_seldom_wrong() -> None:
    rng, rule = np.random.default_rng(4), Settled(max_deals=40)
    stopped, wrong, *_ = margins.settled(World(2, 2, 0.7, span=0.0), rule, 60, rng)
    assert stopped == wrong < 0.2
    stopped, wrong, _, deals = margins.settled(World(2, 2, 0.7, span=1.0), rule, 10, rng)
    assert stopped == 1 and wrong == 0 and deals < 20


def test_equal_bots_are_seldom_put_in_order() -> None:
    settled, wrong, _, deals = stopping.settled(
        World(2, 2, 0.7, span=0.0), Settled(max_deals=40), 60, np.random.default_rng(4)
    )
    assert settled == wrong < 0.2
    assert 30 < deals <= 40


def test_pairs_and_plackett_luce_agree_on_who_is_better() -> None:
    every, neighbours = plackett_luce.compare(World(4, 3, 0.3), 10, 8, np.random.default_rng(5))
    assert 0.3 < every < 3
    assert 0.1 < neighbours < 10


def test_better_is_true_about_as_often_as_it_is_said() -> None:
    found = better.pairs_of(better.neighbours(World(12, 2, 0.5), 30, 20, 60, np.random.default_rng(6)))
    said, true = found.T
    assert said.mean() == pytest.approx(true.mean(), abs=0.06)
    sure = found[said > 0.9]
    assert sure[:, 1].mean() > 0.85
    bands = better.of_bands(found)
    assert sum(band[2] for band in bands if band) <= len(found)


def test_who_beats_everybody_is_told_and_swept_pairs_are() -> None:
    assert all(kept for _, kept in better.told_table(20, np.random.default_rng(8)))


def test_a_circle_is_told_and_luck_is_not() -> None:
    rng = np.random.default_rng(9)
    assert better.told_of_circles(better.ROCK_PAPER_SCISSORS, 100, 30, rng)[1] > 0.8
    assert better.told_of_circles(np.full((5, 5), 0.5), 30, 30, rng)[0] < 0.1


@pytest.mark.long
def test_adaptive_rounds_need_fewer_deals_and_seldom_err() -> None:
    ratios, _, _, wrong = np.array(adaptive.compared(5, 2, "results", 12, np.random.default_rng(10))).T
    assert np.median(ratios) > 1.2
    assert np.mean(wrong) < 0.2


def test_adaptive_nights_estimate_what_equal_deals_do_in_a_circle_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "UNLIMITED", 50_000)
    world, rng = World(4, 2, 0.3, span=0.5, circle=0.3), np.random.default_rng(11)
    shares = adaptive.covered(world, tuple(coverage.limit(world, rng)), 10, rng)
    assert np.mean(shares, axis=0).min() > 0.85


@pytest.mark.long
def test_adaptive_nights_by_points_are_quick_and_seldom_err(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a circle, too, their margins are those of equal deals."""
    ratios, _, _, wrong = np.array(adaptive.compared(4, 2, "points", 8, np.random.default_rng(13))).T
    assert np.median(ratios) > 1.2
    assert np.mean(wrong) < 0.3
    monkeypatch.setattr(adaptive, "UNLIMITED", 5_000)
    world, rng = World(4, 2, 0.3, span=0.5, circle=0.3), np.random.default_rng(14)
    [truth] = adaptive.limits_by_points(world, 1, rng)
    assert np.mean(adaptive.covered_by_points(world, tuple(truth), 10, rng)) > 0.8


def test_a_growing_night_of_two_seats_is_counted_as_its_matches_are() -> None:
    world = World(12, 2, 0.3)
    night = Night(world, np.random.default_rng(12), list(combinations(world.names, 2)))
    night.play({table: 10 + at for at, table in enumerate(night.tables)})
    night.play(dict.fromkeys(night.tables, 90))
    counted, plain = night.tally(), tally(night.columns())
    assert int(counted.kind_count.sum()) == 2 * night.deals == 2 * 66 * 90
    for name in ("names", "seatings", "kind_seating", "kind_rank", "kind_count", "outcome", "weight"):
        assert np.array_equal(getattr(counted, name), getattr(plain, name))
    for one, other in zip(counted.deals, plain.deals, strict=True):
        for name in ("kinds", "count", "design", "designs"):
            assert np.array_equal(getattr(one, name), getattr(other, name))


def test_leagues_that_were_played_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    first = Kept(processes=1)
    found = first.rows(adaptive.compared, 3, 2, "results", leagues=3, chunk=2)
    assert len(found) == 3 and first.report() == 0
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    late = Kept(until=-1.0)
    assert late.rows(adaptive.compared, 3, 2, "results", leagues=6, chunk=2) == first.rows(
        adaptive.compared, 3, 2, "results", leagues=4, chunk=2
    )
    assert late.missing == 2 and late.report() == 1
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    assert late.rows(adaptive.compared, 4, 2, "results", leagues=2, chunk=2) == []
    monkeypatch.setattr(kept, "code", lambda: "changed")
    assert late.rows(adaptive.compared, 3, 2, "results", leagues=2, chunk=2) == []


def test_what_is_said_of_an_order_is_compared_with_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    monkeypatch.setattr(truth, "CHUNK", 2)
    monkeypatch.setattr(truth, "PANEL", (*truth.PANEL[:2], truth.PANEL[31], truth.PANEL[-1]))
    *_, every, first, missed = truth.table(2, Kept(processes=1))
    assert missed == "\n0 targets missed beyond two standard errors"
    assert every.startswith("| all of 6 and more | | ") and first.startswith("| first, all | | ")
    rows = Kept(processes=1).rows(truth.said, 0, leagues=2, chunk=2)
    assert [len(row["pairs"]) for row in rows] == [14, 14]
    assert sum(rows[0]["first"][:8]) == pytest.approx(1) == sum(rows[0]["first"][8:])


def test_a_target_is_missed_beyond_two_standard_errors() -> None:
    right = np.array([[0.9, 1.0]] * 9 + [[0.9, 0.0]])
    true, bold = truth.cells([right] * 40), truth.cells([np.where(right == 0.9, 0.94, right)] * 40)
    assert [*truth.broken("all", true)] == []
    assert len([*truth.broken("all", bold)]) == 2 and len([*truth.broken(truth.STEPS, bold)]) == 2
    assert [*truth.broken(truth.COPIES, bold)] == []


def test_degenerate_leagues_do_not_contradict_themselves(tmp_path: Path) -> None:
    found, seen = contradictions.search(8, tmp_path)
    assert found == {} and all(seen.values())


def test_neither_rounding_nor_names_decide_what_is_said() -> None:
    assert max(precise.furthest(0)) < precise.CLOSE


def test_every_table_of_make_simulate_has_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    for title, lines in simulate.tables(4).items():
        (first, _), (second, _) = islice(lines(np.random.default_rng(1)), 2)
        assert title and first.startswith("| ") and second.startswith("|---")
    line, as_promised = adaptive.compared_line("points", 6, 2, np.array([[1.5, 1, 1, 0], [2.5, 0, 1, 0]]))
    assert line.startswith("| points | 6 | 2 | 2 | 2.00 (1.50 to 2.50) | 1.75 to 2.25 | 0.50 | 1.00 | +0.50 ")
    assert as_promised


@pytest.mark.long
def test_nights_come_as_they_were_forecast_and_a_wrong_link_shows() -> None:
    luck = np.random.default_rng(41)
    found, wrong = (forecast.reckoning_of(nights(60, luck)) for nights in (forecast.season, forecast.wrong_link))
    assert 0.85 <= found.held <= 0.95
    assert found.loss["Pips"] <= min(found.loss["Elo"], found.loss["Glicko-2"]) + 0.001
    assert wrong.held < 0.8
    assert not forecast.kept_word(wrong)


def test_an_oracle_knows_the_order_of_twins_as_far_as_luck_allows() -> None:
    value = np.array([302.0, -100.0, -104.0, 298.0])
    better = twins_better(Estimates(value, np.eye(4) * 0.1**2), 4.0, 200.0)
    assert better[0, 3] > 0.999 and better[1, 2] > 0.999 and better[3, 1] > 0.999
    vague = twins_better(Estimates(value, np.eye(4) * 20.0**2), 4.0, 200.0)
    expected = 1 / (1 + np.exp(-4.0 * 4 / 20**2))  # the likelihood ratio of four apart, either way
    assert vague[0, 3] == pytest.approx(expected, abs=0.001)
    np.testing.assert_allclose(vague + vague.T, 1)
