"""Any bytes for an answer: the game reads a value or says what is wrong."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest
from google.protobuf.message import DecodeError

from pips.v1 import game_pb2
from pips_referee.cards import Card, Suit
from pips_referee.errors import IllegalAction, MalformedMessage
from pips_referee.game import Action, AnyState
from pips_referee.wire import AnyWire, PlainWire, get_wire
from tests.contract.cases import CASES, Case, dump

pytestmark = pytest.mark.unmeasured  # the same lines again, for many actions

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
TRIES = 40


def changed(data: bytes, rng: Random) -> bytes:
    """The bytes with some of them changed, most often one; now and then some put in or
    left out.
    """
    spoilt = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(spoilt)) if spoilt else 0
        length_kept = rng.random() < 0.8
        spoilt[at : at + (length_kept or rng.randrange(3))] = bytes(
            [rng.choice((rng.randrange(52), rng.randrange(256)))]
        )
    return bytes(spoilt)


def read(wire: AnyWire, data: bytes) -> Action | None:
    """The action of these bytes, None if there is none."""
    try:
        message = game_pb2.GameAction.FromString(data)
        action: Action = wire.read_action(message)
    except (DecodeError, MalformedMessage):
        return None
    return action


@every_case
def test_spoilt_answers(case: Case) -> None:
    rng = Random(case.id)
    read_some = refused_some = 0
    for wire, state in product((get_wire(case.game_name), PlainWire(case.game)), case.positions(11, 25)):
        message = game_pb2.GameAction()
        wire.write_action(state.sample_action(rng), message)
        written = message.SerializeToString()
        for _ in range(TRIES):
            action = read(wire, changed(written, rng))
            if action is not None:
                read_some += 1
                refused_some += is_refused(state, action)
    assert read_some > 20
    assert refused_some > 10


def is_refused(state: AnyState, action: Action) -> bool:
    """Whether the answer is illegal; then nothing has changed.

    A legal one is played on a copy.
    """
    before = dump(state)
    try:
        state.copy().apply(action)
    except IllegalAction:
        with pytest.raises(IllegalAction):
            state.apply(action)
        assert dump(state) == before
        return True
    return False


def as_numbers(part: Any) -> Any:
    """The same with plain numbers, which are equal to them, in place of cards and
    suits.
    """
    if isinstance(part, tuple):
        return tuple(map(as_numbers, part))
    return int(part) if isinstance(part, Card | Suit) else part


@every_case
def test_numbers_that_are_no_cards(case: Case) -> None:
    """JSON does not take them for cards, and no rule does; Dominion's answers alone
    name no card.
    """
    rng, numbered, wire = Random(case.id), 0, PlainWire(case.game)
    for state in case.positions(11, 60):
        for action in [state.sample_action(rng) for _ in range(4)]:
            answer = type(action)(*[as_numbers(getattr(action, name)) for name in type(action).__match_args__])
            if repr(answer) != repr(action):
                numbered += 1
                assert answer == action and is_refused(state, answer)
                message = game_pb2.GameAction()
                wire.write_action(answer, message)
                with pytest.raises(MalformedMessage, match="is due, not "):
                    wire.read_action(message)
    assert (numbered > 10) is (case.game_name != "dominion")


@every_case
def test_answers_of_another_game(case: Case) -> None:
    """A message for another game is none for this one."""
    for other in CASES:
        if other.game_name != case.game_name:
            message = game_pb2.GameAction()
            state = other.positions(1, 1)[0]
            get_wire(other.game_name).write_action(next(state.legal_actions()), message)
            with pytest.raises(MalformedMessage):
                get_wire(case.game_name).read_action(message)
