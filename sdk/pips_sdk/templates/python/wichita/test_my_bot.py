"""Tests of MyBot: run `pytest` in this folder."""

from my_bot import MyBot

from pips_sdk import play_match
from pips_sdk.random_bot import random_bot
from pips_sdk.wichita import position

DEALS = [bytes([number]) * 32 for number in range(20)]
RandomBot = random_bot("wichita")


def test_it_plays_by_the_rules() -> None:
    for deal in DEALS[:5]:
        match = play_match([MyBot, RandomBot], deal)
        assert match.outcome.faults == ()


def test_it_is_better_than_random() -> None:
    """It should win more than half of twenty matches."""
    wins = [play_match([MyBot, RandomBot], deal).outcome.places[0] == 1 for deal in DEALS]
    assert sum(wins) > len(wins) / 2


def test_it_lays_all_the_stacks_there_are() -> None:
    """A situation from a short text: `position` documents its parts."""
    view = position("dice: 3 5 | hand: 8C 5D 3H | others: 4 | stock: 20")
    assert sum(map(len, MyBot().lay(view))) == len(view.hand)
