"""Every game's values survive the wire, and its matches survive as records."""

from __future__ import annotations

import pytest

from pips.v1 import game_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.game import get_game
from pips_referee.match import FaultKind
from pips_referee.records.record import Header, read_record, replay, verify, write_record
from pips_referee.wire import PlainWire, get_wire
from tests.contract.cases import CASES, Case, chance
from tests.records import play_random

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@every_case
def test_options(case: Case) -> None:
    message, wire = game_pb2.GameOptions(), get_wire(case.game_name)
    assert wire.read_options(message) == case.game.options(), "nothing said is the defaults"
    wire.write_options(case.game.options(), message)
    assert message.WhichOneof("game"), "a game without options still says which game it is"


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
