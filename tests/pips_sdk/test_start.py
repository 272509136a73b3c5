"""What a bot loads at its start: gRPC without its asyncio."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.unmeasured import unmeasured


def printed(script: str) -> list[str]:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-I", "-c", script]
    done = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("way", ["pips_sdk.random_bot", "pips_sdk.run_file", "pips_sdk.lines.bridge"])
def test_a_bot_starts_without_asyncio(way: str) -> None:
    """However it is started: as a module, from a file, behind the bridge.

    `run` imports the client.
    """
    loaded = printed(f"import sys, {way}, pips_sdk._runtime.client; print(*sys.modules)")
    assert {"grpc", "pips.v1.player_pb2"} <= set(loaded)
    assert not {"asyncio", "grpc.aio"} & set(loaded)


def test_a_bot_may_still_import_all_of_it() -> None:
    """What a bot imports by itself is the module, not a stand-in."""
    script = """
from pips_sdk import run
import asyncio, asyncio.events, grpc, grpc.aio, types
async def one(): return 1
print(type(asyncio) is types.ModuleType, asyncio.run(one()), issubclass(grpc.aio.AioRpcError, grpc.RpcError))
"""
    assert printed(script) == ["True", "1", "True"]


def test_what_grpc_holds_leads_to_the_module() -> None:
    """gRPC keeps its stand-ins, and they hand on what it asks for."""
    script = """
import sys
from pips_sdk._runtime import client
import grpc
assert "grpc.aio" not in sys.modules
server = grpc.aio.server
import grpc.aio
print(server is grpc.aio.server, grpc.aio is sys.modules["grpc.aio"])
"""
    assert printed(script) == ["True", "True"]


def test_an_asynchronous_bot_loads_asyncio_before_its_first_question() -> None:
    script = """
import sys
from pips_sdk import run
from pips_sdk.serpent import SerpentBot
class Slow(SerpentBot):
    async def lead(self, view):
        return view.playable[0]
print("asyncio" in sys.modules)
"""
    assert printed(script) == ["True"]
