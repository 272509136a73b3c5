"""Dominion's sample bots: legal everywhere, and each clearly better than the one
before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pips_sample_bots.dominion.cautious_bot import CautiousBot
from pips_sample_bots.dominion.greedy_bot import GreedyBot
from pips_sample_bots.dominion.search_bot import SearchBot
from pips_sdk import Bot, play_match
from pips_sdk.dominion import DominionOptions, position
from pips_sdk.random_bot import random_bot

RandomBot = random_bot("dominion")

BOTS = (RandomBot, CautiousBot, GreedyBot)


def wins(bots: Sequence[type[Bot]], size: int, deals: int) -> list[int]:
    """First places by bot; every deal is played in each rotation of the seats."""
    first = [0] * len(bots)
    for deal in range(deals):
        for turned in range(len(bots)):
            seated = [*bots[turned:], *bots[:turned]]
            outcome = play_match(seated, deal.to_bytes(32, "big"), DominionOptions(size)).outcome
            assert outcome.faults == ()
            for seat, place in enumerate(outcome.places):
                first[(seat + turned) % len(bots)] += place == 1
    return first


@pytest.mark.unmeasured
@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize(
    ("better", "worse"), [(CautiousBot, RandomBot), (GreedyBot, CautiousBot), (GreedyBot, RandomBot)]
)
def test_two_seats(better: type[Bot], worse: type[Bot], size: int) -> None:
    deals = 10
    assert wins([better, worse], size, deals)[0] >= 0.9 * 2 * deals


@pytest.mark.unmeasured
@pytest.mark.parametrize("size", [3, 4])
def test_three_and_four_seats(size: int) -> None:
    deals = 4
    assert wins([GreedyBot, CautiousBot, RandomBot], size, deals)[0] >= 0.8 * 3 * deals
    assert wins([GreedyBot, CautiousBot, RandomBot, CautiousBot], size, deals)[0] >= 0.7 * 4 * deals


@pytest.mark.parametrize("bot", BOTS)
def test_legal_on_every_size_with_many_seats(bot: type[Bot]) -> None:
    for seats, size in ((2, 5), (5, 4), (8, 3)):
        match = play_match([bot] * seats, bytes(32), DominionOptions(size, 20))
        assert match.outcome.faults == ()


def test_search_looks_a_round_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the match is won before, its playouts end after the seat's next turn."""
    view = position("ask: deploy | dice: 3 4 | field: 7H+3 5C 2D-4 AS 9H 3C+1 4S 8D JC-1")
    bot, found = SearchBot(), set[int]()
    bot.begin(0, 2, DominionOptions(3, max_rounds=4), bytes(32))

    def standing(world: Any, _: int) -> float:
        found.add(world.round - view.round)
        return 0.0

    monkeypatch.setattr(bot, "standing", standing)
    bot.choose(view)
    assert max(found) == 1
