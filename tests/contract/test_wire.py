"""Every game's values survive the wire, and its matches survive as records."""

from __future__ import annotations

import pickle
from copy import deepcopy
from itertools import islice
from random import Random
from typing import Any

import pytest

from pips.v1 import game_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.game import Action, Event, Options, View, get_game
from pips_referee.match import FaultKind
from pips_referee.records.record import Header, read_record, replay, verify, write_record
from pips_referee.wire import AnyWire, PlainWire, get_wire
from tests.contract.cases import CASES, Case, chance
from tests.records import play_random

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def options_there_and_back(wire: AnyWire, options: Options) -> Options:
    message = game_pb2.GameOptions()
    wire.write_options(options, message)
    assert message.WhichOneof("game"), "a game without options still says which game it is"
    read: Options = wire.read_options(game_pb2.GameOptions.FromString(message.SerializeToString()))
    return read


def view_there_and_back(wire: AnyWire, view: View) -> View:
    message = game_pb2.GameView()
    wire.write_view(view, message)
    read: View = wire.read_view(game_pb2.GameView.FromString(message.SerializeToString()))
    return read


def action_there_and_back(wire: AnyWire, action: Action) -> Action:
    message = game_pb2.GameAction()
    wire.write_action(action, message)
    read: Action = wire.read_action(game_pb2.GameAction.FromString(message.SerializeToString()))
    return read


def event_there_and_back(wire: AnyWire, event: Event) -> Event:
    message = game_pb2.GameEvent()
    wire.write_event(event, message)
    read: Event = wire.read_event(game_pb2.GameEvent.FromString(message.SerializeToString()))
    return read


def wires(case: Case) -> tuple[AnyWire, AnyWire]:
    """The game's own messages, and JSON by name."""
    return get_wire(case.game_name), PlainWire(case.game)


@every_case
def test_options(case: Case) -> None:
    wire, plain = wires(case)
    for options in (case.options, case.game.options()):
        assert options_there_and_back(wire, options) == options == options_there_and_back(plain, options)
    assert wire.read_options(game_pb2.GameOptions()) == case.game.options(), "nothing said is the defaults"


@every_case
def test_views_of_all_seats(case: Case) -> None:
    for state in case.positions(1, 25):
        for seat in range(case.seats):
            view = state.view(seat)
            for wire in wires(case):
                assert repr(view_there_and_back(wire, view)) == repr(view)


@every_case
def test_actions(case: Case) -> None:
    for state in case.positions(2, 25):
        for action in islice(state.legal_actions(), 50):
            for wire in wires(case):
                assert repr(action_there_and_back(wire, action)) == repr(action)


@every_case
def test_events_with_the_full_truth_and_as_each_seat_sees_them(case: Case) -> None:
    state, log = case.start(chance(3))
    rng = Random(3)
    while state.to_ask is not None:
        log += state.apply(state.sample_action(rng))
    for event in log[:: max(1, len(log) // 400)]:
        for told in (event, *(event.seen_by(seat) for seat in range(case.seats))):
            for wire in wires(case):
                assert told is None or repr(event_there_and_back(wire, told)) == repr(told)


@every_case
def test_values_are_frozen(case: Case) -> None:
    state, [event, *_] = case.start(chance(1))
    values: list[Any] = [case.options, event, next(state.legal_actions()), state.view(0)]
    for value in values:
        hash(value)
        for name in (*type(value).__match_args__[:1], "new"):
            with pytest.raises((AttributeError, TypeError)):
                setattr(value, name, None)
        assert pickle.loads(pickle.dumps(value)) == deepcopy(value) == value


@pytest.mark.parametrize("game", sorted({case.game_name for case in CASES}))
def test_an_empty_message_is_no_action_and_no_event(game: str) -> None:
    for wire in (get_wire(game), PlainWire(get_game(game))):
        with pytest.raises(MalformedMessage):
            wire.read_action(game_pb2.GameAction())
        with pytest.raises(MalformedMessage):
            wire.read_event(game_pb2.GameEvent())


@every_case
def test_records_round_trip(case: Case) -> None:
    names = tuple(f"bot{seat}" for seat in range(case.seats))
    header = Header("a-match", case.game, case.options, names, chance(5).seed, bytes(range(32)))
    for faults in ({}, {3: FaultKind.CRASH}):
        match = play_random(header, 5, faults)
        written = write_record(header, match)
        record = read_record(written)
        assert record.header == header and record.outcome == match.outcome
        assert verify(written).header == header
        again = replay(record)
        assert again.log == match.log and write_record(header, again) == written
