"""Pip-Pip!'s sample bots: legal everywhere, and each clearly better than the one
before.
"""

from __future__ import annotations

import pytest

from pips_sample_bots.pippip.cautious_bot import CautiousBot
from pips_sample_bots.pippip.greedy_bot import GreedyBot
from pips_sdk import Bot, play_match
from pips_sdk.pippip import PippipOptions, Suit
from pips_sdk.random_bot import random_bot
from tests.rules.pippip_table import Table

RandomBot = random_bot("pippip")


def share(better: type[Bot], worse: type[Bot], seats: int, rules: str, deals: int) -> float:
    """How many of the others a bot beats on average, ties counting half, where both
    kinds sit in turn.

    Every deal is played with the seats one way and the other way round.
    """
    beaten = games = 0.0
    for deal in range(deals):
        for turned in range(2):
            seated = [(better, worse)[(place + turned) % 2] for place in range(seats)]
            outcome = play_match(seated, deal.to_bytes(32, "big"), PippipOptions(rules)).outcome
            assert outcome.faults == ()
            scores = list(zip(seated, outcome.scores, strict=True))
            mine = [score for bot, score in scores if bot is better]
            theirs = [score for bot, score in scores if bot is worse]
            beaten += sum((my > their) + (my == their) / 2 for my in mine for their in theirs)
            games += len(mine) * len(theirs)
    return beaten / games


@pytest.mark.unmeasured
@pytest.mark.parametrize("rules", ["fosdick", "hervey"])
@pytest.mark.parametrize("seats", [3, 4, 6])
def test_cautious_beats_random_and_greedy_beats_both(seats: int, rules: str) -> None:
    deals = 60 // seats
    assert share(CautiousBot, RandomBot, seats, rules, deals) > 0.65
    assert share(GreedyBot, RandomBot, seats, rules, deals // 2) > 0.7
    assert share(GreedyBot, CautiousBot, seats, rules, deals) > 0.54


@pytest.mark.parametrize("bot", [RandomBot, CautiousBot, GreedyBot])
@pytest.mark.parametrize(("rules", "seats"), [("hervey", 2), ("fosdick", 12), ("hervey", 12)])
def test_legal_with_few_and_with_many_seats(bot: type[Bot], rules: str, seats: int) -> None:
    assert play_match([bot] * seats, bytes(32), PippipOptions(rules, rounds=2)).outcome.faults == ()


def test_greedy_calls_last_what_makes_the_best_trumps_or_first() -> None:
    """P9.2, P9.3"""
    for rules, best_place in (("fosdick", -1), ("hervey", 0)):
        bot = GreedyBot()
        bot.begin(0, 3, PippipOptions(rules), bytes(32))
        table = Table("KH QH KS QS AS 2S 9S", "4C", "4C", rules=rules)
        assert bot.call(table.view(0))[best_place] == Suit.SPADES
