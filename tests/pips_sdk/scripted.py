"""A scripted referee for `run`: what it sends, and how a bot is turned away."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from pips.v1 import player_pb2
from pips_sdk import run
from pips_sdk.bot import Bot
from tests.records import new_header

HEADER = new_header()
WIRE = HEADER.wire

Requests = Iterator[player_pb2.PlayRequest]
Responses = Iterator[player_pb2.PlayResponse]
Script = Callable[[Requests, grpc.ServicerContext], Responses]
Referee = Callable[[Script], None]


def server_of(script: Script) -> grpc.Server:
    """A server of one stream at a time, without an address yet."""
    play: Any = grpc.stream_stream_rpc_method_handler(
        script, player_pb2.PlayRequest.FromString, player_pb2.PlayResponse.SerializeToString
    )
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("pips.v1.RefereeService", {"Play": play}),))
    return server


def welcome(*tables: int, told: int = 0, questions: bool = False) -> player_pb2.PlayResponse:
    """A welcome with the starts of these tables, and perhaps their first questions."""
    message = player_pb2.PlayResponse()
    message.welcome.protocol_version = 1
    message.welcome.process = "bot/0"
    for table in tables:
        start = message.starts.add(table=table, game="serpent", seats=2, seat=0, rng_seed=bytes(32))
        WIRE.write_options(HEADER.options, start.options)
        for event in HEADER.new_match().log[:told]:
            WIRE.write_event(event, start.told.add())
    if questions:
        message.MergeFrom(asking(*tables))
    return message


def asking(*tables: int) -> player_pb2.PlayResponse:
    """The first question of a match at each of these tables."""
    question = HEADER.new_match().question()
    message = player_pb2.PlayResponse()
    for table in tables:
        WIRE.write_view(question.view, message.questions.add(table=table, number=1).view)
    return message


def why_not(capsys: pytest.CaptureFixture[str], *bots: type[Bot]) -> str:
    """The message of a bot that cannot start and exits with 2."""
    with pytest.raises(SystemExit) as ended:
        run(*bots)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{sys.argv[0]}: ")
    return said.removeprefix(f"{sys.argv[0]}: ").rstrip("\n")
