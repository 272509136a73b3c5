"""`pips-bot join`: what it accepts from host and bot, and what the player reads."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import grpc
import pytest

from pips.v1 import player_pb2
from pips_sdk import Bot
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import BotProblem, Command, Sample
from pips_tourney.people.codes import Code, mark_of, new_code
from pips_tourney.people.tickets import TOKEN_VARIABLE
from pips_tourney.remote import join as join_module
from pips_tourney.remote import road
from pips_tourney.remote.certificates import Files, own_files
from pips_tourney.remote.join import join, program_of_sample
from pips_tourney.remote.road import JoinError
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.xdist_group("processes")
Script = Callable[[player_pb2.AttendRequest, grpc.ServicerContext], Iterator[player_pb2.AttendResponse]]


def news(*games: str, line: str = "", over: bool = False) -> player_pb2.AttendResponse:
    return player_pb2.AttendResponse(process="ada/*/*", games=games, news=line, over=over)


class Host:
    """A host whose news are scripted, with nothing to play."""

    def __init__(self, files: Files, script: Script) -> None:
        self.said: list[str] = []
        self.code = new_code(mark_of(files.in_der))
        self._server = grpc.server(ThreadPoolExecutor(4))
        attend: Any = grpc.unary_stream_rpc_method_handler(
            script, player_pb2.AttendRequest.FromString, player_pb2.AttendResponse.SerializeToString
        )
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("pips.v1.RefereeService", {"Attend": attend}),)
        )
        credentials = grpc.ssl_server_credentials([(files.key.read_bytes(), files.certificate.read_bytes())])
        self.address = f"127.0.0.1:{self._server.add_secure_port('127.0.0.1:0', credentials)}"
        self._server.start()

    def joined_by(self, word: str) -> None:
        join(self.address, self.code, find_bot(word), self.said.append)

    def close(self) -> None:
        self._server.stop(None).wait()


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Script], Host]]:
    monkeypatch.setattr(join_module, "AGAIN_S", 0.01)
    hosts: list[Host] = []

    def begin(script: Script) -> Host:
        hosts.append(Host(own_files(tmp_path), script))
        return hosts[-1]

    yield begin
    for one in hosts:
        one.close()


def test_the_token_is_shown_and_the_news_are_told_until_it_is_over(host: Callable[[Script], Host]) -> None:
    shown: list[bytes] = []

    def script(request: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[Any]:
        shown.append(request.token)
        yield news("serpent")
        yield news("serpent", line="Playing.")
        yield news("serpent", line="It is over.", over=True)

    at = host(script)
    at.joined_by("serpent/greedy")
    assert shown == [at.code.secret]
    assert at.said == [
        f"Connected to {at.address}: the bot plays as ada, in serpent.",
        "Playing.",
        "It is over.",
    ]


def test_what_a_host_says_acts_on_no_terminal(host: Callable[[Script], Host]) -> None:
    def script(request: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[Any]:
        yield news("serpent", line="\x1b[2Jgone", over=True)

    at = host(script)
    at.joined_by("serpent/greedy")
    assert at.said[1:] == [r"\x1b[2Jgone"]


def test_a_host_that_is_lost_is_dialled_again(host: Callable[[Script], Host]) -> None:
    calls: list[int] = []

    def script(request: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[Any]:
        calls.append(len(calls))
        if calls[-1] == 0:
            context.abort(grpc.StatusCode.UNAVAILABLE, "the host is not ready yet")
        yield news("serpent", over=calls[-1] > 1)

    at = host(script)
    at.joined_by("serpent/greedy")
    assert len(calls) == 3
    assert at.said[0] == f"There is no host at {at.address} yet (the host is not ready yet). Trying again ..."
    assert at.said[1].startswith("Connected to ")
    assert at.said[2].startswith("The connection to the host is lost. Trying again")
    assert at.said[3].startswith("Connected again to ")


@pytest.mark.parametrize("code", [grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.ABORTED])
def test_who_is_sent_away_is_told_why(code: grpc.StatusCode, host: Callable[[Script], Host]) -> None:
    def script(request: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[Any]:
        context.abort(code, "this invite was revoked")
        yield news()

    with pytest.raises(JoinError, match="says: this invite was revoked"):
        host(script).joined_by("serpent/greedy")


def plays(*games: str) -> Script:
    def script(request: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[Any]:
        over = threading.Event()
        context.add_callback(over.set)
        yield news(*games)
        over.wait()

    return script


def test_a_bot_that_does_not_play_what_is_played(host: Callable[[Script], Host]) -> None:
    with pytest.raises(BotProblem, match="the bot does not play wichita"):
        host(plays("serpent", "wichita")).joined_by("serpent/greedy")


def test_a_sample_bot_plays_all_games_of_a_night_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = Sample("greedy", None)
    one = program_of_sample(greedy, ["serpent"])
    assert one.command[-1] == "pips_sample_bots.serpent.greedy_bot"
    both = program_of_sample(greedy, ["serpent", "wichita"])
    ran: list[type[Bot]] = []
    monkeypatch.setattr("pips_sdk.run", lambda *bots: ran.extend(bots))
    exec(both.command[-1], {})
    assert [bot.game for bot in ran] == ["serpent", "wichita"]
    with pytest.raises(BotProblem, match="no sample bot 'nobody' for serpent"):
        program_of_sample(Sample("nobody", None), ["serpent", "wichita"])


def test_a_bot_that_cannot_be_started(host: Callable[[Script], Host]) -> None:
    at = host(plays("serpent"))
    with pytest.raises(JoinError, match="the bot cannot be started"):
        join(at.address, at.code, Command("gone", ("/nowhere/at/all",)), at.said.append)


def test_a_code_for_another_host_shows_it_nothing(host: Callable[[Script], Host], tmp_path: Path) -> None:
    shown: list[bytes] = []

    def script(request: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[Any]:
        shown.append(request.token)
        yield from plays_nothing(request, context)

    at = host(script)
    (tmp_path / "other").mkdir()
    code = new_code(mark_of(own_files(tmp_path / "other").in_der))
    with pytest.raises(JoinError, match="the code does not fit the host"):
        join(at.address, Code.read(str(code)), find_bot("serpent/greedy"), at.said.append)
    assert shown == []


def test_a_host_that_comes_back_with_another_certificate_asks_for_a_new_code(
    host: Callable[[Script], Host], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "renewed").mkdir()
    shown = [own_files(tmp_path).certificate, own_files(tmp_path / "renewed").certificate]
    monkeypatch.setattr(road, "get_server_certificate", lambda *_, **__: shown.pop(0).read_text("ascii"))
    at = host(lambda *_: iter([news("serpent")]))
    with pytest.raises(JoinError, match="the host's certificate was renewed: ask for a new code"):
        at.joined_by("serpent/greedy")
    assert at.said[0].startswith("Connected to ")


def test_the_port_of_the_pages_is_no_host(tmp_path: Path) -> None:
    code = new_code(mark_of(own_files(tmp_path).in_der))

    def answer(pages: socket.socket) -> None:
        with pages.accept()[0] as asked:
            asked.recv(4096)
            asked.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as pages, ThreadPoolExecutor(1) as threads:
        threads.submit(answer, pages)
        address = f"127.0.0.1:{pages.getsockname()[1]}"
        with pytest.raises(JoinError, match="it may be the port of the pages"):
            join(address, Code.read(str(code)), find_bot("serpent/greedy"), print)


@pytest.mark.parametrize("reason", [None, "WRONG_VERSION_NUMBER"])
async def test_a_host_that_was_there_is_dialled_again_whatever_answers_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str | None
) -> None:
    """Nothing shown in time, or plain text in its place, as of a network's own page."""
    problem: OSError = TimeoutError()
    if reason is not None:
        problem = ssl.SSLError(1, reason)
        problem.reason = reason
    monkeypatch.setattr(road, "get_server_certificate", Mock(side_effect=problem))
    there = road.RoadToHost("127.0.0.1:1", new_code(mark_of(b"")), tmp_path, ca="shown.pem")
    with pytest.raises(OSError) as told:  # noqa: PT011 - no JoinError, and none of a stream
        await anext(there.news())
    assert not isinstance(told.value, TimeoutError)


