"""`run` from the hello to the last message, against a scripted referee."""

from __future__ import annotations

import os

import grpc
import pytest

from pips.v1 import player_pb2
from pips_referee.game import Event
from pips_sdk import run
from pips_sdk._runtime import client, table
from pips_sdk.bot import Bot
from pips_sdk.serpent import Dealt, SerpentAction, SerpentBot, SerpentView
from pips_sdk.wichita import WichitaBot
from tests.pips_sdk.scripted import (
    Referee,
    Requests,
    Responses,
    asking,
    welcome,
    why_not,
)

pytestmark = pytest.mark.usefixtures("kind_of_stream", "no_environment")


class TestHello:
    @pytest.mark.parametrize("token", [b"", b"secret token"])
    def test_it_says_what_it_is_and_shows_its_token(
        self, token: bytes, referee: Referee, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hellos: list[player_pb2.PlayRequest] = []

        def script(requests: Requests, context: grpc.ServicerContext) -> Responses:
            hellos.append(next(requests))
            yield welcome()

        referee(script)
        if token:
            reading, writing = os.pipe()
            os.write(writing, token)
            os.close(writing)
            monkeypatch.setenv("PIPS_TOKEN_FD", str(reading))
        run(SerpentBot, WichitaBot)
        hello = hellos[0].hello
        assert (hello.protocol_version, hello.bot_name, hello.token) == (1, "SerpentBot, WichitaBot", token)
        assert list(hello.games) == ["serpent", "wichita"]
        assert not hellos[0].answers

    def test_it_says_whose_events_nobody_reads(self, referee: Referee) -> None:
        class Listens(SerpentBot):
            def on_event(self, event: Event) -> None: ...

        class ListensToo(Listens):
            pass

        hellos: list[player_pb2.PlayRequest] = []

        def script(requests: Requests, context: grpc.ServicerContext) -> Responses:
            hellos.append(next(requests))
            yield welcome()

        referee(script)
        for bot in (SerpentBot, Listens, ListensToo):
            run(bot, WichitaBot)
        without_events = [list(first.hello.games_without_events) for first in hellos]
        assert without_events == [["serpent", "wichita"], ["wichita"], ["wichita"]]


class TestStream:
    def played(
        self, referee: Referee, *messages: player_pb2.PlayResponse, answers: int, bot: type[Bot] = SerpentBot
    ) -> list[player_pb2.PlayRequest]:
        """The bot's messages until it has given that many answers."""
        got: list[player_pb2.PlayRequest] = []

        def script(requests: Requests, context: grpc.ServicerContext) -> Responses:
            next(requests)
            yield from messages
            while sum(len(request.answers) for request in got) < answers:
                got.append(next(requests))

        referee(script)
        run(bot)
        return got

    def test_answers_come_in_the_order_of_the_questions_and_name_them(self, referee: Referee) -> None:
        (request,) = self.played(referee, welcome(5, 3), asking(3, 5), answers=2)
        assert [(answer.table, answer.number) for answer in request.answers] == [(3, 1), (5, 1)]
        assert all(answer.WhichOneof("reply") == "action" for answer in request.answers)
        assert not request.HasField("hello")

    def test_tables_that_come_with_the_welcome_are_played_on(self, referee: Referee) -> None:
        heard: list[Event] = []

        class Taking(SerpentBot):
            def on_event(self, event: Event) -> None:
                heard.append(event)

        (request,) = self.played(referee, welcome(9, told=1, questions=True), answers=1, bot=Taking)
        assert (request.answers[0].table, request.answers[0].number) == (9, 1)
        assert [type(event) for event in heard] == [Dealt]

    @pytest.mark.parametrize(("thinks_s", "together"), [(0.0008, [3, 3, 3, 1]), (0.4, [1] * 10)])
    def test_finished_answers_do_not_wait_for_a_bot_that_thinks(
        self, referee: Referee, monkeypatch: pytest.MonkeyPatch, thinks_s: float, together: list[int]
    ) -> None:
        clock = [0.0]

        class Thinking(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                clock[0] += thinks_s
                return super().choose(view)

        for module in (client, table):
            monkeypatch.setattr(module, "perf_counter", lambda: clock[0])
        tables = range(1, 11)
        sent = self.played(referee, welcome(*tables), asking(*tables), answers=10, bot=Thinking)
        assert [len(request.answers) for request in sent] == together
        assert [answer.table for request in sent for answer in request.answers] == list(tables)

    def test_a_finished_table_is_gone(self, referee: Referee) -> None:
        finish = player_pb2.PlayResponse(finishes=[player_pb2.Finish(table=5, places=[1, 2], scores=[3, 4])])
        sent = self.played(referee, welcome(5), asking(5), finish, welcome(5), asking(5), answers=2)
        assert sum(len(request.answers) for request in sent) == 2

    def test_the_referees_reason_to_end_it_is_told(self, referee: Referee, capsys: pytest.CaptureFixture[str]) -> None:
        def script(requests: Requests, context: grpc.ServicerContext) -> Responses:
            next(requests)
            yield welcome()
            context.abort(grpc.StatusCode.ABORTED, "flood: 65 messages without an answer")

        referee(script)
        assert why_not(capsys, SerpentBot) == "the referee ended the stream: flood: 65 messages without an answer"

    def test_a_referee_that_is_gone_ends_the_bot_without_a_word(
        self, referee: Referee, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def script(requests: Requests, context: grpc.ServicerContext) -> Responses:
            next(requests)
            yield welcome()
            context.abort(grpc.StatusCode.UNAVAILABLE, "the night is over")

        referee(script)
        run(SerpentBot)
        assert capsys.readouterr().err == ""
