"""Hearts: four seats with hidden hands and passing, in 250 lines of rules."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import Any

import pytest

from pips_referee.cards import CARDS, parse_card, parse_cards
from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction
from pips_referee.game import AnyGame
from pips_sdk import Bot, play_match
from pips_sdk.random_bot import random_bot
from pips_sdk.samples import sample_class
from pips_sdk.text import parse, prompt
from tests.games.conftest import lines_of

MOST_LINES = 250
SEED = bytes([3]) * 32


@pytest.fixture
def parts(hearts: AnyGame) -> Any:
    return sys.modules["hearts"]


def test_its_rules_are_short() -> None:
    assert lines_of("hearts", "__init__.py") <= MOST_LINES


def begun(hearts: AnyGame, seed: bytes = SEED, **options: object) -> Any:
    return hearts.start(hearts.options(options), 4, Chance(seed))[0]


@pytest.mark.parametrize(("number", "to"), [(0, 1), (1, 3), (2, 2), (4, 1)])
def test_cards_are_passed_left_right_and_across(hearts: AnyGame, number: int, to: int) -> None:
    """Clause 2."""
    state, rng = begun(hearts, hands=number + 1), Random(1)
    while state.number < number or state.kind != "give":
        state.apply(state.sample_action(rng))
    for seat in range(4):
        assert (state.to_ask, len(state.hold[seat])) == (seat, 13)
        state.apply(state.sample_action(rng))
    for seat in range(4):
        assert state.view((seat + to) % 4).received == state.passed[seat]
    assert sorted([*state.played, *[card for hand in state.hold for card in hand]]) == [*CARDS]


def test_in_the_fourth_hand_and_without_passing_nobody_passes(hearts: AnyGame) -> None:
    assert begun(hearts, passing=False).kind == "play"
    state, rng = begun(hearts, hands=4), Random(2)
    while state.number < 3:
        state.apply(state.sample_action(rng))
    assert (state.kind, state.played[0]) == ("play", parse_card("2C"))


@pytest.mark.parametrize(
    ("hand", "played", "may"),
    [
        ("2C 3C AS", "", "2C"),  # clause 3
        ("3C 4D QS 5H", "2C", "3C"),  # clause 4
        ("4D QS 5H", "2C", "4D"),  # clause 5
        ("QS 5H", "2C", "QS 5H"),  # clause 5: nothing else
        ("4D QS 5H", "2C 3C 4C 5C 6D", "4D"),
        ("QS 5H", "2C 3C 4C 5C 6D", "QS 5H"),
        ("4D 5H", "2C 3C 4C 5C", "4D"),  # clause 6
        ("4H 5H", "2C 3C 4C 5C", "4H 5H"),  # clause 6: nothing else
        ("4D 5H", "2C 3C 4C 5C 6D QS 7D 8D", "4D 5H"),  # clause 6: broken by the queen
    ],
)
def test_what_may_be_played(parts: Any, hand: str, played: str, may: str) -> None:
    assert parts.playable(parse_cards(hand), parse_cards(played)) == [*parse_cards(may)]


@pytest.mark.parametrize(("taken", "scored"), [((0, 26, 0, 0), (26, 0, 26, 26)), ((1, 12, 13, 0), (1, 12, 13, 0))])
def test_who_takes_all_points_gets_none(parts: Any, taken: tuple[int, ...], scored: tuple[int, ...]) -> None:
    """Clauses 7 and 8: the last trick, which seat 1 takes with the ace."""
    state = parts.HeartsState(1, True, Chance(SEED))
    state.number, state.kind, state.to_ask, state.leaders = 0, "play", 0, [0] * 13
    last = parse_cards("2D AD KD 3C")
    state.played, state.hold = [*parse_cards("4C") * 48], [[card] for card in last]
    state.taken = [*taken]
    state.play_on()
    assert state.to_ask is None
    assert state.outcome().scores == tuple(-points for points in scored)


def test_what_is_refused_is_said(hearts: AnyGame, parts: Any) -> None:
    state = begun(hearts)
    one, two, three = state.hold[0][:3]
    for action in (parts.Pass((one, one, two)), parts.Pass((one, two, state.hold[1][0])), parts.Play(one)):
        with pytest.raises(IllegalAction):
            state.apply(action)
    state.apply(parts.Pass((three, one, two)))
    assert state.to_ask == 1


def test_worlds_know_what_was_passed_and_who_could_not_follow(hearts: AnyGame) -> None:
    state, rng, known = begun(hearts, hands=1), Random(4), Counter[str]()
    while state.to_ask is not None:
        view = state.view(state.to_ask)
        world = view.sample_world(rng)
        if view.kind == "play":
            known["passed"] += sum(card in world.hold[(view.seat + 1) % 4] for card in view.passed)
            assert all(card in world.hold[(view.seat + 1) % 4] for card in view.passed if card not in view.played)
            for place, card in enumerate(view.played):
                led, seat = view.played[place // 4 * 4], (view.leaders[place // 4] + place) % 4
                if card.suit != led.suit:
                    known["void"] += 1
                    assert all(other.suit != led.suit for other in world.hold[seat])
        state.apply(state.sample_action(rng))
    assert min(known["passed"], known["void"]) > 10


def test_a_bot_of_words_plays_to_the_end(hearts: AnyGame) -> None:
    """It reads the prompt alone, and gives its last example."""
    state, questions = begun(hearts, hands=1), 0
    while state.to_ask is not None:
        view = state.view(state.to_ask)
        asked = prompt(view)
        assert "Your hearts: " in asked
        state.apply(parse(asked.splitlines()[-1], view))
        questions += 1
    assert questions > 20


@pytest.mark.parametrize("name", ["greedy", "search"])
def test_its_samples_beat_random(hearts: AnyGame, name: str) -> None:
    points = [0, 0]
    for seat in range(4):
        bots: list[type[Bot]] = [random_bot("hearts")] * 4
        bots[seat] = sample_class("hearts", name)
        outcome = play_match(bots, bytes([4]) * 32, hearts.options({"hands": 1})).outcome
        assert outcome.faults == ()
        points[0] -= outcome.scores[seat]
        points[1] -= sum(outcome.scores)
    assert points[0] < points[1] / 4
