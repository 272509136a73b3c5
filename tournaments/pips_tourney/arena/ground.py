"""What an arena runs on: its folder, its keeper's process, a channel to its referee."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, Self

import grpc

from pips.v1 import referee_pb2_grpc
from pips_referee.loop import loop_pipe
from pips_tourney.arena.folder import short_folder, start_keeper

LINE_LIMIT: Final = 1 << 20
_NO_LIMITS: Final = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class KeeperProcess:
    """A keeper as its launcher sees it: commands go in, events come out."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._events = asyncio.StreamReader(LINE_LIMIT)
        self._commands: asyncio.WriteTransport

    async def connect(self) -> Self:
        loop, process = asyncio.get_running_loop(), self._process
        assert process.stdin is not None
        assert process.stdout is not None
        read, reader = loop_pipe(process.stdout), asyncio.StreamReaderProtocol(self._events)
        self._reading, _ = await loop.connect_read_pipe(lambda: reader, read)
        self._commands, _ = await loop.connect_write_pipe(asyncio.Protocol, loop_pipe(process.stdin))
        return self

    def write(self, commands: bytes) -> None:
        """Send lines of commands; they are lost if the keeper has ended."""
        if not self._commands.is_closing():
            self._commands.write(commands)

    def close(self) -> None:
        """Send no more: the keeper then ends, with everything that it started."""
        self._commands.close()

    def events(self) -> AsyncIterator[bytes]:
        """The lines of its events, until it ends."""
        return aiter(self._events)

    async def ended(self) -> None:
        """Wait until the process is gone."""
        self._reading.close()  # uvloop leaves a pipe open that has ended
        await asyncio.to_thread(self._process.wait)


class OrganiserChannel:
    """A channel to a referee's organiser service."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.aio.insecure_channel(address, options=_NO_LIMITS)
        self.stub = referee_pb2_grpc.RefereeServiceStub(self._channel)

    async def close(self) -> None:
        await self._channel.close()


class Ground:
    """What an arena runs on: by default the machine of this process."""

    def folder(self) -> Path:
        """Make a private folder for sockets, with one in it for the organiser alone."""
        return short_folder()

    async def begin_keeper(self, folder: Path, core: int) -> KeeperProcess:
        """Start a keeper on a core; it removes `folder` when it ends."""
        return await KeeperProcess(start_keeper(folder, core)).connect()

    def dial(self, address: str) -> OrganiserChannel:
        """Open a channel to the referee's organiser service at that address."""
        return OrganiserChannel(address)


THIS_MACHINE: Final = Ground()
