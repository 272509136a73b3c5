"""Pip-Pip!'s values go through their messages unchanged; empty messages are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pips.v1 import game_pb2, pippip_pb2
from pips_referee.cards import Card, Suit, parse_card, parse_cards
from pips_referee.errors import MalformedMessage, OptionsError
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
    PippipOptions,
    PippipView,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)
from pips_referee.games.pippip.wire import WIRE
from tests.rules.pippip_table import Table

CLUBS, DIAMONDS, HEARTS, SPADES = Suit
ACE_OF_CLUBS = parse_card("AC")
"""Byte 0, like seat 0 and clubs: values absent on the wire must still arrive."""


def sent_view(view: PippipView) -> PippipView:
    message = game_pb2.GameView()
    WIRE.write_view(view, message)
    return WIRE.read_view(game_pb2.GameView.FromString(message.SerializeToString()))


@pytest.mark.parametrize("options", [PippipOptions(), PippipOptions("hervey", 10), PippipOptions("fosdick", 2)])
def test_options(options: PippipOptions) -> None:
    message = game_pb2.GameOptions()
    WIRE.write_options(options, message)
    assert WIRE.read_options(game_pb2.GameOptions.FromString(message.SerializeToString())) == options


def test_options_that_are_not_sent_are_the_defaults() -> None:
    message = game_pb2.GameOptions()
    message.pippip.SetInParent()
    assert WIRE.read_options(message) == PippipOptions()
    message.pippip.rules = pippip_pb2.PippipOptions.RULES_HERVEY
    assert WIRE.read_options(message) == PippipOptions("hervey")


def test_options_that_cannot_be() -> None:
    message = game_pb2.GameOptions()
    message.pippip.rounds = 0
    with pytest.raises(OptionsError):
        WIRE.read_options(message)
    message.pippip.rounds = 1
    message.pippip.rules = 3  # type: ignore[assignment]
    with pytest.raises(MalformedMessage, match="rules: 3 means nothing"):
        WIRE.read_options(message)


def test_views() -> None:
    """A call with next trumps, cards face up, a trick, and the rest of the stock."""
    table = Table("KH QH KS QS 5D", "4D", "7D", stock="8S 8C 9H AC", stock_size=4)
    scripts = ("", "+H", "5D", "+S", "4D 7D")
    for script in scripts:
        table.run(script)
        for seat in range(3):
            assert sent_view(table.view(seat)) == table.view(seat)
    assert table.view(0).rest == (ACE_OF_CLUBS,)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda view: setattr(view, "kind", 3), "kind: 3 means nothing"),
        (lambda view: setattr(view, "played", bytes(51)), "played: there are 52 cards to count, not 51"),
        (lambda view: setattr(view, "trumps", 4), "trumps: 4 is no suit"),
        (lambda view: setattr(view, "next_trumps", 9), "next_trumps: 9 is no suit"),
        (lambda view: setattr(view, "callable", b"\x00\x04"), "callable: 4 is no suit"),
        (lambda view: setattr(view, "hidden", b"\x34"), "hidden: 52 is no card"),
        (lambda view: setattr(view, "trick", b"\xff"), "trick: 255 is no card"),
        (lambda view: setattr(view, "rest", b"\xff"), "rest: 255 is no card"),
        (lambda view: setattr(view, "playable", b"\xff"), "playable: 255 is no card"),
        (lambda view: view.face_up.append(b"\xff"), "face_up: 255 is no card"),
    ],
)
def test_views_that_say_nothing(spoil: Callable[[object], None], complaint: str) -> None:
    message = game_pb2.GameView()
    WIRE.write_view(Table("KH QH", "4D", "7D").view(0), message)
    spoil(message.pippip)
    with pytest.raises(MalformedMessage, match=complaint):
        WIRE.read_view(message)


@pytest.mark.parametrize(
    "action",
    [
        Call(),
        Call((CLUBS,)),
        Call((SPADES, HEARTS, SPADES)),
        Play(ACE_OF_CLUBS),
        Play(ACE_OF_CLUBS, face_up=True),
        Play(parse_card("KS")),
    ],
)
def test_actions(action: PippipAction) -> None:
    message = game_pb2.GameAction()
    WIRE.write_action(action, message)
    assert WIRE.read_action(game_pb2.GameAction.FromString(message.SerializeToString())) == action


@pytest.mark.parametrize(
    ("field", "sent", "complaint"),
    [
        ("call", b"\x04", "call: 4 is no suit: a suit is a number from 0 to 3"),
        ("play", b"", "play: one card is one byte, not 0"),
        ("play", b"\x34", "play: 52 is no card"),
        ("play_face_up", b"\x01\x02", "play_face_up: one card is one byte, not 2"),
        (None, b"", "a Pip-Pip! action is one of call, play, play_face_up; none is set"),
    ],
)
def test_actions_that_say_nothing(field: str | None, sent: bytes, complaint: str) -> None:
    message = game_pb2.GameAction()
    if field is not None:
        setattr(message.pippip, field, sent)
    with pytest.raises(MalformedMessage, match=complaint):
        WIRE.read_action(message)


HAND: tuple[Card, ...] = parse_cards("AC 2C 3C 4C 5C 6C 7C")


@pytest.mark.parametrize(
    "event",
    [
        DrawnForDeal((0, 3), (ACE_OF_CLUBS, ACE_OF_CLUBS)),
        Cut(0, ACE_OF_CLUBS),
        Dealt(1, 0, CLUBS, (None, HAND, None)),
        Dealt(2, 1, SPADES, (HAND, HAND, HAND)),
        Called(0, (CLUBS,)),
        Called(11, (SPADES, SPADES, HEARTS)),
        TrumpsChanged(CLUBS),
        TrumpsChanged(DIAMONDS),
        Played(0, ACE_OF_CLUBS, False),
        Played(2, parse_card("KS"), True),
        Drew(0, None),
        Drew(0, ACE_OF_CLUBS),
        TrickWon(0, 0),
        TrickWon(3, 33),
        StockTurned(HAND),
        HandEnded(1, (0, 50, 120)),
    ],
)
def test_events(event: PippipEvent) -> None:
    message = game_pb2.GameEvent()
    WIRE.write_event(event, message)
    assert WIRE.read_event(game_pb2.GameEvent.FromString(message.SerializeToString())) == event


def test_events_that_say_nothing() -> None:
    message = game_pb2.GameEvent()
    with pytest.raises(MalformedMessage, match="a Pip-Pip! event has one kind; none is set"):
        WIRE.read_event(message)
    message.pippip.trumps_changed = 4
    with pytest.raises(MalformedMessage, match="trumps_changed: 4 is no suit"):
        WIRE.read_event(message)
    message.pippip.cut.seat = 1
    with pytest.raises(MalformedMessage, match="card: one card is one byte, not 0"):
        WIRE.read_event(message)


def test_windows_that_there_are_not() -> None:
    options, view = game_pb2.GameOptions(), game_pb2.GameView()
    options.pippip.windows = 9  # type: ignore[assignment]
    with pytest.raises(MalformedMessage, match="windows: 9 means nothing"):
        WIRE.read_options(options)
    view.pippip.played = bytes(52)
    view.pippip.windows = 9  # type: ignore[assignment]
    with pytest.raises(MalformedMessage, match="windows: 9 means nothing"):
        WIRE.read_view(view)
