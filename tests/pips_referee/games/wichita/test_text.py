"""Wichita as a person reads it."""

from __future__ import annotations

import pytest

from pips_referee.cards import parse_card, parse_cards
from pips_referee.games.wichita.text import action_text, event_text, view_text
from pips_referee.games.wichita.values import (
    DrawOn,
    Drew,
    Laid,
    Lay,
    Rolled,
    RolledForFirst,
    TurnedUp,
    WichitaAction,
    WichitaEvent,
    WichitaView,
)

STACKS = (parse_cards("10C 2D"), parse_cards("8S"))
LAID = (1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1)


def view(kind: str, hand: str, player: int = 0, laid: tuple[int, ...] = LAID) -> WichitaView:
    cards = parse_cards(hand)
    return WichitaView(0, kind, player, (2, 6), cards, (len(cards), 11), (1, 12), 31, laid, 1)


def test_a_question_to_draw() -> None:
    assert view_text(view("draw", "3C 9H")).splitlines() == [
        "your turn, ⚁ ⚅ (2 + 6 = 8); 31 cards in the stock",
        "  seat 0 (you)   1 point,  2 cards:  -1",
        "  seat 1       12 points, 11 cards:   1",
        "laid so far: A×1, 10×2, K×1",
        "your hand: 3♣ 9♥",
        "draw 4 more?",
    ]


def test_a_question_to_lay() -> None:
    assert view_text(view("lay", "2C 6H 8S 10D")).splitlines()[-5:] == [
        "your hand: 2♣ 6♥ 8♠ 10♦",
        "lay stacks that make 8, such as:",
        "  6♥ 2♣ (2 points)",
        "  8♠",
        "  10♦ 2♣",
    ]


def test_a_question_with_many_stacks_shows_a_dozen_of_them() -> None:
    heading = "lay stacks that make 8, such as:"
    lines = view_text(view("lay", "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC")).splitlines()
    assert len(lines) - lines.index(heading) - 1 == 12
    assert lines[-1] != "  ..."
    lines = view_text(view("lay", "AC AD 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC")).splitlines()
    assert len(lines) - lines.index(heading) - 1 == 13
    assert lines[-1] == "  ..."


def test_a_view_of_who_is_not_asked() -> None:
    lines = view_text(view("", "", player=1, laid=(0,) * 13)).splitlines()
    assert lines[0].startswith("seat 1's turn, ")
    assert lines[3:] == ["laid so far: nothing", "your hand: nothing", "you are not asked"]


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (RolledForFirst(1, (3, 4)), "seat 1 rolls ⚂ ⚃ (3 + 4 = 7) for the first turn"),
        (Rolled(0, (1, 5)), "seat 0 rolls ⚀ ⚄ (1 + 5 = 6)"),
        (Drew(2, 1, parse_cards("KS")), "seat 2 draws 1 card: K♠"),
        (Drew(2, 3, None), "seat 2 draws 3 cards"),
        (Laid(1, (), 0), "seat 1 lays nothing"),
        (Laid(1, STACKS[1:], 1), "seat 1 lays 8♠ for 1 point"),
        (Laid(1, STACKS, 2), "seat 1 lays 10♣ 2♦, 8♠ for 2 points"),
        (TurnedUp(1, parse_card("KS")), "seat 1 has no cards left and turns up K♠ for 1 point"),
    ],
)
def test_events(event: WichitaEvent, text: str) -> None:
    assert event_text(event) == text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (DrawOn(more=True), "draw on"),
        (DrawOn(more=False), "draw no more"),
        (Lay(()), "lay nothing"),
        (Lay(STACKS), "lay 10♣ 2♦, 8♠"),
    ],
)
def test_actions(action: WichitaAction, text: str) -> None:
    assert action_text(action) == text
