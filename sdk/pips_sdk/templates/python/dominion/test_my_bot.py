"""Tests of MyBot: run `pytest` in this folder."""

from my_bot import MyBot

from pips_sdk import play_match
from pips_sdk.dominion import position
from pips_sdk.random_bot import random_bot

DEALS = [bytes([number]) * 32 for number in range(20)]
RandomBot = random_bot("dominion")


def test_it_plays_by_the_rules() -> None:
    for deal in DEALS[:5]:
        match = play_match([MyBot, RandomBot], deal)
        assert match.outcome.faults == ()


def test_it_is_better_than_random() -> None:
    """It should win more than half of twenty matches."""
    wins = [play_match([MyBot, RandomBot], deal).outcome.places[0] == 1 for deal in DEALS]
    assert sum(wins) > len(wins) / 2


def test_it_attacks_where_it_is_stronger() -> None:
    """A situation from a short text: `position` documents its parts."""
    view = position("ask: declare | field: 10H+4 2C-1 3D AS-1 5H 6C 7D 8S 9H-1")
    assert MyBot().declare(view)
