"""Pip-Pip!'s base class: right and wrong answers of a bot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pips_referee.cards import Card, Suit, parse_card
from pips_sdk import play_match
from pips_sdk.bot import BotError
from pips_sdk.pippip import Call, PippipBot, PippipOptions, PippipView, Play
from tests.rules.pippip_table import Table

HEARTS, SPADES = Suit.HEARTS, Suit.SPADES


def calling() -> PippipView:
    return Table("KH QH KS QS", "4C", "4C").view(0)


def playing() -> PippipView:
    """With a king of hearts hidden, and another one face up beside its queen."""
    table = Table("KH KH QH 5D", "4C", "4C")
    table.run("+H")
    return table.view(0)


@pytest.mark.parametrize("windows", ["house", "fosdick", "hervey"])
@pytest.mark.parametrize("rules", ["fosdick", "hervey"])
def test_the_defaults_play_under_all_windows(rules: str, windows: str) -> None:
    match = play_match([PippipBot] * 4, bytes(32), PippipOptions(rules, windows=windows, hands=2))
    assert match.outcome.faults == ()


def answering(answer: Callable[[PippipView], Any]) -> PippipBot:
    class Answering(PippipBot):
        def call(self, view: PippipView) -> Any:
            return answer(view)

        def play(self, view: PippipView) -> Any:
            return answer(view)

    return Answering()


def test_the_defaults_are_legal() -> None:
    assert PippipBot().choose(calling()) == Call((HEARTS, SPADES))
    assert PippipBot().choose(playing()) in set(playing().legal_actions())
    for rules, seats in (("hervey", 2), ("fosdick", 5), ("fosdick", 12)):
        assert play_match([PippipBot] * seats, bytes(32), PippipOptions(rules)).outcome.faults == ()


@pytest.mark.parametrize("got", [(), [], (SPADES,), [SPADES, HEARTS]])
def test_calls(got: tuple[Suit, ...] | list[Suit]) -> None:
    assert answering(lambda _: got).choose(calling()) == Call(tuple(got))


@pytest.mark.parametrize("got", [None, SPADES, {SPADES}, "S", ["S"], [2], (None,), Call()])
def test_what_is_no_list_of_suits(got: object) -> None:
    with pytest.raises(BotError, match=r"Answering\.call\(\) must return Suits in a tuple or list"):
        answering(lambda _: got).choose(calling())


@pytest.mark.parametrize(
    ("card", "play"),
    [
        (parse_card("5D"), Play(parse_card("5D"))),
        (parse_card("QH"), Play(parse_card("QH"), face_up=True)),
        (parse_card("KH"), Play(parse_card("KH"), face_up=True)),
    ],
)
def test_a_card_is_played_from_where_it_lies(card: Card, play: Play) -> None:
    """P12: of two identical cards the one face up is played; it has made its pair."""
    assert answering(lambda _: card).choose(playing()) == play


def test_the_hidden_one_of_two_can_be_played() -> None:
    """P12"""
    hidden = Play(parse_card("KH"), face_up=False)
    assert answering(lambda _: hidden).choose(playing()) == hidden


@pytest.mark.parametrize("got", [None, 5, "KH", (parse_card("KH"),), SPADES])
def test_what_is_no_card(got: object) -> None:
    with pytest.raises(BotError, match=r"Answering\.play\(\) must return one Card"):
        answering(lambda _: got).choose(playing())
