"""The stream to the referee: a bot's hello, and an answer to each question."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from shlex import quote
from time import perf_counter
from typing import TYPE_CHECKING, Final

from pips_sdk._runtime.contract import grpc, player_pb2
from pips_sdk._runtime.hints import hints
from pips_sdk._runtime.late import WATCH
from pips_sdk._runtime.start import StartError
from pips_sdk._runtime.stream import Stream, open_stream
from pips_sdk._runtime.table import BotTables
from pips_sdk.bot import Bot

if TYPE_CHECKING:
    from pips_sdk._runtime.together import Threads

PROTOCOL_VERSION: Final = 1
SEND_AFTER_S: Final = 0.002
"""Finished answers are sent this many seconds after the first of them.

They do not wait for the next one, because that may be slow too.
"""
ADDRESS_VARIABLE: Final = "PIPS_REFEREE"
DESCRIPTOR_VARIABLE: Final = "PIPS_TOKEN_FD"
CA_VARIABLE: Final = "PIPS_CA"
TLS_NAME_VARIABLE: Final = "PIPS_TLS_NAME"
STANDARD: Final = 2
"""Descriptors up to this one stay open, so that no file takes their numbers."""


def find_referee() -> tuple[str, bytes]:
    """The referee's address and the token, from the environment.

    `StartError` if no referee is set.
    """
    address = os.environ.get(ADDRESS_VARIABLE)
    if not address:
        raise StartError(
            f"there is no referee to play at ({ADDRESS_VARIABLE} is not set). A bot is started by a tournament: "
            f"try `pips-bot play {quote(sys.argv[0])} greedy`"
        )
    descriptor = os.environ.get(DESCRIPTOR_VARIABLE, "")
    if not descriptor.isdecimal():
        return address, b""
    try:
        with os.fdopen(int(descriptor), "rb", closefd=int(descriptor) > STANDARD) as pipe:
            return address, pipe.read()
    except OSError as error:
        raise StartError(f"the token could not be read from descriptor {descriptor}: {error}") from None


def play(bots: Mapping[str, type[Bot]]) -> None:
    """Play with the referee named in the environment, until it ends the stream."""
    address, token = find_referee()
    for bot in bots.values():
        for hint in hints(bot):
            print(f"hint: {hint}", file=sys.stderr)
    WATCH.begin()
    try:
        play_at(address, token, bots)
    finally:
        WATCH.end()


def play_at(address: str, token: bytes, bots: Mapping[str, type[Bot]]) -> None:
    """Play with the referee at an address, until it ends the stream.

    `StartError` if the referee refuses the bots, or sends them away.
    """
    play_stream(address, _hello(token, bots), partial(_serve, tables=BotTables(bots)))


def play_stream(address: str, hello: player_pb2.Hello, serve: Callable[[Stream, bytes | None], None]) -> None:
    """Say hello, then let `serve` answer the welcome and all later messages.

    `StartError` if the referee refuses the bot, or sends it away.
    """
    # Nobody can listen in on a socket of this machine.
    ca = None if address.startswith("unix:") else os.environ.get(CA_VARIABLE)
    stream = open_stream(address, ca, os.environ.get(TLS_NAME_VARIABLE))
    try:
        welcome = stream.read(player_pb2.PlayRequest(hello=hello).SerializeToString())
        serve(stream, welcome)
        code, details = stream.end()
    finally:
        stream.close()
    if welcome is None:
        raise StartError(f"the referee at {address} did not let the bot in: {details}")
    if code is grpc.StatusCode.ABORTED:
        raise StartError(f"the referee ended the stream: {details}")


def _hello(token: bytes, bots: Mapping[str, type[Bot]]) -> player_pb2.Hello:
    name = ", ".join(bot.__name__ for bot in bots.values())
    deaf = [game for game, bot in bots.items() if not bot.hears()]
    return player_pb2.Hello(
        protocol_version=PROTOCOL_VERSION, bot_name=name, games=list(bots), token=token, games_without_events=deaf,
        json=True,
    )  # fmt: skip


def _serve(stream: Stream, data: bytes | None, *, tables: BotTables) -> None:
    """Answer the welcome and all later messages.

    The welcome may include the tables of a process that this one replaces.
    """
    threads = _threads(tables) if tables.at_once > 1 else None
    while data is not None:
        message = player_pb2.PlayResponse.FromString(data)
        if message.ping:
            stream.write(player_pb2.PlayRequest(pong=message.ping).SerializeToString())
        for start in message.starts:
            tables.start(start)
        answers = None
        if message.questions:
            answers = _answer(stream, tables, message) if threads is None else _answer_all(stream, threads, message)
        if message.finishes and answers is not None:
            stream.write(answers)
            answers = None
        for finish in message.finishes:
            tables.finish(finish)
        data = stream.read(answers)


def _threads(tables: BotTables) -> Threads:
    from pips_sdk._runtime.together import Threads  # bots with one thread start faster without it

    return Threads(tables)


def _answer(stream: Stream, tables: BotTables, message: player_pb2.PlayResponse) -> bytes:
    """Answer the questions; return the answers not sent yet, serialised."""
    request = player_pb2.PlayRequest()
    add, begun = request.answers.add, perf_counter()
    now = begun
    for question in message.questions:
        if now - begun > SEND_AFTER_S and request.answers:
            stream.write(request.SerializeToString())
            request = player_pb2.PlayRequest()
            add, begun = request.answers.add, perf_counter()
            now = begun
        now = tables.ask(question, add(), now)
    return request.SerializeToString()


def _answer_all(stream: Stream, threads: Threads, message: player_pb2.PlayResponse) -> bytes:
    """Answer in threads, for bots that wait; send each answer as soon as allowed."""
    request, left = b"", len(message.questions)
    for answer in threads.answers(message.questions):
        request, left = player_pb2.PlayRequest(answers=[answer]).SerializeToString(), left - 1
        if left:
            stream.write(request)
    return request
