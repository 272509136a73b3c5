"""What a keeper takes of a core while its bots do nothing, beside other processes of
the machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from pips_tourney.arena.folder import KEEP
from pips_tourney.sandbox.limits import Limits
from tests.lab.bench.figures import ROUNDS, Figure, figure

BOTS: Final = 8
FOREIGN: Final = (0, 300, 1000)
LOOKED_S: Final = 5.0
BOT: Final = """
import threading, time
for _ in range(9):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print(flush=True)
time.sleep(600)
"""
CHURN: Final = "while true; do sleep 0.2; done"
"""Something is started all the time, as on any machine that is used."""


def bench(*, quick: bool) -> Iterator[Figure]:
    rounds = 1 if quick else min(3, ROUNDS)
    for foreign in FOREIGN:
        shares = [share(foreign) for _ in range(rounds)]
        yield figure(f"keeper of 8 bots beside {foreign} processes", "%", shares, less_is_better=True)


def share(foreign: int) -> float:
    """Percent of a core that a keeper of idle bots takes beside `foreign` processes."""
    with ExitStack() as ending, tempfile.TemporaryDirectory() as parent:
        for command in [["sleep", "600"]] * foreign + [["sh", "-c", CHURN]]:
            other = ending.enter_context(subprocess.Popen(command))
            ending.callback(other.kill)
        folder = Path(parent, "arena")
        folder.mkdir()
        words = [sys.executable, "-I", "-S", "-c", KEEP, str(folder), "0"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as keeper:
            assert keeper.stdin is not None and keeper.stdout is not None
            for number in range(BOTS):
                keeper.stdin.write(json.dumps(_start(str(number))).encode() + b"\n")
            keeper.stdin.flush()
            for _ in range(2 * BOTS):
                keeper.stdout.readline()
            clock = (~keeper.pid << 3) | 2
            before_s, began = time.clock_gettime(clock), time.monotonic()
            time.sleep(LOOKED_S)
            used_s = time.clock_gettime(clock) - before_s
            taken = 100 * used_s / (time.monotonic() - began)
            keeper.stdin.close()
    return taken


def _start(name: str) -> dict[str, Any]:
    return {
        "do": "start", "name": name, "command": [sys.executable, "-c", BOT], "cwd": "/", "env": {}, "secret": "",
        "listen": True, "limits": Limits()._asdict(), "as_another_user": False, "wrapped": False,
        "filtered": False, "texts": {}, "opened": {},
    }  # fmt: skip
