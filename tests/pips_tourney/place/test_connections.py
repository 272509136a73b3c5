"""Connections: the oldest of too many leaves, and slow ones are closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from pips_tourney.place.requests import connections
from pips_tourney.place.requests.connections import Guarded

ASK = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


async def stream(_: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"one"
        await asyncio.Event().wait()

    return StreamingResponse(pieces())


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    """The port of a server of one page."""
    app = Starlette(routes=[Route("/", hello), Route("/stream", stream)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=Guarded, log_level="error", ws="none"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await serving


async def test_who_asks_is_kept_out_by_nobody_who_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SILENT", 3)
    async with served() as port:
        known = await asyncio.open_connection("127.0.0.1", port)
        known[1].write(ASK)
        assert b"200 OK" in await known[0].readline()
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(8)]
        for reader, _ in silent[:5]:
            with suppress(ConnectionResetError):
                assert await reader.read() == b""  # it made room for a later one
        new = await asyncio.open_connection("127.0.0.1", port)
        new[1].write(ASK)
        assert b"200 OK" in await new[0].readline()
        for _, writer in (known, new, *silent):
            writer.close()


async def test_who_comes_is_let_in_and_the_oldest_of_too_many_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams, too: they are answered for as long as their page is open."""
    monkeypatch.setattr(connections, "MOST", 2)
    async with served() as port:
        streams = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        for reader, writer in streams:
            writer.write(ASK.replace(b"/", b"/stream", 1))
            assert b"200 OK" in await reader.readline()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(ASK)
        assert b"200 OK" in await reader.readline()
        with suppress(ConnectionResetError):
            await asyncio.wait_for(streams[0][0].read(), 30)  # it has ended
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(streams[1][0].read(), 0.1)
        for _, each in (*streams, (reader, writer)):
            each.close()


async def test_answered_and_kept_open_is_silent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many cheap requests shut nobody out."""
    monkeypatch.setattr(connections, "SILENT", 2)
    async with served() as port:
        kept = []
        for _ in range(3):
            kept.append(await asyncio.open_connection("127.0.0.1", port))
            kept[-1][1].write(ASK)
            assert b"hello" in await asyncio.wait_for(kept[-1][0].readuntil(b"hello"), 30)
        with suppress(ConnectionResetError):
            assert await asyncio.wait_for(kept[0][0].read(), 2) == b""  # sooner than uvicorn's 5 s
        for _, each in kept:
            each.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost:", ASK + b"GET"])
async def test_who_is_slow_to_ask_is_closed(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    async with served() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), 30)
        assert (b"hello" in answer) is sent.startswith(ASK)
        writer.close()
