"""Turns as everybody can count them, in every game: the pace of a table goes
by them.
"""

from __future__ import annotations

from importlib import import_module
from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.game import REGISTRY, AnyGame, Options, get_game
from pips_referee.match import Match
from pips_referee.turns import turns_of

for _game in ("dominion", "pippip", "serpent", "wichita"):  # before a test that is not measured loads them
    import_module(f"pips_referee.games.{_game}.pace")


def matches(game: AnyGame, options: Options, seats: int, count: int) -> list[Match]:
    return [Match(game, options, seats, Chance(bytes([number]) * 32)) for number in range(count)]


@pytest.mark.parametrize("game", [name for name in REGISTRY if name != "dominion"])
def test_no_two_seats_are_asked_in_one_turn(game: str) -> None:
    """Or the second would know from the time whether the first was asked. In Dominion
    that is no secret.
    """
    rng = Random(5)
    rules = get_game(game)
    for match in matches(rules, rules.options(), max(rules.seats(rules.options())[:4]), 5):
        turns, seen = turns_of(game), 0
        asked: dict[int, int] = {}
        while (seat := match.to_ask) is not None:
            passed, seen = turns.count(match.log[seen:], match.state), len(match.log)
            assert asked.setdefault(passed, seat) == seat
            match.answer(match.state.sample_action(rng))


def test_what_is_forced_is_a_turn() -> None:
    """All twelve cards of a hand of Serpent are turns, whoever had to play what."""
    rules = get_game("serpent")
    for match in matches(rules, rules.options(), 2, 20):
        turns = turns_of("serpent")
        rng = Random(1)
        while match.to_ask is not None:
            match.answer(match.state.sample_action(rng))
        played = sum(type(event).__name__ in {"Given", "Revealed", "Played"} for event in match.log)
        assert turns.count(match.log, match.state) == played > match.outcome.questions
