"""`run` from the environment to the last message, against a scripted referee."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from pips.v1 import player_pb2
from pips_referee.game import Event
from pips_sdk import client, run, stream
from pips_sdk.bot import Bot
from pips_sdk.serpent import Dealt, SerpentAction, SerpentBot, SerpentView
from pips_sdk.wichita import WichitaBot
from tests.patience import PATIENCE_S
from tests.records import new_header

WAITING = """
from pips_sdk import run, stream
from pips_sdk.serpent import SerpentBot
{plain}
run(SerpentBot)
"""
PLAIN = "stream.PolledStream = None"
HEADER = new_header()
WIRE = HEADER.wire

Requests = Iterator[player_pb2.PlayRequest]
Responses = Iterator[player_pb2.PlayResponse]
Script = Callable[[Requests, grpc.ServicerContext], Responses]


Referee = Callable[[Script], None]


@pytest.fixture
def referee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Referee]:
    """Starts a scripted referee and names it in the environment."""
    servers: list[grpc.Server] = []

    def start(script: Script) -> None:
        play: Any = grpc.stream_stream_rpc_method_handler(
            script, player_pb2.PlayRequest.FromString, player_pb2.PlayResponse.SerializeToString
        )
        server = grpc.server(ThreadPoolExecutor(1))
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("pips.v1.RefereeService", {"Play": play}),)
        )
        address = f"unix:{tmp_path}/referee"
        server.add_insecure_port(address)
        server.start()
        servers.append(server)
        monkeypatch.setenv("PIPS_REFEREE", address)

    yield start
    for server in servers:
        server.stop(None).wait()


@pytest.fixture(autouse=True, params=["polled", "plain"])
def kind_of_stream(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is the same with both kinds of stream."""

    def missing(*args: object) -> None:
        raise ImportError("grpcio has other classes now")

    if request.param == "plain":
        monkeypatch.setattr(stream, "PolledStream", missing)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIPS_REFEREE", raising=False)
    monkeypatch.delenv("PIPS_TOKEN_FD", raising=False)
    monkeypatch.delenv("PIPS_CA", raising=False)
    monkeypatch.delenv("PIPS_TLS_NAME", raising=False)
    monkeypatch.setattr(sys, "argv", ["my_bot.py"])


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


