"""Pip-Pip! as a person reads it."""

from __future__ import annotations

import pytest

from pips_referee.cards import Suit, parse_card, parse_cards
from pips_referee.games.pippip.text import action_text, event_text, view_text
from pips_referee.games.pippip.values import (
    Call,
    Called,
    Cut,
    Dealt,
    DrawnForDeal,
    Drew,
    HandEnded,
    PippipAction,
    PippipEvent,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)
from tests.rules.pippip_table import Table

CLUBS, DIAMONDS, HEARTS, SPADES = Suit


def test_a_table_where_pairs_are_called() -> None:
    table = Table("2D KS QS KH QH", "4C", "4C", fill="CD", stock="KS 9S 9S")
    table.run("+S 2D")
    assert view_text(table.view(0)).splitlines() == [
        "hand 1 of 3, dealt by seat 2; trumps ♠",
        "82 cards in the stock",
        "                points tricks cards  face up",
        "  seat 0 (you)      50      0     7  K♠ Q♠",
        "  seat 1             0      0     7",
        "  seat 2             0      0     7",
        "this trick: seat 0 2♦; seat 0 is winning",
        "your hand: 3♣ 3♣ Q♥ K♥ K♠ hidden, K♠ Q♠ face up",
        "call any of these pairs, in any order, or nothing: ♥",
    ]
    table.run("+H")
    assert view_text(table.view(2)).splitlines()[0] == "hand 1 of 3, dealt by seat 2; trumps ♠, ♥ from the next lead on"
    assert view_text(table.view(2)).splitlines()[-1] == "you are not asked"
    assert view_text(table.view(1)).splitlines()[-1].startswith("follow with one of: ")


def test_a_card_that_lies_in_two_places() -> None:
    table = Table("KS KS QS 5D 6D 7D 8D", "4C", "4C")
    table.run("+S")
    assert view_text(table.view(0)).splitlines()[-4:] == [
        "  seat 2             0      0     7",
        "this trick: seat 0 leads",
        "your hand: 5♦ 6♦ 7♦ 8♦ K♠ hidden, K♠ Q♠ face up",
        "lead one of: 5♦ 6♦ 7♦ 8♦ K♠ Q♠ (K♠ hidden or face up)",
    ]


def test_the_last_tricks() -> None:
    table = Table("5D 6D", "4C", "4C", stock="AS KH", stock_size=2)
    assert view_text(table.view(0)).splitlines()[1] == "the rest of the stock lies face up: A♠ K♥"
    table = Table("3C 4C 5C 6C 7C 8C 9C", "3D 4D 5D 6D 7D 8D 9D", "3H 4H 5H 6H 7H 8H 9H", stock_size=0)
    assert view_text(table.view(1)).splitlines()[1] == "0 cards in the stock"
    assert view_text(table.view(1)).splitlines()[-2] == "your hand: 3♦ 4♦ 5♦ 6♦ 7♦ 8♦ 9♦ hidden, nothing face up"


def test_a_hand_that_lies_face_up() -> None:
    table = Table("KS KS QS QS KH QH 3C", "4C", "4C", stock_size=0)
    table.run("+SSH")
    assert view_text(table.view(0)).splitlines()[-2] == "your hand: 3♣ hidden, K♠ Q♠ K♠ Q♠ K♥ Q♥ face up"
    table.run("3C")
    assert view_text(table.view(0)).splitlines()[-2] == "your hand: nothing hidden, K♠ Q♠ K♠ Q♠ K♥ Q♥ face up"


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (DrawnForDeal((0, 2), parse_cards("AD KC")), "the deal is drawn for: seat 0 A♦, seat 2 K♣"),
        (Cut(1, parse_card("10H")), "seat 1 cuts 10♥"),
        (
            Dealt(1, 2, HEARTS, (parse_cards("3C 4C"), None)),
            "hand 1, dealt by seat 2, trumps ♥: seat 0 holds 3♣ 4♣; seat 1 holds ?",
        ),
        (Called(1, (HEARTS, SPADES)), "seat 1 calls Pip-Pip! ♥ ♠"),
        (TrumpsChanged(DIAMONDS), "trumps are ♦ now"),
        (Played(0, parse_card("QS"), False), "seat 0 plays Q♠"),
        (Played(0, parse_card("QS"), True), "seat 0 plays Q♠ from those face up"),
        (Drew(1, None), "seat 1 draws a card"),
        (Drew(1, parse_card("2C")), "seat 1 draws 2♣"),
        (TrickWon(0, 21), "seat 0 takes the trick, 21 points"),
        (TrickWon(0, 1), "seat 0 takes the trick, 1 point"),
        (StockTurned(parse_cards("2C 9D")), "the rest of the stock lies face up: 2♣ 9♦"),
        (HandEnded(2, (50, 0)), "hand 2 is over: seat 0 50, seat 1 0"),
    ],
)
def test_events(event: PippipEvent, text: str) -> None:
    assert event_text(event) == text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Call(), "call nothing"),
        (Call((CLUBS, HEARTS)), "call ♣ ♥"),
        (Play(parse_card("KH")), "play K♥"),
        (Play(parse_card("KH"), face_up=True), "play K♥ from those face up"),
    ],
)
def test_actions(action: PippipAction, text: str) -> None:
    assert action_text(action) == text
