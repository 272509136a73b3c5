"""What a seat is worth: intervals that hold, and no number where all go one way."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

from pips_tourney.ratings.fit.tally import Columns
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result


def deals(bots: str, first_wins: list[list[bool]]) -> list[Result]:
    """Every pair's deals, both ways round; whether the first seat won each match."""
    return [
        Result(f"{a}{b}{deal}", seating, (1, 2) if won else (2, 1))
        for a, b in combinations(bots, 2)
        for deal, both in enumerate(first_wins)
        for seating, won in zip(((a, b), (b, a)), both, strict=True)
    ]


def rotations(number: int, rng: Random, *, first: bool) -> list[Result]:
    """Deals of three bots in all their orders.

    The second and the third seat are level; the first is above both or below both.
    """
    results = []
    for deal in range(number):
        for seating in permutations("abc"):
            others = rng.sample((2, 3) if first else (1, 2), 2)
            results.append(Result(str(deal), seating, (1 if first else 3, *others)))
    return results


def level_duels(chance: float, number: int, rng: np.random.Generator) -> Columns:
    """Two bots that are alike, all of whose matches are independent.

    The first seat wins with that chance.
    """
    won = rng.random(2 * number) < chance
    places = np.stack([np.where(won, 1, 2), np.where(won, 2, 1)], axis=1)
    return Columns(["a", "b"], np.repeat(np.arange(number), 2), np.tile([[0, 1], [1, 0]], (number, 1)), places)


@pytest.mark.unmeasured
@pytest.mark.parametrize(("apart", "number"), [(0, 10), (200, 10), (400, 10), (400, 20)])
def test_what_is_said_of_a_seat_holds_in_95_of_100_leagues(apart: int, number: int) -> None:
    """Without ties the model is exact.

    So the seats' distance in Elo is the value itself.
    """
    rng = np.random.default_rng(apart + number)
    worth, leagues = apart / 2, 120
    intervals = within = 0
    for _ in range(leagues):
        seat = rate(level_duels(1 / (1 + 10 ** (-apart / 400)), number, rng)).seats[0]
        if seat.low is not None and seat.high is not None:
            intervals += 1
            within += seat.low <= worth <= seat.high
    assert intervals > leagues / 3
    assert within >= 0.94 * intervals


@pytest.mark.parametrize("number", [3, 10, 100])
def test_a_seat_that_won_every_match_has_no_number(number: int) -> None:
    first, second = rate(deals("ab", [[True, True]] * number)).seats
    assert (first.elo, first.low, first.high, first.note, first.points) == (None, None, None, "", 1.0)
    assert (second.elo, second.low, second.high, second.points) == (None, None, None, 0.0)


def test_one_match_that_went_the_other_way_gives_a_number() -> None:
    lost_once = rate(deals("ab", [[True, False]] + [[True, True]] * 29)).seats[0]
    assert lost_once.note == ""
    # Wide: nearly as much could have turned unseen.
    assert (lost_once.low or 0) < (lost_once.elo or 0) < (lost_once.high or 0) - 200


def test_ties_keep_seats_together() -> None:
    results = [Result(str(deal), seating, (1, 1)) for deal in range(12) for seating in (("a", "b"), ("b", "a"))]
    seat = rate(results).seats[0]
    assert seat.elo == 0.0
    assert (seat.high or 0) > 1


def test_fewer_than_ten_deals_give_no_interval() -> None:
    few = rate(deals("ab", [[True, False], [False, False], [True, True]] * 3)).seats
    assert [(seat.low, seat.high, seat.note) for seat in few] == [(None, None, "too few deals")] * 2
    assert all(seat.elo is not None for seat in few)
    enough = rate(deals("ab", [[True, False], [False, False], [True, True]] * 4)).seats
    assert all(seat.low is not None and seat.high is not None and seat.note == "" for seat in enough)


@pytest.mark.parametrize("first", [True, False])
def test_of_three_seats_one_that_stands_apart_leaves_none_a_number(first: bool) -> None:
    seats = rate(rotations(20, Random(1), first=first)).seats
    assert [(seat.elo, seat.low, seat.high) for seat in seats] == [(None, None, None)] * 3


def test_a_bot_that_wins_in_every_seat_says_nothing_of_seats() -> None:
    among = deals("ab", [[True, True]] * 12)
    hero = [Result(f"{bot}{n}", seats, places) for bot in "ab" for n in range(30)
            for seats, places in ((("zed", bot), (1, 2)), ((bot, "zed"), (2, 1)))]  # fmt: skip
    together = rate(among + hero).seats[0]
    assert together.points < 0.6
    assert together.elo is None
