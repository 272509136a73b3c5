"""A referee process: ready when both addresses accept, gone after a signal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import grpc
import pytest

from pips.v1 import referee_pb2, referee_pb2_grpc
from pips_referee.loop import fast_loop
from pips_referee.service import serve
from pips_referee.service.tokens import OrganiserDoor, organiser_token


async def list_bots(address: str, key: bytes = bytes(32)) -> referee_pb2.ListBotsResponse:
    door = OrganiserDoor(address, organiser_token(key))
    async with grpc.aio.insecure_channel(address) as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        return await stub.ListBots(referee_pb2.ListBotsRequest(), metadata=door.metadata)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_serves_until_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    bots, organiser = f"unix:{tmp_path}/bots", f"unix:{tmp_path}/organiser"
    ready = asyncio.Event()
    serving = asyncio.create_task(serve.serve_forever([bots], organiser, bytes(32), 10.0, ready.set))
    await ready.wait()
    assert not (await list_bots(organiser)).bots
    with pytest.raises(grpc.aio.AioRpcError) as unknown:
        await list_bots(organiser, key=bytes(31) + b"x")
    assert unknown.value.code() is grpc.StatusCode.UNAUTHENTICATED
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await list_bots(bots)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    os.kill(os.getpid(), number)
    await serving


async def test_it_ends_when_its_clock_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def stopped(registry: object, grace_s: float) -> None:
        raise RuntimeError("the clock has stopped")

    monkeypatch.setattr(serve, "keep_time", stopped)
    with pytest.raises(RuntimeError, match="the clock has stopped"):
        await serve.serve_forever([f"unix:{tmp_path}/b"], f"unix:{tmp_path}/o", bytes(32), 10.0, lambda: None)


def test_uvloop_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fast_loop() is not None
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert fast_loop() is None
