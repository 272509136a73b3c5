"""Pip-Pip!'s imagined worlds: all deals that agree with the view, equally likely.

A seat that does not follow shows what it lacks (P5).
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from pips_referee.cards import Suit, parse_cards
from pips_referee.chance import Chance
from pips_referee.games.pippip import worlds
from pips_referee.games.pippip.rules import GAME, PippipState
from pips_referee.games.pippip.values import PippipOptions
from pips_referee.games.pippip.worlds import imagine
from tests.pips_referee.games.even import assert_even


def count(state: PippipState, seat: int, suit: Suit) -> int:
    return sum(card.suit is suit for card in state.hidden[seat])


@pytest.mark.parametrize("seats", [3, 7, 12])
def test_the_truth_is_always_within_the_limits(seats: int) -> None:
    """P5, P6, P8: whatever is played, drawn or called."""
    state, _ = GAME.start(PippipOptions(), seats, Chance(bytes(32)))
    rng, tight = Random(1), 0
    while state.to_ask is not None:
        view = state.view(state.to_ask)
        for seat in range(seats):
            for suit in Suit:
                limit = view.suit_limit(seat, suit)
                assert count(state, seat, suit) <= limit <= 7
                tight += limit == 0
        state.apply(state.sample_action(rng))
    assert tight > 50


def test_worlds_keep_within_the_limits() -> None:
    """Worlds agree even in the last tricks of a large table, where no shuffle does."""
    state, _ = GAME.start(PippipOptions(), 8, Chance(bytes(32)))
    rng, looked_at = Random(2), 0
    while state.to_ask is not None and looked_at < 30:
        if state.view(state.to_ask).suit_limits.count(0) > 8:
            view = state.view(state.to_ask)
            world = imagine(view, state.chance, rng)
            assert all(count(world, seat, suit) <= view.suit_limit(seat, suit) for seat in range(8) for suit in Suit)
            looked_at += 1
        state.apply(state.sample_action(rng))
    assert looked_at == 30


@pytest.mark.parametrize("shuffles", [0, 10])
def test_all_deals_are_equally_likely(monkeypatch: pytest.MonkeyPatch, shuffles: int) -> None:
    """Six cards: two each for seats 1 and 2 and the stock.

    Seat 1 has no clubs, seat 2 at most one heart.
    """
    monkeypatch.setattr(worlds, "SHUFFLES", shuffles)
    state, _ = GAME.start(PippipOptions("hervey"), 3, Chance(bytes(32)))
    unseen = parse_cards("3C 4C 5H 6H 7S 8D")
    for card in range(52):
        state.played[card] = 2 - unseen.count(card)
    state.hidden, state.face_up = [[], list(unseen[:2]), list(unseen[2:4])], [(), (), ()]
    state.deck, state.drawn = list(unseen[4:]), 0
    state.limits = [bytearray([7, 7, 7, 7]), bytearray([0, 7, 7, 7]), bytearray([7, 7, 1, 7])]
    state.to_ask, state.kind = 0, "play"
    view, rng = state.view(0), Random(3)
    counts: Counter[object] = Counter()
    for _ in range(4000):
        hidden, stock = worlds.deal(view, rng)
        counts[frozenset(hidden[1]), frozenset(hidden[2]), frozenset(stock)] += 1
    legal = {
        (frozenset(order[:2]), frozenset(order[2:4]), frozenset(order[4:]))
        for order in permutations(unseen)
        if not any(card.suit is Suit.CLUBS for card in order[:2])
        and sum(card.suit is Suit.HEARTS for card in order[2:4]) < 2
    }
    if shuffles:
        assert_even(counts, legal)
    else:  # exchanges come close
        assert set(counts) == legal
        assert max(counts.values()) < 2.5 * min(counts.values())


@pytest.mark.parametrize("rules", ["fosdick", "hervey"])
def test_a_world_has_the_rules_of_its_table(rules: str) -> None:
    """P9."""
    state, _ = GAME.start(PippipOptions(rules), 3, Chance(bytes(32)))
    assert state.to_ask is not None
    world = imagine(state.view(state.to_ask), state.chance, Random(1))
    assert world.last_call_rules == (rules == "fosdick")


@pytest.mark.parametrize("windows", ["house", "fosdick", "hervey"])
def test_a_world_offers_the_windows_that_the_table_does(windows: str) -> None:
    """P7.3, P13: the same number of seats get the chance, in every window."""
    rng, lefts = Random(2), Counter[int]()
    for seed in range(40):
        state, _ = GAME.start(PippipOptions(windows=windows, hands=1), 4, Chance(bytes([seed] * 32)))
        while state.to_ask is not None:
            if state.kind == "call":
                world = imagine(state.view(state.to_ask), Chance(bytes(32)), rng)
                assert world.windows_left == state.windows_left
                assert (world.windows, world.after_draw, world.after_card) == (
                    state.windows, state.after_draw, state.after_card,
                )  # fmt: skip
                lefts[world.windows_left] += 1
            state.apply(state.sample_action(rng))
    assert len(lefts) == 4
