"""Margins: against plain least squares, at their cap, and with intervals that hold."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from scipy.stats import skew, t, ttest_1samp

from pips_tourney.ratings.margins import rate_margins, rate_scores
from pips_tourney.ratings.result import Result
from pips_tourney.ratings.stopping import Settled
from tests.lab.simulate import margins
from tests.lab.simulate.leagues import World, schedule
from tests.lab.simulate.margins import covered, night


def few(world: World, deals: int, seed: int) -> list[Result]:
    return night(world, schedule(world, deals)[0], np.random.default_rng(seed))


@pytest.mark.parametrize("world", [World(4, 2, 0.5), World(5, 3, 0.3), World(5, 4, 0.5)])
def test_margins_are_those_of_plain_least_squares(world: World) -> None:
    results = few(world, 3, 1)
    found = rate_margins(results, 1.5)
    assert found is not None
    n, names = world.bots, world.names
    rows, leads = [], []
    for result in results:
        assert result.scores is not None
        for a, b in combinations(range(world.seats), 2):
            row = np.zeros(n + world.seats)
            row[names.index(result.bots[a])] += 1
            row[names.index(result.bots[b])] -= 1
            row[n + a], row[n + b] = 1, -1
            rows.append(row)
            leads.append(float(np.clip(result.scores[a] - result.scores[b], -1.5, 1.5)))
    theta = np.linalg.lstsq(np.array(rows), np.array(leads), rcond=None)[0]
    for name, value in zip(names, theta[:n] - theta[:n].mean(), strict=True):
        margin = found.of(name)
        assert margin is not None and margin.margin == pytest.approx(value, abs=1e-4)
    assert [row.margin for row in found.rows] == sorted((row.margin for row in found.rows), reverse=True)


def test_the_order_of_arrival_changes_nothing() -> None:
    results = few(World(4, 2, 0.5), 12, 2)
    shuffled = Random(1).sample(results, len(results))
    assert repr(rate_margins(results, 3.0)) == repr(rate_margins(shuffled, 3.0))


def test_one_match_does_not_outweigh_many() -> None:
    level = [Result(str(deal), seats, (1, 1), (0.0, 0.0)) for deal in range(20) for seats in (("a", "b"), ("b", "a"))]
    huge = [*level, Result("x", ("a", "b"), (1, 2), (500.0, 0.0)), Result("x", ("b", "a"), (1, 1), (0.0, 0.0))]
    found = rate_margins(huge, 3.0)
    assert found is not None
    assert found.rows[0].margin == pytest.approx(3.0 / 42 / 2, abs=1e-3)


def test_few_deals_have_no_interval_and_no_scores_no_margins() -> None:
    found = rate_margins(few(World(3, 2, 0.5), 4, 3), 3.0)
    assert found is not None and all(row.low is row.high is None for row in found.rows)
    assert rate_margins([Result("x", ("a", "b"), (1, 2))], 3.0) is None
    assert rate_margins([], 3.0) is None


def test_house_bots_have_no_part_in_the_mean() -> None:
    found = rate_margins(few(World(4, 2, 0.5), 10, 4), 3.0, unrated={"bot0"})
    assert found is not None
    assert sum(row.margin for row in found.rows if row.bot != "bot0") == pytest.approx(0, abs=1e-3)
    assert found.of("nobody") is None
    strong, weak = found.rows[0].bot, found.rows[-1].bot
    assert found.better[strong][weak] > 0.9
    assert found.better[weak][strong] < 0.1


@pytest.mark.unmeasured
def test_intervals_hold_most_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margins, "UNLIMITED", 3_000)
    held, width = covered(World(4, 2, 0.7), 20, 25, np.random.default_rng(5))
    assert held > 0.87
    assert 0.05 < width < 0.1


def agreed(deals: int, lead: float) -> list[Result]:
    """Ada is ahead of bo by as much in every deal."""
    return [
        Result(str(deal), seats, (1, 2) if seats[0] == "ada" else (2, 1), scores)
        for deal in range(deals)
        for seats, scores in ((("ada", "bo"), (lead, 0.0)), (("bo", "ada"), (0.0, lead)))
    ]


@pytest.mark.parametrize(
    ("deals", "lead", "level"),
    [(10, 1.0, 1 - 0.5**10), (20, 0.1, t.cdf(0.1 / (1.5 / 20), 19)), (200, 0.1, t.cdf(0.1 / (1.5 / 200), 199)),
     (10, 0.0, 0.5)],
)  # fmt: skip
def test_deals_that_all_agree_may_hide_one_that_is_half_the_cap_away(deals: int, lead: float, level: float) -> None:
    """Nor is anything surer than the sign test of so many deals."""
    found = rate_margins(agreed(deals, lead), 3.0)
    assert found is not None
    assert found.level("ada", "bo") == pytest.approx(level)
    assert found.level("bo", "ada") == pytest.approx(1 - level)


@pytest.mark.parametrize("span", [0.3, -0.3])
def test_the_level_is_that_of_a_t_test_on_the_deals(span: float) -> None:
    """With two bots at a level table, each deal's mean lead is one number."""
    world = World(2, 2, 0.5, span=span)
    results = few(world, 40, 6)
    leads = []
    for at in range(0, len(results), 2):
        one, other = results[at], results[at + 1]
        assert one.scores is not None and other.scores is not None and one.bots == other.bots[::-1]
        first, second = one.scores[0] - one.scores[1], other.scores[1] - other.scores[0]
        leads.append((first + second) / 2 * (1 if one.bots[0] == "bot1" else -1))
    found = rate_margins(results, 5.0)
    assert found is not None
    test, ahead = ttest_1samp(leads, 0.0), float(np.sign(np.mean(leads)))
    distance = ahead * float(test.statistic)
    against = max(0.0, -ahead * float(skew(leads))) / len(leads) ** 0.5
    if against:
        distance = (1 - (1 - against * distance / 3) ** 3) / against - against / 6
    assert found.level("bot1", "bot0") == pytest.approx(t.cdf(ahead * distance, len(leads) - 1), abs=2e-3)


