"""Connections: too many are refused in good order, and slow ones are closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pips_tourney.place import connections
from pips_tourney.place.connections import BUSY, Guarded

ASK = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    """The port of a server of one page."""
    app = Starlette(routes=[Route("/", hello)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=Guarded, log_level="error", ws="none"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await serving


async def test_too_many_of_one_address_get_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "OF_ADDRESS", 3)
    async with served() as port:
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(8)]
        for reader, _ in opened[3:]:
            assert await reader.read() == BUSY
        reader, writer = opened[0]
        writer.write(ASK)
        assert b"200 OK" in await reader.readline()
        for _, writer in opened:
            writer.close()
        await asyncio.sleep(0.05)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(ASK)
        assert b"200 OK" in await reader.readline()
        writer.close()


async def test_too_many_in_all_get_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 2)
    async with served() as port:
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(4)]
        assert [await reader.read() for reader, _ in opened[2:]] == [BUSY, BUSY]
        for _, writer in opened:
            writer.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost:", ASK + b"GET"])
async def test_who_is_slow_to_ask_is_closed(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    async with served() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), 30)
        assert (b"hello" in answer) is sent.startswith(ASK)
        writer.close()
