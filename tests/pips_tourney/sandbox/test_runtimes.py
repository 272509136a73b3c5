"""Runtimes of this machine find what they need in bubblewrap, with its filter."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pips_tourney.bots.executable import program
from pips_tourney.sandbox.tiers import Sandbox
from tests.pips_tourney.sandbox.starting import begin

JAVA = """
public class Bot {
    public static void main(String[] words) { new Thread(() -> System.out.print("ready")).start(); }
}
"""
NODE = "const { Worker } = require('worker_threads'); new Worker('process.stdout.write(\"ready\")', { eval: true })"
PYTHON = "import ctypes, multiprocessing.pool as p; import grpc; print(p.ThreadPool(2).map(str, ['ready'])[0], end='')"
COMMANDS = {
    "python": ["python", "-c", PYTHON],
    "node": ["node", "-e", NODE],
    "java": ["java", "-cp", ".", "Bot.java"],
    "perl": ["perl", "-e", "print 'ready'"],
}


@pytest.mark.parametrize("runtime", COMMANDS)
def test_a_runtime_plays_in_it(enclosed: Sandbox, tmp_path: Path, runtime: str) -> None:
    if runtime != "python" and shutil.which(runtime) is None:
        pytest.skip(f"there is no {runtime} on this machine")
    if runtime == "java" and shutil.which("javac") is None:
        pytest.skip("there is no compiler of Java on this machine")
    (tmp_path / "Bot.java").write_text(JAVA, encoding="utf-8")
    ended = begin(enclosed, program(COMMANDS[runtime], tmp_path, {}, files=[str(tmp_path)], submitted=True))
    said = ended.stdout.splitlines()[-1:]  # Java says first that it may not lock a file of its own
    assert (said, ended.returncode) == (["ready"], 0), ended.stderr
