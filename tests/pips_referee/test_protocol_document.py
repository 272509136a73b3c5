"""docs/protocol.md keeps up with the contract."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pips.v1 import player_pb2, record_pb2
from pips_referee.match import FaultKind
from pips_referee.service.bots import MOST_MESSAGE_BYTES
from pips_referee.service.inbox import MOST_EMPTY_BYTES, MOST_EMPTY_MESSAGES
from pips_referee.service.session import PROTOCOL_VERSION
from pips_referee.service.sessions import GRACE_S
from pips_sdk._runtime import client
from pips_tourney.arena.folder import GRACE_STARTS
from pips_tourney.league.entries import RemoteEntry
from pips_tourney.league.file import LeagueFile

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())
"""The page without its line breaks."""


def example(name: str) -> bytes:
    """The bytes of an example of that name."""
    found = re.search(rf"```hex {name}\n([0-9a-f \n]+)```", PAGE)
    assert found is not None
    return bytes.fromhex(found[1])


def test_the_hello_is_a_hello() -> None:
    hello = player_pb2.PlayRequest.FromString(example("hello")).hello
    assert (hello.protocol_version, hello.bot_name, list(hello.games)) == (PROTOCOL_VERSION, "Fox", ["serpent"])
    assert hello.token == b"\x01\x02\x03\x04"


def test_the_answers_are_answers() -> None:
    lead, failure = player_pb2.PlayRequest.FromString(example("answers")).answers
    assert (lead.table, lead.number, lead.action.serpent.lead) == (7, 3, bytes([50]))
    assert (failure.table, failure.number, failure.failed) == (9, 1, "oops")


@pytest.mark.parametrize("kind", FaultKind)
def test_every_kind_of_fault_is_there(kind: FaultKind) -> None:
    assert f"- `{kind.value}`:" in PAGE
    assert f"FAULT_KIND_{kind.name}" in record_pb2.FaultKind.DESCRIPTOR.values_by_name


@pytest.mark.parametrize("message", ["Start", "Question", "Answer", "Finish"])
def test_every_message_of_a_match_is_told_in_its_place(message: str) -> None:
    assert f"**{message}.**" in WORDS
    assert message in player_pb2.DESCRIPTOR.message_types_by_name


@pytest.mark.parametrize(
    "field",
    ["protocol_version", "session_key", "commitment", "rng_seed", "told", "time_left_ms", "used_us", "failed", "fault"],
)
def test_fields_it_names_are_there(field: str) -> None:
    assert f"`{field}`" in WORDS
    messages = player_pb2.DESCRIPTOR.message_types_by_name.values()
    assert any(field in message.fields_by_name for message in messages)


def test_a_lost_bot_is_waited_for_as_long_as_leagues_say() -> None:
    assert "twice its `startup_ms`, by default 20 s" in WORDS
    assert GRACE_STARTS * LeagueFile.model_fields["startup_ms"].default == 20_000
    assert "for `grace_s`, by default 20 s" in WORDS
    assert RemoteEntry.model_fields["grace_s"].default == 20


def test_its_numbers_are_the_referees_and_the_sdks() -> None:
    assert f"more than {MOST_EMPTY_MESSAGES} messages in a row, or more than 1 MiB" in WORDS
    assert MOST_EMPTY_BYTES == MOST_MESSAGE_BYTES == 2**20
    assert "for `--grace-s`, by default 10 s" in WORDS
    assert GRACE_S == 10
    assert "less than 2 ms have passed" in WORDS
    assert client.SEND_AFTER_S == 0.002
    assert f"`protocol_version` {PROTOCOL_VERSION}" in WORDS
    assert {client.ADDRESS_VARIABLE, client.DESCRIPTOR_VARIABLE} == {"PIPS_REFEREE", "PIPS_TOKEN_FD"}
    assert {client.CA_VARIABLE, client.TLS_NAME_VARIABLE} == {"PIPS_CA", "PIPS_TLS_NAME"}
    assert "`PIPS_CA`" in WORDS and "`PIPS_TLS_NAME`" in WORDS
    assert "`PIPS_REFEREE`" in WORDS and "`PIPS_TOKEN_FD`" in WORDS
