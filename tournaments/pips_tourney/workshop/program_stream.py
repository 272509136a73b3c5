"""A program that plays at one stream: it is started, and what it is sent is ours.

A question of a night is put again so, and the conformance kit in tests/conformance
plays its transcripts so.
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
from pips_tourney.bots.found import BotProblem

Requests = Iterator[player_pb2.PlayRequest]
READ_ON_S: Final = 1.0
"""How long what an ended program has sent may still be read."""


class Player(Protocol):
    """The referee's side of a stream."""

    def play(self, requests: Requests, context: grpc.ServicerContext) -> Iterator[bytes]: ...


def run_at(player: Player, program: Executable, token: bytes, patience_s: float) -> tuple[int | None, str]:
    """Run a program at this referee.

    Return its exit status, None if it had to be killed, and what it printed.
    """
    play: Any = grpc.stream_stream_rpc_method_handler(player.play, player_pb2.PlayRequest.FromString, bytes)
    with tempfile.TemporaryDirectory(prefix="pips-") as folder, ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads)
        services = grpc.method_handlers_generic_handler("pips.v1.RefereeService", {"Play": play})
        server.add_generic_rpc_handlers((services,))
        server.add_insecure_port(address := f"unix:{folder}/referee")
        server.start()
        try:
            return _run(program, address, token, patience_s)
        finally:
            server.stop(READ_ON_S).wait()


def needs_unix(what: str) -> None:
    """Raise `BotProblem` where a process inherits no descriptors, as on Windows."""
    if not hasattr(os, "killpg"):
        raise BotProblem(f"{what} needs Linux or macOS")


def _run(program: Executable, address: str, token: bytes, patience_s: float) -> tuple[int | None, str]:
    reading, writing = os.pipe()
    os.write(writing, token)
    os.close(writing)
    env = {**program.env, "PIPS_REFEREE": address, "PIPS_TOKEN_FD": str(reading)}
    try:
        process = subprocess.Popen(
            program.command, cwd=program.cwd, env=env, pass_fds=(reading,), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            start_new_session=True,
        )  # fmt: skip
    finally:
        os.close(reading)
    with process:
        try:
            output, _ = process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # what it has started holds its output open
            return None, process.communicate()[0]
    return process.returncode, output
