"""Serpent's imagined worlds: all possible ones, no others, all equally likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random

from pips_referee.cards import CARDS
from pips_referee.chance import Chance
from pips_referee.games.serpent.rules import GAME
from pips_referee.games.serpent.values import SerpentOptions, SerpentView
from pips_referee.games.serpent.worlds import imagine, possible_cards
from tests.pips_referee.games.even import assert_even


def asked(matches: int) -> Iterator[tuple[SerpentView, set[int]]]:
    """Views of random matches, each with the cards that the other really has hidden."""
    for number in range(matches):
        state, _ = GAME.start(SerpentOptions(0), 2, Chance(number.to_bytes(32, "big")))
        rng = Random(number)
        while state.to_ask is not None:
            yield state.view(state.to_ask), set(state.hidden[1 - state.to_ask])
            state.apply(state.sample_action(rng))


def test_the_truth_is_always_possible_and_often_narrowed() -> None:
    """S4: an answer of neither suit nor rank shows what the hand does not have."""
    narrowed = 0
    for view, hidden in asked(10):
        unseen = set(CARDS).difference(view.hand, view.other_face_up, view.my_row, view.other_row)
        possible = set(possible_cards(view))
        assert hidden <= possible <= unseen
        narrowed += possible < unseen
        for card in unseen - possible:
            assert any(lead is not None and (card.suit is lead.suit or card.rank == lead.rank) for lead in view.my_row)
    assert narrowed > 50


def test_all_hands_are_equally_likely() -> None:
    """Two hidden cards: every pair of possible cards comes up equally often."""
    view = next(view for view, _ in asked(20) if view.other_hidden_count == 2 and len(possible_cards(view)) < 20)
    rng = Random(1)
    pairs = [frozenset(pair) for pair in combinations(possible_cards(view), 2)]
    worlds = [imagine(view, Chance(bytes(32)), rng) for _ in range(20 * len(pairs))]
    assert_even(Counter(frozenset(world.hidden[1 - view.seat]) for world in worlds), pairs)


def test_luck_to_come_is_new() -> None:
    """Two worlds of one view never get the same deck."""
    view, _ = next(asked(1))
    rng = Random(1)
    chances = [getattr(view.sample_world(rng), "chance") for _ in range(100)]  # noqa: B009 - a state of any game
    assert len({chance.seed for chance in chances}) == 100
