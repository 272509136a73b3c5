"""Serve until a signal, or beside a night until its runner closes the pipe."""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Final

import uvicorn

from pips_referee.loop import fast_loop, loop_pipe
from pips_tourney.web.server import Showing, Site

LONGEST_LINE: Final = 1 << 24
"""The longest line, in bytes, which has room for some hundred tables."""
LAST_S: Final = 0.5
"""Seconds in which spectators can receive the last news."""


class Server(uvicorn.Server):
    """A server that ends the spectators' news before its shutdown.

    Then it waits for their connections to close.
    """

    def __init__(self, site: Site) -> None:
        super().__init__(uvicorn.Config(site.app(), log_level="warning", timeout_graceful_shutdown=1, ws="none"))
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._site.send_home()
        await super().shutdown(sockets)


def serve(listener: socket.socket, showing: Showing, *, beside: bool = False) -> None:
    """Serve the pages.

    `beside` a night: as long as standard input is open. The runner writes the matches
    in progress to it.
    """
    site = Site(showing)
    server = Server(site)

    async def run() -> None:
        serving = asyncio.create_task(server.serve([listener]))
        if beside:
            await _follow(site)
            server.should_exit = True
        await serving

    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run())


async def _follow(site: Site) -> None:
    """Pass on the runner's lines. At their end, send the last news."""
    await site.opened.wait()
    live, tables = site.live, site.tables
    assert live is not None and tables is not None
    reader = asyncio.StreamReader(LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), loop_pipe(sys.stdin.buffer)
    )
    while line := await reader.readline():
        tables.hear(line)
    tables.over()
    await live.look(at_once=True)
    await asyncio.sleep(LAST_S)
