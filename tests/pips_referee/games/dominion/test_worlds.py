"""Dominion's imagined worlds: every card of the stock is equally likely to be next."""

from __future__ import annotations

from collections import Counter
from random import Random

from pips_referee.cards import CARDS
from pips_referee.chance import Chance
from pips_referee.games.dominion.rules import GAME
from pips_referee.games.dominion.values import DominionOptions
from pips_referee.games.dominion.worlds import imagine
from tests.pips_referee.games.even import assert_even


def test_the_next_card_is_any_of_the_stock() -> None:
    state, _ = GAME.start(DominionOptions(), 2, Chance(bytes(32)))
    rng = Random(1)
    while state.turned_count < 12 or state.to_ask is None:
        state.apply(state.sample_action(rng))
    view = state.view(state.to_ask)
    worlds = [imagine(view, state.chance, rng) for _ in range(4000)]
    left = set(CARDS).difference(view.discards)
    assert_even(Counter(world.stock[world.turned_count] for world in worlds), left)
    assert all(world.stock[: world.turned_count] == view.discards for world in worlds)


def test_who_may_resign_has_had_armies() -> None:
    """D12: the worlds ask the seats that the table would.

    On a small playfield some seats find no room for rounds.
    """
    rng, waiting = Random(1), 0
    for seed in range(10):
        state, _ = GAME.start(DominionOptions(size=3, max_rounds=4), 8, Chance(bytes([seed] * 32)))
        while state.to_ask is not None:
            world = imagine(state.view(state.to_ask), state.chance, rng)
            assert world.had_armies == state.had_armies
            waiting += state.round > 1 and not all(state.had_armies)
            state.apply(state.sample_action(rng))
    assert waiting > 50
