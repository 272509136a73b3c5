"""Serpent's messages: what they look like, and what is no message."""

from __future__ import annotations

from typing import Any

import pytest

from pips.v1 import game_pb2
from pips_referee.cards import parse_card, parse_cards
from pips_referee.errors import MalformedMessage, OptionsError
from pips_referee.games.serpent.values import Answer, Dealt, Give, Lead, Reveal, SerpentAction, SerpentOptions
from pips_referee.games.serpent.wire import WIRE


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        (Give(parse_cards("AC KS 2C")), {"give": b"\x00\x33\x01"}),
        (Reveal(parse_cards("AC KS 2C")), {"reveal": b"\x00\x33\x01"}),
        (Lead(parse_card("KS")), {"lead": b"\x33"}),
        (Answer(parse_card("AC")), {"answer": b"\x00"}),
        (Give(()), {"give": b""}),
    ],
)
def test_actions_are_a_byte_a_card(action: SerpentAction, fields: dict[str, bytes]) -> None:
    message = game_pb2.GameAction()
    WIRE.write_action(action, message)
    assert {field.name: value for field, value in message.serpent.ListFields()} == fields or not any(fields.values())
    assert WIRE.read_action(message) == action


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "a Serpent action is one of give, reveal, lead, answer; none is set"),
        ({"lead": b""}, "lead: one card is one byte, not 0"),
        ({"answer": b"\x01\x02"}, "answer: one card is one byte, not 2"),
        ({"lead": b"\x34"}, "lead: 52 is no card"),
        ({"give": b"\x01\xff\x02"}, "give: 255 is no card"),
        ({"reveal": b"\x99"}, "reveal: 153 is no card"),
    ],
)
def test_actions_that_say_nothing(fields: dict[str, Any], complaint: str) -> None:
    message = game_pb2.GameAction()
    message.serpent.SetInParent()
    for name, value in fields.items():
        setattr(message.serpent, name, value)
    with pytest.raises(MalformedMessage, match=f"^{complaint}"):
        WIRE.read_action(message)


def test_options_by_default_and_out_of_range() -> None:
    message = game_pb2.GameOptions()
    assert WIRE.read_options(message) == SerpentOptions(10)
    message.serpent.max_tiebreaks = 0
    assert WIRE.read_options(message) == SerpentOptions(0)
    message.serpent.hands = 6
    assert WIRE.read_options(message) == SerpentOptions(0, hands=6)
    message.serpent.max_tiebreaks = 1001
    with pytest.raises(OptionsError):
        WIRE.read_options(message)


@pytest.mark.parametrize("row", [b"", b"\x01" * 5, b"\x01" * 7])
def test_a_row_has_six_cells(row: bytes) -> None:
    message = game_pb2.GameView()
    message.serpent.my_row = row
    with pytest.raises(MalformedMessage, match=f"a row has 6 cells, not {len(row)}"):
        WIRE.read_view(message)


@pytest.mark.parametrize("name", ["my_row", "other_row"])
@pytest.mark.parametrize(("row", "byte"), [(b"\x33\x34\xff\xff\xff\xff", 52), (b"\xff\x33\xff\xff\xff\xff", 255)])
def test_a_row_is_cards_and_then_empty_cells(name: str, row: bytes, byte: int) -> None:
    message = game_pb2.GameView()
    message.serpent.my_row = message.serpent.other_row = b"\xff" * 6
    setattr(message.serpent, name, row)
    with pytest.raises(MalformedMessage, match=f"row: {byte} is no card"):
        WIRE.read_view(message)


def test_an_unknown_kind_of_question() -> None:
    message = game_pb2.GameView()
    message.serpent.my_row = message.serpent.other_row = b"\xff" * 6
    message.serpent.kind = 9  # type: ignore[assignment]  # a later version of the contract
    with pytest.raises(MalformedMessage, match="kind: 9 means nothing"):
        WIRE.read_view(message)


def test_an_event_of_no_kind() -> None:
    with pytest.raises(MalformedMessage, match="a Serpent event has one kind; none is set"):
        WIRE.read_event(game_pb2.GameEvent())


@pytest.mark.parametrize("totals", [[], [1], [1, 2, 3]])
def test_a_scored_hand_has_two_totals(totals: list[int]) -> None:
    message = game_pb2.GameEvent()
    message.serpent.hand_scored.totals.extend(totals)
    with pytest.raises(MalformedMessage, match=f"totals are two, not {len(totals)}"):
        WIRE.read_event(message)


def test_pairs_have_two_cells() -> None:
    message = game_pb2.GameEvent()
    message.serpent.hand_scored.totals.extend([1, 2])
    message.serpent.hand_scored.pairs.append(b"\x01")
    with pytest.raises(MalformedMessage, match="a pair's cells are two, not 1"):
        WIRE.read_event(message)


@pytest.mark.parametrize("hands", [(None, ()), ((), None), (parse_cards("AC"), None), (None, None)])
def test_an_unseen_hand_is_not_an_empty_one(hands: Any) -> None:
    message = game_pb2.GameEvent()
    WIRE.write_event(Dealt(3, 1, hands), message)
    assert WIRE.read_event(message) == Dealt(3, 1, hands)
