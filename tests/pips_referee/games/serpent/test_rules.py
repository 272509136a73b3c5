"""Cases beside the rulebook: reasons in words, views from scratch, random answers."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from random import Random

import pytest

from pips_referee.cards import CARDS, parse_card, parse_cards
from pips_referee.errors import IllegalAction
from pips_referee.game import OptionsError
from pips_referee.games.serpent.rules import GAME, SerpentState
from pips_referee.games.serpent.values import (
    Answer,
    Dealt,
    Give,
    HandScored,
    Lead,
    Played,
    Reason,
    Reveal,
    SerpentAction,
    SerpentEvent,
    SerpentOptions,
    SerpentView,
)
from tests.rigged import RiggedChance

DECK = "5D 2H 3S  5C KH 4S 5H JS 6D 8H 8S 8D"


def position(*actions: SerpentAction) -> SerpentState:
    """The first hand of a match after these answers."""
    state, _ = GAME.start(SerpentOptions(), 2, RiggedChance({"deck/1": parse_cards(DECK)}))
    for action in actions:
        state.apply(action)
    return state


GIVEN, TURNED = Give(parse_cards("8H 8S 8D")), Reveal(parse_cards("KH 4S 6D"))
LED = Lead(parse_card("5H"))


def refusal(state: SerpentState, action: SerpentAction) -> tuple[Reason, str]:
    with pytest.raises(IllegalAction) as caught:
        state.apply(action)
    assert caught.value.action is action and isinstance(caught.value.reason, Reason)
    return caught.value.reason, caught.value.sentence


@pytest.mark.parametrize(
    ("actions", "illegal", "reason", "sentence"),
    [
        ((), LED, Reason.WRONG_KIND, "Lead(card=5♥) does not answer a question to give"),
        ((), Give(parse_cards("5C KH")), Reason.WRONG_COUNT, "give takes 3 cards, not 2"),
        ((), Give(parse_cards("5C KH KH")), Reason.SAME_CARD_TWICE, "give takes 3 different cards"),
        ((), Give(parse_cards("5C KH AC")), Reason.NOT_IN_HAND, "A♣ is not in the hand"),
        ((GIVEN,), Reveal(()), Reason.WRONG_COUNT, "reveal takes 3 cards, not 0"),
        ((GIVEN,), Reveal(parse_cards("8H KH 5C")), Reason.NOT_IN_HAND, "8♥ is not in the hand"),
        ((GIVEN, TURNED), Lead(parse_card("8H")), Reason.NOT_IN_HAND, "8♥ is not in the hand"),
        (
            (GIVEN, TURNED, LED),
            Answer(parse_card("3S")),
            Reason.MUST_FOLLOW,
            "3♠ shares neither suit nor rank with 5♥: play one of 5♦ 2♥ 8♥",
        ),
        (
            (GIVEN, TURNED, LED),
            Answer(parse_card("8D")),
            Reason.MUST_FOLLOW,
            "8♦ shares neither suit nor rank with 5♥: play one of 5♦ 2♥ 8♥",
        ),
    ],
)
def test_why_an_answer_is_refused(
    actions: tuple[SerpentAction, ...], illegal: SerpentAction, reason: Reason, sentence: str
) -> None:
    assert refusal(position(*actions), illegal) == (reason, sentence)


def test_when_the_match_is_over_nobody_is_asked() -> None:
    state, _ = GAME.start(SerpentOptions(max_tiebreaks=0), 2, RiggedChance({}))
    while state.to_ask is not None:
        state.apply(next(state.legal_actions()))
    assert refusal(state, LED) == (Reason.WRONG_KIND, "Lead(card=5♥) does not answer a question to nobody")
    assert state.playable == () and state.view(0).playable == ()


@pytest.mark.parametrize("value", [-1, 1001, 2.5, "3"])
def test_max_tiebreaks_out_of_range(value: object) -> None:
    with pytest.raises(OptionsError, match=re.escape(f"max_tiebreaks is a whole number from 0 to 1000, not {value!r}")):
        GAME.options({"max_tiebreaks": value})


@pytest.mark.parametrize(("max_tiebreaks", "longest"), [(0, 96), (1, 120), (10, 336)])
def test_the_longest_match(max_tiebreaks: int, longest: int) -> None:
    """Twelve questions a hand: two to prepare it and at most ten for its cards."""
    assert GAME.longest(SerpentOptions(max_tiebreaks), 2) == longest


def test_what_the_director_sees() -> None:
    assert position(GIVEN, TURNED).view(0) == SerpentView(
        seat=0,
        kind="lead",
        hand_number=1,
        director=0,
        hidden=parse_cards("5C 5H JS"),
        face_up=parse_cards("6D KH 4S"),
        other_face_up=parse_cards("8D 8H 8S"),
        other_hidden_count=3,
        my_row=(None,) * 6,
        other_row=(None,) * 6,
        lead=None,
        playable=parse_cards("5C 5H JS 6D KH 4S"),
        my_points=0,
        other_points=0,
        hands=8,
        max_hands=28,
    )


def test_what_the_defender_sees_when_it_is_not_asked() -> None:
    view = position(GIVEN, TURNED).view(1)
    assert (view.kind, view.lead, view.playable) == ("", None, ())
    assert (view.hidden, view.face_up) == (parse_cards("5D 2H 3S"), parse_cards("8D 8H 8S"))
    assert view.hand == parse_cards("5D 2H 3S 8D 8H 8S")
    assert (view.other_face_up, view.other_hidden_count) == (parse_cards("6D KH 4S"), 3)
    assert list(view.legal_actions()) == [] and not view.is_director


def test_what_the_defender_is_asked() -> None:
    view = position(GIVEN, TURNED, LED).view(1)
    assert (view.kind, view.lead, view.playable) == ("answer", parse_card("5H"), parse_cards("5D 2H 8H"))
    assert list(view.legal_actions()) == [Answer(card) for card in view.playable]
    assert view.other_row[:2] == (parse_card("5H"), None)
    assert position(GIVEN, TURNED).view(0).is_director


@pytest.mark.parametrize("actions", [(), (GIVEN,), (GIVEN, TURNED), (GIVEN, TURNED, LED)])
def test_every_legal_answer_is_as_likely_as_any_other(actions: tuple[SerpentAction, ...]) -> None:
    state, rng = position(*actions), Random(3)
    assert state.to_ask is not None
    legal = list(state.legal_actions())
    view = state.view(state.to_ask)
    for sample in (state.sample_action, view.random_action):
        counts = Counter(sample(rng) for _ in range(200 * len(legal)))
        assert set(counts) == set(legal)
        assert all(130 < count < 270 for count in counts.values())


def test_nobody_who_is_not_asked_has_a_random_answer() -> None:
    with pytest.raises(LookupError, match=r"^nobody is asked, so there is no action$"):
        position().view(1).random_action(Random(1))


def test_hands_are_sorted_and_gifts_lie_sorted() -> None:
    state = position()
    assert state.view(0).hidden == tuple(sorted(parse_cards(DECK)[3:]))
    state.apply(Give(parse_cards("JS 5C 8D")))
    assert state.view(1).face_up == parse_cards("5C 8D JS")
    assert list(state.legal_actions()) == [Reveal(three) for three in combinations(state.view(0).hidden, 3)]


def test_the_deal_is_hidden_from_the_other() -> None:
    _, [deal] = GAME.start(SerpentOptions(), 2, RiggedChance({"deck/1": parse_cards(DECK)}))
    assert isinstance(deal, Dealt) and deal.chance
    assert deal.seen_by(0) == Dealt(1, 0, (deal.hands[0], None))
    assert deal.seen_by(1) == Dealt(1, 0, (None, deal.hands[1]))


def test_all_other_events_are_told_to_both() -> None:
    state, events = GAME.start(SerpentOptions(), 2, RiggedChance({}))
    while state.hand_number == 1:
        events += state.apply(next(state.legal_actions()))
    others = [event for event in events if not isinstance(event, Dealt)]
    assert {type(event).__name__ for event in others} == {"Given", "Revealed", "Played", "HandScored"}
    assert all(event.seen_by(seat) is event and not event.chance for event in others for seat in (0, 1))


def test_a_hand_from_a_pack_that_nobody_rigged() -> None:
    state, _ = GAME.start(SerpentOptions(), 2, RiggedChance({}))
    nine, three = state.view(0).hand, state.view(1).hand
    assert state.chance.shuffled("deck/1", CARDS)[:12] != [*three, *nine], "hands are sorted"
    assert set(state.chance.shuffled("deck/1", CARDS)[:3]) == set(three)
    assert set(state.chance.shuffled("deck/1", CARDS)[3:12]) == set(nine)


def test_events_of_one_answer_come_in_order() -> None:
    """A lead without a choice up to the end of the hand.

    The hand is scored and the next one dealt.
    """
    state = position(GIVEN, TURNED)
    events: list[SerpentEvent] = []
    for card in parse_cards("5C 2H KH 4S 3S 8H JS"):
        events = state.apply(Lead(card) if state.kind == "lead" else Answer(card))
    assert events[:4] == [
        Played(0, 4, parse_card("JS"), is_lead=True),
        Played(1, 4, parse_card("8S"), is_lead=False),
        Played(1, 5, parse_card("8D"), is_lead=True),
        Played(0, 5, parse_card("6D"), is_lead=False),
    ]
    scored, deal = events[4:]
    assert isinstance(scored, HandScored) and scored.score.points == 14
    assert isinstance(deal, Dealt) and (deal.hand_number, deal.director) == (2, 1)
    assert state.rows == [[], []] and state.face_up == [[], []] and state.column == 0
