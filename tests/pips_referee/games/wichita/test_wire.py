"""Wichita's values go through their messages unchanged; empty messages are refused."""

from __future__ import annotations

import pytest

from pips.v1 import game_pb2
from pips_referee.cards import parse_card, parse_cards
from pips_referee.chance import Chance
from pips_referee.errors import MalformedMessage, OptionsError
from pips_referee.games.wichita.rules import GAME
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
    WichitaOptions,
    WichitaView,
)
from pips_referee.games.wichita.wire import WIRE

STACKS = (parse_cards("10C 2D"), parse_cards("8S"))


def sent_view(view: WichitaView) -> WichitaView:
    message = game_pb2.GameView()
    WIRE.write_view(view, message)
    return WIRE.read_view(game_pb2.GameView.FromString(message.SerializeToString()))


@pytest.mark.parametrize("decks", [0, 1, 12])
def test_options(decks: int) -> None:
    message = game_pb2.GameOptions()
    WIRE.write_options(WichitaOptions(decks), message)
    assert WIRE.read_options(game_pb2.GameOptions.FromString(message.SerializeToString())) == WichitaOptions(decks)


def test_options_that_are_not_sent_are_the_defaults() -> None:
    message = game_pb2.GameOptions()
    message.wichita.SetInParent()
    assert WIRE.read_options(message) == WichitaOptions()
    message.wichita.decks = 13
    with pytest.raises(OptionsError):
        WIRE.read_options(message)


@pytest.mark.parametrize("seats", [2, 5, 12])
def test_every_view_of_a_match(seats: int) -> None:
    chance = Chance(bytes([seats]) * 32)
    state, _ = GAME.start(GAME.options(), seats, chance)
    rng = chance.stream("random play")
    kinds = set()
    while state.to_ask is not None:
        for seat in range(seats):
            view = state.view(seat)
            kinds.add(view.kind)
            assert sent_view(view) == view
        state.apply(state.sample_action(rng))
    assert kinds == {"", "draw", "lay"}


@pytest.mark.parametrize("action", [DrawOn(more=False), DrawOn(more=True), Lay(()), Lay(STACKS), Lay(((),))])
def test_actions(action: WichitaAction) -> None:
    message = game_pb2.GameAction()
    WIRE.write_action(action, message)
    assert WIRE.read_action(game_pb2.GameAction.FromString(message.SerializeToString())) == action


@pytest.mark.parametrize(
    "event",
    [
        RolledForFirst(11, (6, 1)),
        Rolled(0, (1, 6)),
        Drew(3, 2, parse_cards("KS AC")),
        Drew(3, 2, None),
        Laid(4, STACKS, 3),
        Laid(4, (), 0),
        TurnedUp(2, parse_card("AC")),
    ],
)
def test_events(event: WichitaEvent) -> None:
    message = game_pb2.GameEvent()
    WIRE.write_event(event, message)
    assert WIRE.read_event(game_pb2.GameEvent.FromString(message.SerializeToString())) == event


def test_a_kind_of_question_that_there_is_not() -> None:
    message = game_pb2.GameView()
    message.wichita.kind = 9  # type: ignore[assignment]
    with pytest.raises(MalformedMessage, match="kind: 9 means nothing"):
        WIRE.read_view(message)


def test_messages_that_say_nothing() -> None:
    with pytest.raises(MalformedMessage, match="one of draw, lay"):
        WIRE.read_action(game_pb2.GameAction())
    with pytest.raises(MalformedMessage, match="one kind"):
        WIRE.read_event(game_pb2.GameEvent())


def test_bytes_that_are_no_cards_and_no_dice() -> None:
    action = game_pb2.GameAction()
    action.wichita.lay.stacks.append(bytes([52]))
    with pytest.raises(MalformedMessage, match="stacks: 52 is no card"):
        WIRE.read_action(action)
    event = game_pb2.GameEvent()
    event.wichita.rolled.dice = b"\x01\x02\x03"
    with pytest.raises(MalformedMessage, match="two bytes, not 3"):
        WIRE.read_event(event)
