"""The addresses at which a referee listens, and to whom."""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from pips.v1 import player_pb2, referee_pb2, referee_pb2_grpc
from pips_referee.service.bots import BotService, bot_server
from pips_referee.service.ports import Tls, bots_problem, organiser_problem
from pips_referee.service.sessions import SessionRegistry
from pips_referee.service.tokens import issue_token
from tests.pips_referee.house import KEY, BareBot, StreamEnded

HERE = Path(__file__).with_name("tls")
TLS = Tls((HERE / "cert.pem").read_bytes(), (HERE / "key.pem").read_bytes())
"""A certificate for localhost, good for nothing but these tests."""


@pytest.mark.parametrize("address", ["unix:/run/bots", "127.0.0.1:7000", "127.8.8.8:7000", "localhost:0", "[::1]:7000"])
def test_bots_may_dial_in_on_this_machine_without_tls(address: str) -> None:
    assert bots_problem(address, has_tls=False) == ""


@pytest.mark.parametrize(
    "address", ["0.0.0.0:7000", "[::]:7000", "10.0.0.1:7000", "example.org:7000", "127.0.0.1.evil:1"]
)
def test_bots_may_dial_in_from_elsewhere_with_tls_alone(address: str) -> None:
    assert "--tls-cert" in bots_problem(address, has_tls=False)
    assert bots_problem(address, has_tls=True) == ""


def test_the_organiser_dials_in_where_nobody_else_can_go(tmp_path: Path) -> None:
    folder = tmp_path / "organiser"
    folder.mkdir(0o700)
    assert organiser_problem(f"unix:{folder}/socket") == ""
    folder.chmod(0o711)
    assert "others can enter it (mode 711)" in organiser_problem(f"unix:{folder}/socket")
    assert "No such file or directory" in organiser_problem(f"unix:{folder}/not/there")
    for address in ("127.0.0.1:7000", "localhost:7000", "unix-abstract:o"):
        assert "runs the night" in organiser_problem(address)


@asynccontextmanager
async def serving(address: str, tls: Tls | None = None, most_connections: int = 8) -> AsyncIterator[None]:
    server = bot_server(BotService(SessionRegistry(KEY), 0.5, most_connections), address, tls)
    await server.start()
    try:
        yield
    finally:
        await server.stop(None)


def a_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


async def test_bots_play_over_tls_and_not_without_it() -> None:
    address = f"localhost:{a_port()}"
    async with serving(address, TLS):
        credentials = grpc.ssl_channel_credentials(TLS.certificate)
        async with grpc.aio.secure_channel(address, credentials) as channel:
            welcome = await BareBot(channel).hello(issue_token(KEY, "a/0"))
            assert welcome.process == "a/0"
        async with grpc.aio.insecure_channel(address, options=[("grpc.enable_retries", 0)]) as channel:
            end = await BareBot(channel).ended()
            assert end.code is grpc.StatusCode.UNAVAILABLE
    assert ssl.PEM_cert_to_DER_cert(TLS.certificate.decode())


async def test_a_connection_too_many_is_refused_and_told_why(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/bots"
    async with serving(address, most_connections=2):
        channels = [
            grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(3)
        ]
        first = BareBot(channels[0])  # one after the other, because to call is to connect
        await first.hello(issue_token(KEY, "a/0"))
        second = BareBot(channels[1])
        await second.hello(issue_token(KEY, "b/0"))
        with pytest.raises(StreamEnded) as refused:
            await BareBot(channels[2]).hello(issue_token(KEY, "c/0"))
        assert refused.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "this referee has its 2 connections" in refused.value.details
        for channel in channels:
            await channel.close()


async def test_who_says_nothing_does_not_keep_a_place(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/bots"
    async with serving(address, most_connections=1), grpc.aio.insecure_channel(address) as channel:
        end = await BareBot(channel).ended()
        assert end.code is grpc.StatusCode.DEADLINE_EXCEEDED
        await BareBot(channel).hello(issue_token(KEY, "a/0"))


async def test_a_message_too_long_is_refused(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/bots"
    async with serving(address), grpc.aio.insecure_channel(address) as channel:
        bot = BareBot(channel)
        hello = player_pb2.Hello(protocol_version=1, bot_name="x" * (1 << 20), token=issue_token(KEY, "a/0"))
        await bot.send(player_pb2.PlayRequest(hello=hello).SerializeToString())
        assert (await bot.ended()).code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_bots_cannot_call_the_organiser_s_methods_wherever_they_dial_in() -> None:
    address = f"127.0.0.1:{a_port()}"
    async with serving(address), grpc.aio.insecure_channel(address) as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.ListBots(referee_pb2.ListBotsRequest())
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert os.environ.get("PIPS_TOKEN_FD") is None