class TestStart:
    def test_without_a_bot(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert why_not(capsys) == "run() needs your bot class: run(MyBot)"

    @pytest.mark.parametrize("thing", [SerpentBot(), Bot, str, "SerpentBot"])
    def test_with_what_is_no_bot_class(self, thing: type[Bot], capsys: pytest.CaptureFixture[str]) -> None:
        assert why_not(capsys, thing).startswith("run() takes bot classes, such as one derived from SerpentBot, not ")

    def test_with_two_of_a_game(self, capsys: pytest.CaptureFixture[str]) -> None:
        class Other(SerpentBot):
            pass

        assert why_not(capsys, SerpentBot, Other) == "SerpentBot and Other both play serpent: run one of them"

    @pytest.mark.parametrize(("file", "named"), [("my_bot.py", "my_bot.py"), ("my bot.py", "'my bot.py'")])
    def test_without_a_referee_it_says_what_to_do(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, file: str, named: str
    ) -> None:
        monkeypatch.setattr(sys, "argv", [file])
        said = why_not(capsys, SerpentBot)
        assert "(PIPS_REFEREE is not set)" in said
        assert said.endswith(f"try `pips-bot play {named} greedy`")

    def test_with_a_descriptor_that_is_not_open(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PIPS_REFEREE", "unix:/nowhere")
        reading, writing = os.pipe()
        os.close(reading)
        os.close(writing)
        monkeypatch.setenv("PIPS_TOKEN_FD", str(reading))
        assert f"the token could not be read from descriptor {reading}" in why_not(capsys, SerpentBot)

    def test_with_a_referee_that_is_not_there(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PIPS_REFEREE", f"unix:{tmp_path}/nobody")
        assert f"the referee at unix:{tmp_path}/nobody did not let the bot in: " in why_not(capsys, SerpentBot)

    def test_turned_away_with_the_reason(self, capsys: pytest.CaptureFixture[str], referee: Referee) -> None:
        def script(requests: Requests, context: grpc.ServicerContext) -> Responses:
            next(requests)
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "the token is not one of this referee's")
            yield player_pb2.PlayResponse()

        referee(script)
        assert why_not(capsys, SerpentBot).endswith("did not let the bot in: the token is not one of this referee's")

    def test_with_a_referee_that_hangs_up(self, capsys: pytest.CaptureFixture[str], referee: Referee) -> None:
        referee(lambda requests, context: iter(()))
        assert "did not let the bot in" in why_not(capsys, SerpentBot)

    def test_while_a_file_is_being_loaded_nothing_is_played(self) -> None:
        with client.bots_of_run() as bots:
            run(SerpentBot)
            run(WichitaBot)
        assert bots == [SerpentBot, WichitaBot]

    def test_interrupted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*args: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setenv("PIPS_REFEREE", "unix:/nowhere")
        monkeypatch.setattr(client, "_play", interrupted)
        with pytest.raises(SystemExit) as ended:
            run(SerpentBot)
        assert ended.value.code == 130

    def test_ctrl_c_ends_a_bot_that_waits_for_a_question(
        self, referee: Referee, request: pytest.FixtureRequest, tmp_path: Path
    ) -> None:
        heard, over = threading.Event(), threading.Event()

        def silent(requests: Requests, context: grpc.ServicerContext) -> Responses:
            next(requests)
            yield welcome()
            heard.set()
            over.wait(PATIENCE_S)

        referee(silent)
        bot = tmp_path / "bot.py"
        is_plain = request.node.callspec.params["kind_of_stream"] == "plain"
        bot.write_text(WAITING.format(plain=PLAIN if is_plain else ""), encoding="utf-8")
        with subprocess.Popen([sys.executable, bot], stderr=subprocess.PIPE) as process:
            assert heard.wait(PATIENCE_S)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=PATIENCE_S)
        over.set()
        assert (process.returncode, said) == (130, b"")


def test_what_a_bot_has_loaded_is_never_looked_through_for_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    """That would be within an answer's time."""
    monkeypatch.delenv(client.ADDRESS_VARIABLE, raising=False)
    gc.unfreeze()
    try:
        with pytest.raises(SystemExit):
            run(SerpentBot)
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()


def test_the_quick_stream_is_the_usual_one(referee: Referee, request: pytest.FixtureRequest) -> None:
    referee(lambda requests, context: iter(()))
    opened = stream.open_stream(os.environ["PIPS_REFEREE"], None, None)
    opened.close()
    expected = stream.PlainStream if "plain" in request.node.name else stream.PolledStream
    assert type(opened) is expected


class TestTls:
    """A referee on another machine, whose certificate is for a name of its own."""

    @pytest.fixture
    def authority(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[trustme.CA]:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        one = authority.issue_cert("pips-referee")
        (chain,) = one.cert_chain_pems

        def script(requests: Requests, context: grpc.ServicerContext) -> Responses:
            assert next(requests).HasField("hello")
            yield welcome()

        play: Any = grpc.stream_stream_rpc_method_handler(
            script, player_pb2.PlayRequest.FromString, player_pb2.PlayResponse.SerializeToString
        )
        server = grpc.server(ThreadPoolExecutor(1))
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("pips.v1.RefereeService", {"Play": play}),)
        )
        credentials = grpc.ssl_server_credentials([(one.private_key_pem.bytes(), chain.bytes())])
        port = server.add_secure_port("127.0.0.1:0", credentials)
        server.start()
        monkeypatch.setenv("PIPS_REFEREE", f"127.0.0.1:{port}")
        monkeypatch.setenv("PIPS_CA", str(tmp_path / "ca.pem"))
        yield authority
        server.stop(None).wait()

    def test_it_plays_where_authority_and_name_are_right(
        self, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PIPS_TLS_NAME", "pips-referee")
        run(SerpentBot)

    @pytest.mark.parametrize("name", [None, "another-referee"])
    def test_it_tells_its_token_to_no_other(
        self,
        name: str | None,
        authority: trustme.CA,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        if name is not None:
            monkeypatch.setenv("PIPS_TLS_NAME", name)
        assert "did not let the bot in" in why_not(capsys, SerpentBot)

    def test_an_authority_that_is_another_is_not_believed(
        self,
        authority: trustme.CA,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("PIPS_TLS_NAME", "pips-referee")
        trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        assert "did not let the bot in" in why_not(capsys, SerpentBot)
        monkeypatch.setenv("PIPS_CA", "")
        assert "did not let the bot in" in why_not(capsys, SerpentBot)

    def test_an_authority_that_is_not_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("PIPS_REFEREE", "127.0.0.1:1")
        monkeypatch.setenv("PIPS_CA", str(tmp_path / "gone.pem"))
        assert "gone.pem (PIPS_CA) cannot be read" in why_not(capsys, SerpentBot)


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

        monkeypatch.setattr(client, "monotonic", lambda: clock[0])
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
