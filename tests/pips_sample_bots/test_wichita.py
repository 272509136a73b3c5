"""Wichita's sample bots: legal everywhere, and each clearly better than the
one before.
"""

from __future__ import annotations

import pytest

from pips_sample_bots.wichita.cautious_bot import CautiousBot
from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk import Bot, play_match
from pips_sdk.random_bot import random_bot
from pips_sdk.wichita import WichitaOptions

RandomBot = random_bot("wichita")


def share(better: type[Bot], worse: type[Bot], seats: int, deals: int) -> float:
    """How many of the others one bot beats on average, ties counting half; it sits
    everywhere once on every deal.
    """
    beaten = 0.0
    for deal in range(deals):
        for seat in range(seats):
            seated = [better if place == seat else worse for place in range(seats)]
            outcome = play_match(seated, deal.to_bytes(32, "big")).outcome
            assert outcome.faults == ()
            others = [score for place, score in enumerate(outcome.scores) if place != seat]
            beaten += sum((outcome.scores[seat] > score) + (outcome.scores[seat] == score) / 2 for score in others)
    return beaten / (deals * seats * (seats - 1))


@pytest.mark.unmeasured
@pytest.mark.parametrize("seats", range(2, 13))
def test_greedy_beats_random_with_every_number_of_seats(seats: int) -> None:
    assert share(GreedyBot, RandomBot, seats, deals=max(2, 24 // seats)) > 0.8


@pytest.mark.unmeasured
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_cautious_beats_random_and_greedy_beats_cautious(seats: int) -> None:
    deals = 60 // seats
    assert share(CautiousBot, RandomBot, seats, deals) > 0.65
    assert share(GreedyBot, CautiousBot, seats, deals) > 0.55


@pytest.mark.parametrize("bot", [RandomBot, CautiousBot, GreedyBot])
@pytest.mark.parametrize(("seats", "decks"), [(2, 12), (12, 1), (12, 12)])
def test_legal_with_few_and_with_many_cards(bot: type[Bot], seats: int, decks: int) -> None:
    assert play_match([bot] * seats, bytes(32), WichitaOptions(decks)).outcome.faults == ()
