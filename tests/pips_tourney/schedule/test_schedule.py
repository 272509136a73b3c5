"""Schedules are fair: to bots, to seats, to neighbours, and wherever a night stops."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, groupby
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips_tourney.schedule.league import gauntlet, round_robin
from pips_tourney.schedule.tables import Pairing, orders, play_once

NAMES = "abcdefgh"


def by_deal(pairings: list[Pairing]) -> list[list[Pairing]]:
    """The rotations of each deal, which must be consecutive."""
    return [list(group) for _, group in groupby(pairings, lambda p: (p.deal, p.combination))]


@given(st.integers(2, 5), st.integers(0, 3), st.integers(1, 7))
def test_every_combination_plays_every_deal_in_all_rotations(seats: int, more: int, deals: int) -> None:
    bots = NAMES[: seats + more]
    blocks = by_deal(list(round_robin(reversed(bots), seats, deals)))
    assert len(blocks) == comb(len(bots), seats) * deals
    assert {(block[0].combination, block[0].deal) for block in blocks} == {
        (table, deal) for table in combinations(bots, seats) for deal in range(deals)
    }
    for block in blocks:
        assert [p.rotation for p in block] == list(range(seats))
        for seat in range(seats):
            assert sorted(p.seating[seat] for p in block) == list(block[0].combination)
        first = block[0].seating
        assert all(p.seating == first[p.rotation :] + first[: p.rotation] for p in block)


def test_deals_come_in_order() -> None:
    deals = [p.deal for p in round_robin("abcd", 3, 5)]
    assert deals == sorted(deals)


@pytest.mark.parametrize("seats", range(2, 13))
def test_everybody_sits_behind_everybody_equally_often(seats: int) -> None:
    every = orders(seats)
    for places in (1, 2) if seats > 5 else (1,):
        behind = Counter((order[at - places], order[at]) for order in every for at in range(seats))
        assert len(behind) == seats * (seats - 1)
        assert len(set(behind.values())) == 1
    assert all(sorted(order) == list(range(seats)) for order in every)
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("seats", [6, 9, 12])
@pytest.mark.parametrize("once", [False, True])
def test_a_schedule_has_these_orders(seats: int, once: bool) -> None:
    bots = "abcdefghijkl"[:seats]
    deals = len(orders(seats)) * (seats if once else 1)
    pairs = (play_once(bots, deal) for deal in range(deals)) if once else round_robin(bots, seats, deals)
    seatings = [pair.seating for pair in pairs]
    for places in (1, 2):
        behind = Counter((seating[at - places], seating[at]) for seating in seatings for at in range(seats))
        assert len(set(behind.values())) == 1
    assert len({seating[0] for seating in seatings}) == seats
    assert len(set(Counter(seating[0] for seating in seatings).values())) == 1


@pytest.mark.parametrize(("seats", "count"), [(2, 1), (3, 2), (4, 6)])
def test_small_tables_use_every_order(seats: int, count: int) -> None:
    assert len(set(orders(seats))) == count


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_order_changes_from_deal_to_deal(seats: int) -> None:
    count = len(orders(seats))
    around = [
        block[0].seating[block[0].seating.index("a") :] + block[0].seating[: block[0].seating.index("a")]
        for block in by_deal(list(round_robin(NAMES[:seats], seats, 2 * count)))
    ]
    assert len(set(around)) == count
    assert around[:count] == around[count:]


def test_a_table_does_not_depend_on_who_else_plays() -> None:
    small = [p for p in round_robin("abcd", 3, 4) if p.combination == ("a", "b", "d")]
    large = [p for p in round_robin("abcdefg", 3, 4) if p.combination == ("a", "b", "d")]
    assert small == large


@given(st.integers(2, 4), st.integers(0, 3), st.integers(1, 4))
def test_a_gauntlet_is_the_part_of_the_round_robin_where_the_challenger_plays(
    seats: int, more: int, deals: int
) -> None:
    bots = NAMES[: seats + more]
    part = [p for p in round_robin(bots, seats, deals) if "c" in p.combination]
    found = list(gauntlet("c", [bot for bot in bots if bot != "c"], seats, deals)) if "c" in bots else part
    assert sorted(found, key=repr) == sorted(part, key=repr)


@pytest.mark.parametrize(
    ("bots", "seats", "problem"),
    [("aab", 2, "a is there twice"), ("ab", 3, "2 bots cannot fill a table of 3"), ("ab", 1, "two seats")],
)
def test_what_cannot_be_scheduled(bots: str, seats: int, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        list(round_robin(bots, seats, 1))
