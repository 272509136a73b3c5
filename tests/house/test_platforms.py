"""Bots are written, checked and played in process on any platform: nothing of it needs
what only Unix has.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

UNIX_ONLY = ("fcntl", "grp", "pwd", "resource", "termios", "uvloop")
BLOCKED = f"""
import sys
for name in {UNIX_ONLY!r}:
    sys.modules[name] = None
from pips_tourney.cli.bot import main
main(sys.argv[1:])
"""


def pips_bot(folder: Path, *words: str, typed: str = "") -> str:
    """What `pips-bot` prints where those modules cannot be imported."""
    env = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}  # as a terminal of Windows may be
    ended = subprocess.run(
        [sys.executable, "-c", BLOCKED, *words], cwd=folder, env=env, input=typed, capture_output=True,
        encoding="cp1252", check=False,
    )  # fmt: skip
    assert ended.returncode == 0, f"pips-bot {' '.join(words)}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a new bot in it."""
    folder = tmp_path_factory.mktemp("desk")
    pips_bot(folder, "new", "my_bot", "--game", "wichita")
    return folder


def test_check(desk: Path) -> None:
    assert pips_bot(desk, "check", "my_bot", "--in-process").endswith("my_bot is ready for a league.\n")


def test_play(desk: Path) -> None:
    assert "my_bot won " in pips_bot(desk, "play", "my_bot", "random", "-n", "4", "--in-process")


def test_watch_and_human(desk: Path) -> None:
    assert "place 1: " in pips_bot(desk, "watch", "my_bot", "random", "--in-process", "--delay", "0")
    assert "You left the table." in pips_bot(desk, "human", "pippip", typed="q\n")


def test_the_sdk(desk: Path) -> None:
    script = BLOCKED.replace("from pips_tourney.cli.bot import main\nmain(sys.argv[1:])", "import pips_sdk.run_file")
    subprocess.run([sys.executable, "-c", script], cwd=desk, env=dict(os.environ), check=True)
