"""Kuhn poker: its rules in 120 lines, worlds included, and its known values."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import count
from math import sqrt
from random import Random
from typing import Any

import pytest

from pips_referee.chance import Chance
from pips_referee.game import AnyGame
from pips_sdk import Bot, play_match
from pips_sdk.random_bot import random_bot
from pips_sdk.samples import sample_class
from pips_sdk.search import asked, compare
from tests.games.conftest import lines_of
from tests.rigged import RiggedChance

MOST_LINES = 120
WORLDS = 1200
JACK, QUEEN, KING = 11, 12, 13


def test_its_rules_are_short() -> None:
    assert lines_of("kuhn", "__init__.py", "worlds.py") <= MOST_LINES


@pytest.fixture
def kuhn_module(kuhn: AnyGame) -> Any:
    return sys.modules["kuhn"]


@pytest.mark.parametrize(
    ("cards", "answers", "chips"),
    [
        ("KS QS", "pp", (1, -1)), ("JS QS", "pp", (-1, 1)), ("JS KS", "bp", (1, -1)), ("JS KS", "pbp", (-1, 1)),
        ("KS JS", "bb", (2, -2)), ("QS KS", "pbb", (-2, 2)),
    ],
)  # fmt: skip
def test_each_way_to_play_a_hand(kuhn: AnyGame, kuhn_module: Any, cards: str, answers: str, chips: Any) -> None:
    pack = [kuhn_module.parse_cards(cards)]
    state, _ = kuhn.start(kuhn.options({"hands": 1}), 2, RiggedChance({"deal/0": pack[0]}))
    shown = []
    for answer in answers:
        events = state.apply(kuhn_module.Bet() if answer == "b" else kuhn_module.Pass())
        shown += [event for event in events if isinstance(event, kuhn_module.Shown)]
    assert (state.to_ask, state.outcome().scores) == (None, chips)
    assert len(shown) == (answers[-2:] in {"pp", "bb"})


def equilibrium(rng: Random, bluff: Fraction) -> Any:
    """The policy of both seats in the equilibrium in which a jack bets so often."""

    def policy(state: Any) -> Any:
        view, third = asked(state), Fraction(1, 3)
        chances: dict[Any, dict[int, Any]] = {
            (): {JACK: bluff, QUEEN: 0, KING: 3 * bluff},
            (False,): {JACK: third, QUEEN: 0, KING: 1},
            (True,): {JACK: 0, QUEEN: third, KING: 1},
            (False, True): {JACK: 0, QUEEN: bluff + third, KING: 1},
        }
        bets = rng.random() < chances[view.bets][view.card.rank]
        pass_it, bet = view.legal_actions()
        return bet if bets else pass_it

    return policy


@pytest.mark.parametrize("bluff", [Fraction(0), Fraction(1, 4)])
def test_search_finds_the_known_values(kuhn: AnyGame, bluff: Fraction) -> None:
    """Against the equilibrium the first seat gets -1 with a jack and 7/6 with a king,
    whatever it does; with a queen -1/3, and 1/6 less if it bets: -1/18 in the mean.
    """
    rng = Random(5)
    total, error = 0.0, 0.0
    due = {JACK: (-1, -1), QUEEN: (-1 / 3, -1 / 2), KING: (7 / 6, 7 / 6)}
    for rank, (passes, bets) in due.items():
        view = first_view(kuhn, rank)
        found = compare(view, view.legal_actions(), equilibrium(rng, bluff), rng, worlds=WORLDS, result=chips_of)
        for mean, results, known in zip(found.means, found.results, (passes, bets), strict=True):
            spread = sqrt(sum((result - mean) ** 2 for result in results) / WORLDS / (WORLDS - 1))
            assert abs(mean - known) <= 3.5 * spread, (rank, mean, known)
        total, error = total + found.means[0] / 3, error + 1 / WORLDS / 9 * 4
        if rank == QUEEN:
            pass_it, bet = view.legal_actions()
            cost = found.cost(bet, pass_it)
            assert cost.mean - 3.5 * cost.error <= 1 / 6 <= cost.mean + 3.5 * cost.error
    assert abs(total + 1 / 18) <= 3.5 * sqrt(error)


def chips_of(state: Any, seat: int) -> float:
    return float(state.chips[seat])


def first_view(kuhn: AnyGame, rank: int) -> Any:
    """The view of the first question of a hand with that card."""
    for number in count():
        state, _ = kuhn.start(kuhn.options({"hands": 1}), 2, Chance(number.to_bytes(32, "big")))
        if state.view(0).card.rank == rank:
            return state.view(0)
    raise AssertionError


def test_its_sample_searches_and_wins() -> None:
    search, scores = sample_class("kuhn", "search"), [0, 0]
    for number in range(6):
        for first in (0, 1):
            bots: list[type[Bot]] = [random_bot("kuhn"), random_bot("kuhn")]
            bots[first] = search
            outcome = play_match(bots, bytes([number]) * 32).outcome
            assert outcome.faults == ()
            scores[0] += outcome.scores[first]
            scores[1] += outcome.scores[1 - first]
    assert scores[0] > scores[1]
