"""Tests of MyBot: run `pytest` in this folder."""

from my_bot import MyBot

from pips_referee.game import get_game
from pips_sdk import play_match
from pips_sdk.random_bot import random_bot

DEALS = [bytes([number]) * 32 for number in range(5)]


def test_it_plays_by_the_rules() -> None:
    game = get_game("GAME")
    others = [random_bot("GAME")] * (game.seats(game.options())[0] - 1)
    for deal in DEALS:
        assert play_match([MyBot, *others], deal).outcome.faults == ()
