"""Runtimes of this machine find what they need in a fence, with its filter."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.bots.executable import program
from pips_tourney.sandbox.tiers import Sandbox, Tier
from tests.needs import need
from tests.pips_tourney.sandbox.starting import begin

NODE = "const { Worker } = require('worker_threads'); new Worker('process.stdout.write(\"ready\")', { eval: true })"
PYTHON = "import ctypes, concurrent.futures as f, grpc; print(*f.ThreadPoolExecutor(2).map(str, ['ready']), end='')"
POOL = "import multiprocessing.pool as p; print(p.ThreadPool(2).map(str, ['ready'])[0], end='')"
COMMANDS = {
    "python": ["python", "-c", PYTHON],
    "node": ["node", "-e", NODE],
    "perl": ["perl", "-e", "print 'ready'"],
}


@pytest.mark.parametrize("runtime", COMMANDS)
def test_a_runtime_plays_in_it(enclosed: Sandbox, tmp_path: Path, runtime: str) -> None:
    if runtime != "python":
        need(runtime)
    ended = begin(enclosed, program(COMMANDS[runtime], tmp_path, {}, files=[str(tmp_path)], submitted=True))
    said = ended.stdout
    assert (said, ended.returncode) == ("ready", 0), ended.stderr


def test_locks_between_processes_want_a_disk_of_one_s_own(enclosed: Sandbox, tmp_path: Path) -> None:
    """Their names are files in /dev/shm, which others would see."""
    ended = begin(enclosed, program(["python", "-c", POOL], tmp_path, {}))
    assert (ended.stdout == "ready") is (enclosed.tier is Tier.BUBBLEWRAP), ended.stderr
