"""No seat learns a secret: not by views, events, numbers, lengths or silences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from pips_referee.cards import Card, parse_card, parse_cards
from pips_referee.game import Event
from pips_referee.games.serpent.values import Answer, Give, Lead, Played, Reveal
from pips_referee.laws.twins import changes, compare, first_world
from pips_referee.match import Match
from tests.contract.cases import CASES, Case, cards_in, chance, inside
from tests.rigged import RiggedChance

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
pytestmark = pytest.mark.unmeasured  # the same lines again, in many worlds
SERPENT = CASES[0]
HIDDEN_HANDS = ("wichita", "pippip")
"""Games in which it often happens that one world asks where another does not.

Serpent has a test of its own below.
"""


@pytest.mark.parametrize("game", HIDDEN_HANDS)
def test_silences_tell_nothing(game: str) -> None:
    """Another seat was asked in one world and not in the other, and everything sent was
    the same.
    """
    for case in CASES:
        if case.game_name == game and case.label in {"usual", "hervey-least"}:
            world = first_world(case, 2, 0)
            deals = (change for change in changes(world, Random(2)) if change.kind == "shuffle")
            assert sum(compare(world, change).silences for change in islice(deals, 60)), case.id


def serpent_world(hidden: str) -> Match:
    """The defender of Serpent's first hand holds these three hidden cards, and has
    answered the first lead.
    """
    deck = parse_cards(f"{hidden}  5C KH 4S 5H JS 6D 8H 8S 8D")
    match = Match(SERPENT.game, SERPENT.options, 2, RiggedChance({"deck/1": deck}))
    match.answer(Give(parse_cards("8H 8S 8D")))
    match.answer(Reveal(parse_cards("KH 4S 6D")))
    match.answer(Lead(parse_card("5C")))
    if match.state.kind == "answer":
        match.answer(Answer(parse_card("5D")))
    match.answer(Lead(parse_card("2H")))
    return match


def test_serpent_does_not_tell_whether_an_answer_was_forced() -> None:
    """S4.4: with a club besides, the five of diamonds was a choice; without one it
    played itself.
    """
    forced, free = serpent_world("5D 2H 3S"), serpent_world("5D 2H 9C")
    assert len(free.history) == len(forced.history) + 1
    assert forced.question() == free.question()
    assert forced.question().events[-2:] == (
        Played(1, 0, parse_card("5D"), False),
        Played(1, 1, parse_card("2H"), True),
    )


def whole_log(case: Case) -> Iterator[Event]:
    state, log = case.start(chance(3))
    rng = Random(3)
    while state.to_ask is not None:
        log += state.apply(state.sample_action(rng))
    return iter(log)


@every_case
def test_events_show_each_seat_all_cards_but_those_of_others(case: Case) -> None:
    private = inside(case.game_name).private
    for event in whole_log(case):
        secrets = private(event)
        for seat in range(case.seats):
            shown: Counter[Card] = cards_in(event)
            for owner, cards in secrets.items():
                if owner != seat:
                    shown -= Counter(cards)
            seen = event.seen_by(seat)
            assert (Counter() if seen is None else cards_in(seen)) == shown, (event, seat)
            assert secrets or seen == event, "what hides no cards is told to everybody"
