"""Tables of more than two seats, and large nights."""

from __future__ import annotations

from itertools import combinations
from math import log10
from random import Random
from time import process_time

import numpy as np
import pytest
from scipy.optimize import minimize

from pips_tourney.ratings.fit import sums
from pips_tourney.ratings.fit.tally import Columns
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.schedule.league import round_robin
from tests.lab.simulate.leagues import World, league, schedule


def night(world: World, deals: int, seed: int) -> Columns:
    return league(world, *schedule(world, deals), np.random.default_rng(seed))


def as_results(columns: Columns) -> list[Result]:
    return [
        Result(f"deal {block}", tuple(columns.names[bot] for bot in seating), tuple(places))
        for block, seating, places in zip(
            columns.block.tolist(), columns.seating.tolist(), columns.places.tolist(), strict=True
        )
    ]


def test_a_table_counts_as_all_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "PRIOR", 1e-6)
    world = World(5, 3, 0.5)
    columns = night(world, 6, 1)
    ratings = rate(columns)

    def loss(theta: np.ndarray) -> float:
        strength, tie, seat = np.split(theta, [5, 6])
        total = np.log(2 * np.cosh(seat / 2)).sum() + strength.sum() ** 2
        for a, b in combinations(range(3), 2):
            i, j = columns.seating[:, a], columns.seating[:, b]
            d = strength[i] - strength[j] + seat[a] - seat[b]
            weights = np.stack([d / 2, np.full(len(d), tie[0]), -d / 2], axis=1)
            found = 1 + np.sign(columns.places[:, a] - columns.places[:, b])
            total -= (weights[np.arange(len(d)), found] - np.log(np.exp(weights).sum(axis=1))).sum()
        return float(total)

    oracle = minimize(loss, np.zeros(9), method="BFGS", options={"gtol": 1e-6}).x
    oracle *= 400 / np.log(10) * 2 / (2 + ratings.draw)
    for name, elo in zip(world.names, oracle[:5], strict=True):
        assert ratings[name].elo == pytest.approx(1500 + elo, abs=0.1)
    assert [seat.elo for seat in ratings.seats] == [
        pytest.approx(elo, abs=0.1) for elo in oracle[6:] - oracle[6:].mean()
    ]


def test_columns_and_results_agree_at_four_seats() -> None:
    columns = night(World(6, 4, 0.7), 10, 2)
    results = as_results(columns)
    Random(3).shuffle(results)
    assert rate(results) == rate(columns)


def test_seats_and_cards_are_found() -> None:
    # Four equal bots whose luck is 7/10 the cards': the first seat is better than the
    # last.
    ratings = rate(night(World(4, 4, 0.7, span=0.0), 400, 4))
    assert [seat.seat for seat in sorted(ratings.seats, key=lambda seat: -(seat.elo or 0))] == [0, 1, 2, 3]
    assert sum(seat.elo or 0 for seat in ratings.seats) == pytest.approx(0, abs=0.1)
    assert sum(seat.points for seat in ratings.seats) == pytest.approx(2, abs=1e-3)
    assert 0.5 < (ratings.deal_share or 0) < 0.75
    assert all((seat.low or 0) < (seat.elo or 0) < (seat.high or 0) for seat in ratings.seats)


@pytest.mark.parametrize("deals", [3, 10, 100])
def test_first_at_every_table_gets_the_bound_of_one_comparison_a_deal(deals: int) -> None:
    """Twelve pairs won a deal are one deal won."""
    rng = np.random.default_rng(5)
    results = []
    for pairing in round_robin(["ace", "b", "c", "d"], 4, deals):
        luck = {bot: 0.0 if bot == "ace" else 1 + rng.random() for bot in pairing.seating}
        places = tuple(1 + sum(other < luck[bot] for other in luck.values()) for bot in pairing.seating)
        results.append(Result(f"{pairing.deal}", pairing.seating, places))
    ratings = rate(results)
    chance = 0.05 ** (1 / deals)
    binomial = 1500 + 400 * log10(chance / (1 - chance))
    assert ratings["ace"].bound == ">"
    assert (ratings["ace"].low or 0) <= binomial + 0.01
    assert ratings["ace"].low == pytest.approx(binomial, abs=10)


def test_a_filler_in_many_seats_is_one_bot() -> None:
    places = [(1, 2, 3, 4), (2, 1, 3, 3), (4, 1, 2, 2), (1, 1, 1, 1)]
    results = [
        Result(str(deal), ("me", "filler", "filler", "filler"), places[(deal + turn) % 4])
        for deal in range(12)
        for turn in range(4)
    ]
    ratings = rate(results)
    assert [row.bot for row in ratings.rows] == ["me", "filler"]
    assert ratings["filler"].matches == 3 * ratings["me"].matches
    assert ratings["filler"].deals == 12


def test_tables_of_different_sizes_have_no_rating_together() -> None:
    two, three = Result("2", ("a", "b"), (1, 2)), Result("3", ("a", "b", "c"), (1, 2, 3))
    with pytest.raises(ValueError, match="all results the same number"):
        rate([two, three])


@pytest.mark.unmeasured
@pytest.mark.parametrize(("bots", "seats", "deals"), [(10, 2, 2222), (6, 4, 3333)])
def test_200_000_results_take_no_time(bots: int, seats: int, deals: int) -> None:
    results = as_results(night(World(bots, seats, 0.7), deals, 8))
    assert 199_000 < len(results) < 201_000
    started = process_time()
    rate(results)
    # A second on an idle machine (docs/performance.md); a slow one is forgiven.
    assert process_time() - started < 3
