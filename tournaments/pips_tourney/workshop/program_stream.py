"""A program that plays on one stream, with a player in this process as its referee.

It serves to repeat a question of a night, and the conformance kit in tests/conformance
uses it to play its transcripts.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol

import grpc

from pips.v1 import player_pb2
from pips_tourney.bots.executable import Executable

Requests = Iterator[player_pb2.PlayRequest]
READ_ON_S: Final = 1.0
"""Seconds during which the output of an ended program may still be read."""
HAS_GROUPS: Final = hasattr(os, "killpg")
"""Whether the system has process groups, and sockets as files."""


class Player(Protocol):
    """The referee's side of a stream."""

    def play(self, requests: Requests, context: grpc.ServicerContext) -> Iterator[bytes]: ...


def run_at(player: Player, program: Executable, token: bytes, patience_s: float) -> tuple[int | None, str]:
    """Run a program against this player.

    Return its exit status (None if it had to be killed) and its output.
    """
    play: Any = grpc.stream_stream_rpc_method_handler(player.play, player_pb2.PlayRequest.FromString, bytes)
    with tempfile.TemporaryDirectory(prefix="pips-") as folder, ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads)
        services = grpc.method_handlers_generic_handler("pips.v1.RefereeService", {"Play": play})
        server.add_generic_rpc_handlers((services,))
        address = f"unix:{folder}/referee" if HAS_GROUPS else "127.0.0.1:0"
        port = server.add_insecure_port(address)
        server.start()
        try:
            return _run(program, address if HAS_GROUPS else f"127.0.0.1:{port}", token, patience_s)
        finally:
            server.stop(READ_ON_S).wait()


def _run(program: Executable, address: str, token: bytes, patience_s: float) -> tuple[int | None, str]:
    """Run a program with the token on its standard input, as every system can."""
    env = {**program.env, "PIPS_REFEREE": address, "PIPS_TOKEN_FD": "0"}
    with subprocess.Popen(
        program.command, cwd=program.cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(token, timeout=patience_s)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            _kill(process)
            output, status = process.communicate()[0], None
    return status, output.decode("utf-8", "replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program; if there are groups, also its children, which hold its output."""
    if HAS_GROUPS:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