def test_a_lead_whose_rare_loss_has_not_come_yet_does_not_settle() -> None:
    """Bo wins little in most matches and loses much in one of twenty: all equal."""
    luck, rule, wrong = np.random.default_rng(9), Settled(0.95, 20), 0
    seating = schedule(World(2, 2, 0.0), 20)[0]
    for _ in range(60):
        lead = np.where(luck.random((20, 2)) < 0.05, -2.85, 0.15) + luck.normal(0, 0.02, (20, 2))
        scores = np.zeros((20, 2, 2))
        scores[seating == 1] = lead.ravel()
        looks = [rate_scores(["ada", "bo"], [(seating[:deals], scores[:deals])], 3.0) for deals in (10, 20)]
        wrong += any(rule.look(table, deals).settled for table, deals in zip(looks, (10, 20), strict=True))
    assert wrong <= 3


def test_a_night_is_settled_by_margins_where_they_decide() -> None:
    rule = Settled(0.95, 640)
    sure = rate_margins(few(World(3, 2, 0.5, span=3.0), 20, 7), 3.0)
    open_ = rate_margins(few(World(3, 2, 0.5, span=0.0), 20, 7), 3.0)
    assert sure is not None and open_ is not None
    verdict = rule.look(sure, 20)
    assert verdict.settled and [(pair.better, pair.worse) for pair in verdict.pairs] == [
        ("bot2", "bot1"), ("bot1", "bot0"),
    ]  # fmt: skip
    assert not rule.look(open_, 20).settled
    assert len(rule.look(sure, 20, {"bot0", "bot2"}).pairs) == 1


def test_no_interval_passes_what_the_cap_allows() -> None:
    results = [
        Result(f"{deal}", seats, (1, 1), tuple(2.0 * (seat == "a") for seat in seats))
        for deal in range(10)
        for seats in (("a", "b"), ("b", "a"))
    ]
    found = rate_margins(results, 2.0)
    assert found is not None
    assert [(row.low, row.margin, row.high) for row in found.rows] == [
        (pytest.approx(0.89, abs=0.01), 1.0, 1.0),
        (-1.0, -1.0, pytest.approx(-0.89, abs=0.01)),
    ]
