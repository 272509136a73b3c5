"""A process that computes ratings in one thread can start processes in another."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.patience import PATIENCE_S

WORK = """
import asyncio, os, sys, threading
import pips_tourney
# with one core, or without uvloop, no process would hang in any case
assert os.environ["OPENBLAS_NUM_THREADS"] == "1" and "numpy" not in sys.modules
import numpy
from pips_referee.loop import fast_loop

over = threading.Event()

def rate():
    table = numpy.ones((300, 300))
    while not over.is_set():
        table @ table

async def start_often():
    for _ in range(40):
        await (await asyncio.create_subprocess_exec("true")).wait()

rating = threading.Thread(target=rate, daemon=True)
rating.start()
with asyncio.Runner(loop_factory=fast_loop()) as runner:
    runner.run(start_often())
over.set()
rating.join()
"""


def test_processes_start_while_ratings_are_computed() -> None:
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}  # Pips set it here
    words = [sys.executable, "-c", WORK]
    done = subprocess.run(words, timeout=PATIENCE_S, check=False, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
