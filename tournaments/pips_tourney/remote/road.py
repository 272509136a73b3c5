"""The guest's connection to its host, and its bot's process."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from ssl import PEM_cert_to_DER_cert, SSLError, get_server_certificate
from typing import Final, Protocol

import grpc

from pips.v1 import player_pb2, referee_pb2_grpc
from pips_referee.command.address import read_address
from pips_referee.versions import KEY, versions_line
from pips_sdk._runtime.client import ADDRESS_VARIABLE, CA_VARIABLE, DESCRIPTOR_VARIABLE, TLS_NAME_VARIABLE
from pips_sdk._runtime.stream import tls
from pips_tourney.bots.apart import APART, READ_AT, end_apart, token_pipe
from pips_tourney.bots.executable import Executable
from pips_tourney.errors import TourneyError
from pips_tourney.people.codes import Code, mark_of

TLS_NAME: Final = "pips-referee"
"""The name in a host's certificate, whatever its address."""
SHOWN_S: Final = 4.0
"""Seconds in which the host must show its certificate."""


class JoinError(TourneyError):
    """The bot cannot take part. The text says why and what to do."""


class GuestProcess(Protocol):
    """A bot's process on a guest's machine."""

    async def wait(self) -> int:
        """Wait for the end of the process; return its status."""

    def end(self) -> None:
        """Kill the process, and all that it started."""


class Road(Protocol):
    """The connection to a host, and where the bot runs."""

    def news(self) -> AsyncGenerator[player_pb2.AttendResponse, None]:
        """The host's news from now on; raises the errors of gRPC, and `OSError`."""

    async def start(self, program: Executable) -> GuestProcess:
        """Start the bot, which dials in at the host."""


class _OwnProcess:
    def __init__(self, process: Process) -> None:
        self._process = process

    async def wait(self) -> int:
        return await self._process.wait()

    def end(self) -> None:
        end_apart(self._process)


@dataclass(slots=True)
class RoadToHost:
    """The connection from this machine to the host at an address."""

    address: str
    code: Code
    folder: Path
    """The folder for the host's certificate."""
    ca: str = ""
    """The path of the certificate, once the host has shown it."""

    async def news(self) -> AsyncGenerator[player_pb2.AttendResponse, None]:
        await self._know()
        options, known = tls(self.ca, TLS_NAME)
        async with grpc.aio.secure_channel(self.address, known, options=options) as channel:
            stub: referee_pb2_grpc.RefereeServiceAsyncStub = referee_pb2_grpc.RefereeServiceStub(channel)
            call = stub.Attend(player_pb2.AttendRequest(token=self.code.secret), metadata=((KEY, versions_line()),))
            while isinstance(news := await call.read(), player_pb2.AttendResponse):
                yield news

    async def _know(self) -> None:
        """Trust the host's certificate if its mark is the one in the code.

        Nothing secret is sent before that. Raises `OSError` if no host listens.
        """
        at = read_address(self.address)
        if at is None:
            raise JoinError(f"{self.address} is no address: write HOST:PORT, as your invite does")
        try:
            shown = await asyncio.to_thread(get_server_certificate, at, timeout=SHOWN_S)
        except TimeoutError:  # from a stream, it would mean that the stream is stuck
            raise ConnectionError(f"{self.address} shows no certificate within {SHOWN_S:g} s") from None
        except SSLError as error:
            if self.ca or error.reason != "WRONG_VERSION_NUMBER":  # an address that was a host before is dialled again
                raise
            raise JoinError(
                f"{self.address} is not a host of bots: it may be the port of the pages; your invite has the host's own"
            ) from None
        if mark_of(PEM_cert_to_DER_cert(shown)) != self.code.mark:
            raise JoinError(
                f"the code does not fit the host at {self.address}: look for a misread letter. If there is none, "
                "somebody else listens there, or the host's certificate was renewed: ask for a new code"
            )
        file = self.folder / "trusted.pem"
        file.write_text(shown, encoding="ascii")
        self.ca = str(file)

    async def start(self, program: Executable) -> GuestProcess:
        env = {
            **program.env,
            ADDRESS_VARIABLE: self.address,
            DESCRIPTOR_VARIABLE: READ_AT,
            CA_VARIABLE: self.ca,
            TLS_NAME_VARIABLE: TLS_NAME,
        }
        try:
            with token_pipe(self.code.secret) as reading:
                process = await asyncio.create_subprocess_exec(
                    *program.command, cwd=program.cwd, env=env, stdin=reading, **APART
                )
        except OSError as error:
            raise JoinError(f"the bot cannot be started: {error}") from None
        return _OwnProcess(process)
