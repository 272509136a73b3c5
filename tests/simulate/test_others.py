"""The formulas of Ordo and BayesElo, where the answer is known without them."""

from __future__ import annotations

import numpy as np
import pytest

from pips_tourney.ratings import Result
from tests.simulate.others import BAYES, ORDO, bayeselo, games_of, likeliest, ordo

NAMES = ["ada", "bo", "cy"]


def results(won: int, tied: int, lost: int, one: str = "ada", other: str = "bo") -> list[Result]:
    """Matches of two bots, from either seat in turn."""
    places = [(1, 2)] * won + [(1, 1)] * tied + [(2, 1)] * lost
    return [
        Result(str(at), (one, other)[:: 1 - 2 * (at % 2)], place[:: 1 - 2 * (at % 2)])
        for at, place in enumerate(places)
    ]


def test_at_ordos_elos_the_expected_points_are_the_points() -> None:
    games = games_of(results(30, 4, 10) + results(22, 0, 20, "bo", "cy") + results(9, 2, 3, "ada", "cy"), NAMES)
    elo = ordo(games, 3).elo
    expected = 1 / (1 + np.exp(-ORDO * (elo[games.white] - elo[games.black])))
    for bot in range(3):
        mine = (games.white == bot) * (games.score - expected) - (games.black == bot) * (games.score - expected)
        assert mine.sum() == pytest.approx(0, abs=1e-3)


def test_two_bots_of_ordo_are_202_points_apart_at_76_percent() -> None:
    fitted = ordo(games_of(results(76, 0, 24), NAMES[:2]), 2)
    assert fitted.elo[0] - fitted.elo[1] == pytest.approx(202, abs=0.01)
    # The variance of a difference is 1 / (n p q) in logits; each bot has half of it.
    assert fitted.half[0] == pytest.approx(1.96 / 2 / ORDO / (100 * 0.76 * 0.24) ** 0.5, rel=1e-3)


def test_bayeselos_two_virtual_draws_for_each_bot_hold_a_winner_back() -> None:
    """Ten wins and four virtual draws: where the derivative is zero."""
    draw = 60.0
    fitted = bayeselo(games_of(results(10, 0, 0), NAMES[:2]), 2, 0.0, draw)
    ratio = 10 ** (-draw / 400)
    lead = (fitted.elo[0] - fitted.elo[1]) / (4 * ratio / (1 + ratio) ** 2)

    def loss(at: float) -> float:
        won, lost = (1 / (1 + np.exp(-BAYES * (sign * at - draw))) for sign in (1, -1))
        return float(-10 * np.log(won) - 4 * np.log(1 - won - lost))

    assert loss(lead) <= min(loss(lead - 0.5), loss(lead + 0.5))


def test_the_likeliest_advantage_and_draws_are_those_of_equal_bots() -> None:
    """White wins 50, draws 30, loses 20 of 100: two unknowns, solved by hand."""
    white = [Result(str(at), ("ada", "bo")[:: 1 - 2 * (at % 2)], place)
             for at, place in enumerate([(1, 2)] * 50 + [(1, 1)] * 30 + [(2, 1)] * 20)]  # fmt: skip
    advantage, draw = likeliest(games_of(white, NAMES[:2]), 2)
    won, lost = np.log(0.5 / 0.5) / BAYES, np.log(0.2 / 0.8) / BAYES
    assert advantage == pytest.approx((won - lost) / 2, abs=0.5)
    assert draw == pytest.approx(-(won + lost) / 2, abs=0.5)


def test_without_ties_a_width_is_left() -> None:
    assert likeliest(games_of(results(20, 0, 10), NAMES[:2]), 2)[1] > 0
