"""Serpent's sample bots: legal, repeatable, each clearly better than the one before,
and cheap enough for a night.
"""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.games.serpent.rules import GAME
from pips_referee.games.serpent.values import Answer, HandScored, Lead
from pips_sample_bots.serpent.cautious_bot import CautiousBot
from pips_sample_bots.serpent.greedy_bot import GreedyBot
from pips_sample_bots.serpent.search_bot import PACK, Hand, SearchBot
from pips_sdk import play_match
from pips_sdk.random_bot import random_bot
from pips_sdk.serpent import SerpentBot, SerpentOptions

RandomBot = random_bot("serpent")

BOTS = (RandomBot, CautiousBot, GreedyBot, SearchBot)


def share(better: type[SerpentBot], worse: type[SerpentBot], deals: int) -> float:
    """Matches won, ties counting half; every deal is played both ways round."""
    won = 0.0
    for deal in range(deals):
        for seat in (0, 1):
            match = play_match([better, worse] if seat == 0 else [worse, better], deal.to_bytes(32, "big"))
            assert match.outcome.faults == ()
            mine, theirs = match.outcome.scores[seat], match.outcome.scores[1 - seat]
            won += (mine > theirs) + (mine == theirs) / 2
    return won / (2 * deals)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("better", "worse", "deals", "least"),
    [
        (CautiousBot, RandomBot, 25, 0.7),
        (GreedyBot, RandomBot, 25, 0.75),
        (GreedyBot, CautiousBot, 50, 0.52),
        (SearchBot, GreedyBot, 15, 0.6),
        (SearchBot, RandomBot, 5, 0.8),
    ],
)
def test_each_is_better_than_the_one_before(
    better: type[SerpentBot], worse: type[SerpentBot], deals: int, least: float
) -> None:
    assert share(better, worse, deals) >= least


@pytest.mark.parametrize("bot", BOTS)
def test_the_same_bot_answers_the_same_again(bot: type[SerpentBot]) -> None:
    one, other = (play_match([bot, GreedyBot], bytes(32), SerpentOptions(0)) for _ in range(2))
    assert one.log == other.log and one.outcome.faults == ()


def test_the_searchers_hand_goes_by_the_rules() -> None:
    """Its table for imagined worlds is a second, smaller implementation: both must
    agree card by card.
    """
    rng = Random(1)
    for number in range(20):
        state, log = GAME.start(SerpentOptions(0), 2, Chance(number.to_bytes(32, "big")))
        hand = None
        while state.hand_number == 1:
            if state.kind == "lead" and hand is None:
                cards = [list(state.view(seat).hand) for seat in (0, 1)]
                hand = Hand(cards, [[], []], 0, None)
            action = state.sample_action(rng)
            if hand is not None and isinstance(action, (Lead, Answer)):
                while len(hand.playable()) == 1:
                    hand.apply(hand.playable()[0])
                assert state.to_ask is not None
                assert (hand.role, set(hand.playable())) == (state.to_ask, set(state.view(state.to_ask).playable))
                hand.apply(action.card)
            log += state.apply(action)
        assert hand is not None
        [scored] = [event for event in log if isinstance(event, HandScored)]
        if hand.to_ask is not None:
            hand.apply(hand.likely_end(rng))
        assert hand.to_ask is None
        assert hand.worth() == scored.score.points, "what is left plays itself"


def test_imagined_worlds_agree_with_what_is_seen() -> None:
    state, _ = GAME.start(SerpentOptions(0), 2, Chance(bytes(32)))
    rng = Random(2)
    worlds = 0
    while state.hand_number == 1:
        if state.to_ask is not None and state.kind in {"lead", "answer"}:
            view = state.view(state.to_ask)
            bot = SearchBot()
            bot.begin(view.seat, 2, SerpentOptions(0), bytes(32))
            hand = bot.imagine(view)
            mine, theirs = (hand.cards[0], hand.cards[1]) if view.is_director else (hand.cards[1], hand.cards[0])
            played = [card for card in (*view.my_row, *view.other_row) if card is not None]
            assert mine == list(view.hand)
            assert len(theirs) == len(view.other_face_up) + view.other_hidden_count
            assert set(view.other_face_up) <= set(theirs) <= set(PACK) - {*mine, *played}
            assert set(hand.playable()) == set(view.playable)
            worlds += 1
        state.apply(state.sample_action(rng))
    assert worlds >= 5


def test_imagined_hands_end_by_the_rules() -> None:
    """Every card that is played on the way follows suit or rank, if one does."""
    rng = Random(3)
    for _ in range(200):
        cards = rng.sample(PACK, 12)
        hand = Hand([cards[:6], cards[6:]], [[], []], 0, None)
        hand.apply(rng.choice(hand.playable()))
        end = hand.copy()
        end.apply(end.likely_end(rng))
        assert end.to_ask is None and sorted(end.rows[0] + end.rows[1]) == sorted(cards)
        while hand.to_ask is not None:
            card = end.rows[hand.role][len(hand.rows[hand.role])]
            assert card in hand.playable()
            hand.apply(card)
