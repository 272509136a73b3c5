"""Base of zoo bots with a bare stream: plays Serpent at random without the SDK."""

from __future__ import annotations

import os
from collections.abc import Iterator
from queue import SimpleQueue
from random import Random
from typing import Any

import grpc

from pips.v1 import player_pb2
from pips_referee.wire import get_wire

PLAY = "/pips.v1.RefereeService/Play"


class Raw:
    """Comes back when its stream is lost, with the session key of its last welcome."""

    def __init__(self, token: bytes | None = None, session_key: bytes = b"") -> None:
        if token is None:
            with os.fdopen(int(os.environ["PIPS_TOKEN_FD"]), "rb") as pipe:
                token = pipe.read()
        self.token, self.session_key = token, session_key
        self.version = 1
        self.games: dict[int, str] = {}
        self.channel = grpc.insecure_channel(os.environ["PIPS_REFEREE"], options=[("grpc.enable_retries", 0)])
        self.rng = Random(0)

    def dial(self) -> None:
        outbox: SimpleQueue[bytes | None] = SimpleQueue()

        def requests() -> Iterator[bytes]:
            while (data := outbox.get()) is not None:
                yield data

        play: Any = self.channel.stream_stream(PLAY, response_deserializer=player_pb2.PlayResponse.FromString)
        self.outbox, self.stream = outbox, play(requests())

    def send(self, message: player_pb2.PlayRequest | bytes) -> None:
        self.outbox.put(message if isinstance(message, bytes) else message.SerializeToString())

    def hang_up(self) -> None:
        self.outbox.put(None)

    def say_hello(self) -> None:
        hello = player_pb2.Hello(protocol_version=self.version, bot_name="raw", games=["serpent"], token=self.token)
        hello.session_key = self.session_key
        self.send(player_pb2.PlayRequest(hello=hello))

    def end(self) -> str:
        """Return the status of a stream that is refused."""
        try:
            next(self.stream)
        except grpc.RpcError as error:
            self.hang_up()
            return str(error)
        return "let in"

    def call(self, method: str, channel: grpc.Channel | None = None, data: bytes = b"") -> str:
        """Return the status of another call."""
        call: Any = (channel or self.channel).stream_stream(f"/pips.v1.RefereeService/{method}")
        known = (("authorization", f"Bearer {self.token.hex()}"),)
        try:
            return f"answered: {next(call(iter([data]), metadata=known, timeout=20))!r}"
        except grpc.RpcError as error:
            return str(error)

    def answer(self, question: player_pb2.Question) -> None:
        """Answer a question at random."""
        wire = get_wire("serpent")
        answer = player_pb2.Answer(table=question.table, number=question.number)
        wire.write_action(wire.read_view(question.view).random_action(self.rng), answer.action)
        self.send(player_pb2.PlayRequest(answers=[answer]))

    def boast(self, question: player_pb2.Question, what: str) -> None:
        """Lose the match with a sentence that tests find."""
        answer = player_pb2.Answer(table=question.table, number=question.number, failed=f"gained: {what}")
        self.send(player_pb2.PlayRequest(answers=[answer]))

    def play(self) -> None:
        """Play until the referee has nothing left to play."""
        while True:
            self.dial()
            self.say_hello()
            try:
                self._serve()
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.PERMISSION_DENIED and "already connected" not in str(error):
                    raise SystemExit(str(error)) from None
                if error.code() is grpc.StatusCode.UNAVAILABLE:
                    return
            self.hang_up()

    def _serve(self) -> None:
        for message in self.stream:
            if message.HasField("welcome"):
                self.session_key = message.welcome.session_key
            for start in message.starts:
                self.games[start.table] = start.game
            for question in message.questions:
                self.answer(question)