def test_with_a_code_one_waits_for_the_host(host: Callable[[Script], Host], tmp_path: Path) -> None:
    code, said = new_code(mark_of(own_files(tmp_path).in_der)), list[str]()

    def say(line: str) -> None:
        said.append(line)
        raise JoinError("enough")

    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(JoinError, match="enough"):
        join(address, Code.read(str(code)), find_bot("serpent/greedy"), say)
    assert said[0].startswith(f"There is no host at {address} yet (")
    with pytest.raises(JoinError, match="write HOST:PORT"):
        join("nowhere", Code.read(str(code)), find_bot("serpent/greedy"), say)


def plays_nothing(request: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[Any]:
    yield news("serpent", line="It is over.", over=True)


HEEDS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""A run that a shell began in its background ignores SIGINT, and so does its child."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_signal_ends_it_in_a_sentence(
    host: Callable[[Script], Host], tmp_path: Path, number: signal.Signals, is_there: bool
) -> None:
    waiting = threading.Event()

    def script(_: player_pb2.AttendRequest, context: grpc.ServicerContext) -> Iterator[player_pb2.AttendResponse]:
        context.add_callback(waiting.set)
        yield news("serpent", line="wait")
        waiting.wait(PATIENCE_S)

    known = host(script)
    address = known.address if is_there else "127.0.0.1:9"
    bot = tmp_path / "bot.py"
    bot.write_text("from pips_sdk.serpent import SerpentBot\nclass Ada(SerpentBot): pass\n", encoding="utf-8")
    words = [sys.executable, "-c", f"{HEEDS}; from pips_tourney.cli.bot import main; main()", "join", address]
    player = subprocess.Popen(
        [*words, str(bot)], env={**os.environ, TOKEN_VARIABLE: str(known.code)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert player.stdout is not None
    assert player.stdout.readline()
    player.send_signal(number)
    out, err = player.communicate(timeout=PATIENCE_S)
    assert (player.returncode, err) == (130, "")
    assert out.splitlines()[-1].startswith("You have left. Join again with the same line")
