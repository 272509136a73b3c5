"""Tests of MyBot: run `pytest` in this folder."""

from my_bot import MyBot

from pips_sdk import play_match
from pips_sdk.pippip import Card, Suit, position
from pips_sdk.random_bot import random_bot

DEALS = [bytes([number]) * 32 for number in range(20)]
RandomBot = random_bot("pippip")


def test_it_plays_by_the_rules() -> None:
    for deal in DEALS[:5]:
        match = play_match([MyBot, RandomBot, RandomBot], deal)
        assert match.outcome.faults == ()


def test_it_is_better_than_random() -> None:
    """It should win more than a third of twenty matches."""
    wins = [play_match([MyBot, RandomBot, RandomBot], deal).outcome.places[0] == 1 for deal in DEALS]
    assert sum(wins) > len(wins) / 3


def test_it_takes_a_trick_that_has_points() -> None:
    """A situation from a short text: `position` documents its parts."""
    view = position("trumps: spades | trick: 5H AH | hand: 2H 3H 3C 4D 9C 10S 6D")
    assert MyBot().play(view) == Card.of(2, Suit.HEARTS)
