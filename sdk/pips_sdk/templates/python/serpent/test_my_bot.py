"""Tests of MyBot: run `pytest` in this folder."""

from my_bot import MyBot

from pips_sdk import play_match
from pips_sdk.random_bot import random_bot
from pips_sdk.serpent import Card, Suit, position

DEALS = [bytes([number]) * 32 for number in range(20)]
RandomBot = random_bot("serpent")


def test_it_plays_by_the_rules() -> None:
    for deal in DEALS[:5]:
        match = play_match([MyBot, RandomBot], deal)
        assert match.outcome.faults == ()


def test_it_is_better_than_random() -> None:
    """It should win more than half of twenty matches."""
    wins = [play_match([MyBot, RandomBot], deal).outcome.places[0] == 1 for deal in DEALS]
    assert sum(wins) > len(wins) / 2


def test_as_director_it_answers_with_a_pair() -> None:
    """A situation from a short text: `position` documents its parts."""
    view = position("hidden: 7D KC 2D 3S 4H | mine: 5S | theirs: 9H | lead: 7C")
    assert MyBot().answer(view) == Card.of(7, Suit.DIAMONDS)
