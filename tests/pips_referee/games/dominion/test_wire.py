"""Dominion's values go through their messages unchanged; empty ones are malformed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from pips.v1 import game_pb2
from pips_referee.cards import CARDS
from pips_referee.chance import Chance
from pips_referee.errors import MalformedMessage
from pips_referee.forms import codecs_of
from pips_referee.games.dominion.rules import GAME
from pips_referee.games.dominion.values import (
    PASS,
    Advance,
    Attack,
    Conquer,
    Declare,
    Deploy,
    DominionAction,
    DominionEvent,
    DominionOptions,
    Fought,
    Reinforce,
    Remove,
    Resign,
)
from pips_referee.games.dominion.view import DominionView
from pips_referee.games.dominion.wire import WIRE
from tests.rules.dominion_positions import position

ACTIONS = [
    PASS, Resign(), Declare(), Reinforce(0), Reinforce(24), Remove(0), Attack(0, 0), Attack(3, 4), Conquer(0),
    Conquer(12), Advance(0, 0, 0), Advance(3, 4, 5), Deploy(0, 0), Deploy(7, 6),
]  # fmt: skip


@pytest.mark.parametrize("number", [-1, 2**32, 2**53 - 1])
def test_a_number_that_no_message_holds_is_malformed(number: int) -> None:
    for name, parts in (("reinforce", 1), ("attack", 2), ("advance", 3), ("deploy", 2), ("conquer", 1)):
        kind: Any = next(type(action) for action in ACTIONS if type(action).__name__.lower() == name)
        action = kind(*[number] * parts)
        with pytest.raises(MalformedMessage):
            WIRE.fit_action(action, game_pb2.GameAction())
        with pytest.raises(MalformedMessage, match=r"^action\.\w+: a whole number .= \d+ is due, not "):
            codecs_of("dominion").action.read(codecs_of("dominion").action.write(action))


def sent_view(view: DominionView) -> game_pb2.GameView:
    message = game_pb2.GameView()
    WIRE.write_view(view, message)
    return game_pb2.GameView.FromString(message.SerializeToString())


def sent_action(action: DominionAction) -> game_pb2.GameAction:
    message = game_pb2.GameAction()
    WIRE.write_action(action, message)
    return game_pb2.GameAction.FromString(message.SerializeToString())


def sent_event(event: DominionEvent) -> game_pb2.GameEvent:
    message = game_pb2.GameEvent()
    WIRE.write_event(event, message)
    return game_pb2.GameEvent.FromString(message.SerializeToString())


@pytest.mark.parametrize(
    "options", [DominionOptions(), DominionOptions(3), DominionOptions(5, 1), DominionOptions(None, 9)]
)
def test_options(options: DominionOptions) -> None:
    message = game_pb2.GameOptions()
    WIRE.write_options(options, message)
    message = game_pb2.GameOptions.FromString(message.SerializeToString())
    assert message.WhichOneof("game") == "dominion"
    assert WIRE.read_options(message) == options


@pytest.mark.parametrize("action", ACTIONS)
def test_actions(action: DominionAction) -> None:
    assert WIRE.read_action(sent_action(action)) == action


def test_views_and_events_of_random_matches() -> None:
    kinds = set()
    for seed in range(10):
        rng = Random(seed)
        state, events = GAME.start(
            GAME.options({"size": 3 + seed % 3, "max_rounds": 40}), 2 + seed % 7, Chance(bytes([seed] * 32))
        )
        while state.to_ask is not None:
            view = state.view(state.to_ask)
            other = state.view(1 - min(state.to_ask, 1))
            assert WIRE.read_view(sent_view(view)) == view
            assert WIRE.read_view(sent_view(other)) == other
            kinds.add(view.kind)
            events += state.apply(view.random_action(rng))
        assert WIRE.read_view(sent_view(state.view(0))) == state.view(0)
        assert [WIRE.read_event(sent_event(event)) for event in events] == events
    assert kinds == set(GAME.kinds)


def test_a_battle_of_the_weaker() -> None:
    fought = Fought(7, 0, 24, 23, -13, (1, 6), (6, 1), 0, 12)
    assert WIRE.read_event(sent_event(fought)) == fought


def test_the_largest_view_is_small() -> None:
    """The bytes of a question with all of size 5 occupied and all cards turned."""
    owners = {cell: (cell % 8, 1) for cell in range(25)}
    state = position(owners, cards=" ".join(card.code for card in CARDS if card.rank < 8)[: 3 * 25], seats=8)
    state.turned_count = 52
    assert len(sent_view(state.view(0)).SerializeToString()) < 250


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("playfield", b"\1\2", "playfield: 9 bytes, not 2"),
        ("playfield", b"\77" * 9, "playfield: 63 is no card"),
        ("owners", b"\0" * 10, "owners: 9 bytes, not 10"),
        ("armies", b"", "armies: 9 bytes, not 0"),
        ("turned", b"\0\1", "turned: one card is one byte, not 2"),
        ("discards", b"\64", "discards: 52 is no card"),
        ("attacks", b"\0\3\1", "attacks: 2 bytes each, but there are 3"),
        ("advances", b"\0\3", "advances: 3 bytes each, but there are 2"),
        ("deployments", b"\0", "deployments: 2 bytes each, but there are 1"),
        ("conquest", b"\0", "conquest: 3 bytes, not 1"),
        ("dice", b"\1\2\3", "dice: a roll is two bytes, not 3"),
        ("kind", 9, "kind: 9 means nothing"),
        ("stage", 0, "stage: 0 means nothing"),
    ],
)
def test_views_that_say_nothing(field: str, value: object, complaint: str) -> None:
    message = sent_view(position({0: (0, 1), 3: (1, 1)}).view(0))
    setattr(message.dominion, field, value)
    with pytest.raises(MalformedMessage, match=complaint):
        WIRE.read_view(message)


def test_an_empty_action_or_event() -> None:
    with pytest.raises(MalformedMessage, match=r"one of passed, resign, declare, .* none is set"):
        WIRE.read_action(game_pb2.GameAction())
    with pytest.raises(MalformedMessage, match="none is set"):
        WIRE.read_event(game_pb2.GameEvent())


def test_an_event_with_wrong_dice() -> None:
    message = game_pb2.GameEvent()
    message.dominion.deployment_rolled.dice = b"\1"
    with pytest.raises(MalformedMessage, match="dice: a roll is two bytes, not 1"):
        WIRE.read_event(message)
