"""A scripted referee, and both kinds of stream to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from pips_sdk._runtime import stream
from tests.pips_sdk.scripted import Referee, Script, server_of


@pytest.fixture
def referee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Referee]:
    """Starts a scripted referee and names it in the environment."""
    servers: list[grpc.Server] = []

    def start(script: Script) -> None:
        server = server_of(script)
        address = f"unix:{tmp_path}/referee"
        server.add_insecure_port(address)
        server.start()
        servers.append(server)
        monkeypatch.setenv("PIPS_REFEREE", address)

    yield start
    for server in servers:
        server.stop(None).wait()


@pytest.fixture(params=["polled", "plain"])
def kind_of_stream(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is the same with both kinds of stream."""

    def missing(*args: object) -> None:
        raise ImportError("grpcio has other classes now")

    if request.param == "plain":
        monkeypatch.setattr(stream, "PolledStream", missing)


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIPS_REFEREE", raising=False)
    monkeypatch.delenv("PIPS_TOKEN_FD", raising=False)
    monkeypatch.delenv("PIPS_CA", raising=False)
    monkeypatch.delenv("PIPS_TLS_NAME", raising=False)
    monkeypatch.setattr(sys, "argv", ["my_bot.py"])
