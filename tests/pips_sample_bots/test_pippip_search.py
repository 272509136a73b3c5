"""Pip-Pip!'s search bot: two seats' last hands are open, and played perfectly."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.games.pippip.rules import GAME, PippipState
from pips_sample_bots.pippip.greedy_bot import GreedyBot, cards_left
from pips_sample_bots.pippip.search_bot import HAND_CARDS, OpenHands, SearchBot
from pips_sdk import play_match
from pips_sdk.pippip import Call, PippipOptions

HERVEY = PippipOptions("hervey", hands=1)


def last_questions(most_cards: int, deals: int) -> Iterator[PippipState]:
    """Questions of last tricks with at most `most_cards` in a hand."""
    rng = Random(1)
    for deal in range(deals):
        state, _ = GAME.start(HERVEY, 2, Chance(deal.to_bytes(32, "big")))
        while state.to_ask is not None:
            seat = state.to_ask
            if not state.drawing and state.kind == "play" and state.view(seat).hand_counts[seat] <= most_cards:
                yield state.copy()
            state.apply(state.sample_action(rng))


def ahead(state: PippipState, seat: int) -> int:
    """By brute force: the seat's points less the other's, if both play perfectly."""
    if state.to_ask is None:
        return state.points[seat] - state.points[1 - seat]
    found = []
    for action in state.legal_actions():
        twin = state.copy()
        twin.apply(action)
        found.append(ahead(twin, seat))
    return max(found) if state.to_ask == seat else min(found)


def bot_at(seat: int) -> SearchBot:
    bot = SearchBot()
    bot.begin(seat, 2, HERVEY, bytes(32))
    return bot


@pytest.mark.unmeasured
def test_no_answer_is_better() -> None:
    """The answer of the bot leads to as much as the best of all answers."""
    perfect = 0
    for state in last_questions(4, 25):
        seat = state.to_ask
        assert seat is not None
        view, bot = state.view(seat), bot_at(seat)
        theirs = bot.open_hand(view, cards_left(view))
        if theirs is None:
            continue
        assert theirs == tuple(sorted((*state.hidden[1 - seat], *state.face_up[1 - seat])))
        twin = state.copy()
        twin.apply(bot.choose(view))
        assert ahead(twin, seat) == ahead(state, seat)
        perfect += 1
    assert perfect > 25


def test_hands_that_may_call_are_left_to_the_outlook() -> None:
    """A king and a queen of a suit in one hand; the answer is legal all the same."""
    left = 0
    for state in last_questions(HAND_CARDS, 10):
        seat = state.to_ask
        assert seat is not None
        view, bot = state.view(seat), bot_at(seat)
        if bot.open_hand(view, cards_left(view)) is None:
            left += 1
            action = bot.choose(view)
            assert not isinstance(action, Call)
            state.apply(action)
    assert left


def test_the_hands_looked_at_are_bounded() -> None:
    for state in last_questions(HAND_CARDS, 5):
        seat = state.to_ask
        assert seat is not None
        bot = bot_at(seat)
        bot.choose(state.view(seat))
        assert bot.open_hands.ahead.cache_info().currsize <= 2 * 3432


def test_whole_matches() -> None:
    for rounds in (1, 2):
        match = play_match([SearchBot, GreedyBot], bytes(32), PippipOptions("hervey", rounds=rounds))
        assert match.outcome.faults == ()


def test_the_leader_takes_what_the_other_cannot_beat() -> None:
    """Nothing left is worth nothing."""
    state = next(last_questions(HAND_CARDS, 1))
    assert OpenHands(state.trumps).ahead((), ()) == 0
