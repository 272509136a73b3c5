"""`run` from the environment to the welcome, against a scripted referee."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
import trustme

from pips.v1 import player_pb2
from pips_sdk import run
from pips_sdk._runtime import client, stream
from pips_sdk._runtime.start import bots_of_run
from pips_sdk.bot import Bot
from pips_sdk.serpent import SerpentBot
from pips_sdk.wichita import WichitaBot
from tests.patience import PATIENCE_S
from tests.pips_sdk.scripted import (
    Referee,
    Requests,
    Responses,
    server_of,
    welcome,
    why_not,
)

pytestmark = pytest.mark.usefixtures("kind_of_stream", "no_environment")

WAITING = """
from pips_sdk import run
from pips_sdk._runtime import stream
from pips_sdk.serpent import SerpentBot
{plain}
run(SerpentBot)
"""
PLAIN = "stream.PolledStream = None"


class TestStart:
    def test_without_a_bot(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert why_not(capsys) == "run() needs your bot class: run(MyBot)"

    @pytest.mark.parametrize("thing", [7, Bot, str, "SerpentBot"])
    def test_with_what_is_no_bot_class(self, thing: type[Bot], capsys: pytest.CaptureFixture[str]) -> None:
        assert why_not(capsys, thing).startswith("run() takes bot classes, such as one derived from a game's")

    def test_with_an_instance(self, capsys: pytest.CaptureFixture[str]) -> None:
        said = why_not(capsys, SerpentBot())  # type: ignore[arg-type]
        assert said == "run() takes the class itself, without brackets behind it: run(SerpentBot)"

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
        with bots_of_run() as bots:
            run(SerpentBot)
            run(WichitaBot)
        assert bots == [SerpentBot, WichitaBot]

    def test_interrupted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*args: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setenv("PIPS_REFEREE", "unix:/nowhere")
        monkeypatch.setattr(client, "play", interrupted)
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

        server = server_of(script)
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
