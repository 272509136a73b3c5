"""Dominion's sample bots: legal everywhere, and each clearly better than the one
before.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pips_sample_bots.dominion.cautious_bot import CautiousBot
from pips_sample_bots.dominion.greedy_bot import GreedyBot
from pips_sdk import Bot, play_match
from pips_sdk.dominion import DominionOptions
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
