"""Stand-ins for modules that a bot does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.unmeasured import unmeasured

UNUSED = {"asyncio", "google.protobuf.internal.python_message", "grpc.aio", "socket", "ssl"}
UNUSED_BY_MODULES = {"calendar", "concurrent.futures", "difflib", "hashlib", "inspect", "pathlib", "pkgutil"}
"""A bot's file is compiled and looked through, and the bridge knows paths."""
MOST_MODULES = 190
"""Each takes 0.2 ms and more."""


def printed(script: str) -> list[str]:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-I", "-c", script]
    done = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("way", ["pips_sample_bots.serpent.random_bot", "pips_sdk.run_file", "pips_sdk.lines.bridge"])
def test_a_bot_starts_without_what_it_does_not_use(way: str) -> None:
    """However it is started: as a module, from a file, behind the bridge."""
    loaded = printed(f"import sys, {way}; print(*sys.modules)")
    assert "grpc" in loaded
    assert "pips.v1.player_pb2" in loaded
    assert not UNUSED & set(loaded)


def test_a_bot_that_is_a_module_loads_least() -> None:
    loaded = set(printed("import sys, pips_sdk.client, pips_sample_bots.serpent.random_bot; print(*sys.modules)"))
    assert not UNUSED_BY_MODULES & loaded
    assert len(loaded) < MOST_MODULES


def test_a_referee_starts_without_what_reads_commands_or_messages_as_text() -> None:
    loaded = set(printed("import sys, pips_referee.serve; print(*sys.modules)"))
    assert not {"click", "google.protobuf.internal.python_message", "google.protobuf.text_format"} & loaded


def test_a_bot_may_still_import_all_of_it() -> None:
    """What a bot imports by itself is the module, not a stand-in."""
    script = """
from pips_sdk import run
import asyncio, asyncio.events, grpc, grpc.aio, types
from google.protobuf.internal import python_message
async def one(): return 1
print(type(asyncio) is types.ModuleType, asyncio.run(one()), issubclass(grpc.aio.AioRpcError, grpc.RpcError))
print(python_message.__file__ is not None)
"""
    assert printed(script) == ["True", "1", "True", "True"]


def test_what_grpc_holds_leads_to_the_module() -> None:
    """gRPC keeps its stand-ins, and they hand on what it asks for."""
    script = """
import sys
from pips_sdk import run
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


def test_a_function_that_is_taken_loads_its_module_when_it_is_called() -> None:
    script = """
import sys
from pips.later import loaded_later
with loaded_later("json:dumps"):
    from json import dumps
    print("loads" in vars(sys.modules["json"]))
print("json" in sys.modules, dumps([1]), "json" in sys.modules, dumps([2]))
"""
    assert printed(script) == ["False", "False", "[1]", "True", "[2]"]


def test_a_module_needed_within_is_loaded_at_once() -> None:
    """The other stand-ins stay."""
    script = """
import sys
from pips.later import loaded_later
with loaded_later("json", "csv", "sys"):
    import json, csv
    print(json.dumps(1), json.decoder.JSONDecoder is sys.modules["json"].JSONDecoder, "csv" in sys.modules)
print("csv" in sys.modules, csv.reader([]) is not None, "csv" in sys.modules)
"""
    assert printed(script) == ["1", "True", "True", "False", "True", "True"]
