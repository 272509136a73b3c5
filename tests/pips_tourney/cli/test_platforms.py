"""`pips-bot` on platforms that have no modules of POSIX alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WITHOUT = """
import sys
GONE = {"fcntl", "resource", "pwd", "grp", "termios", "pty", "tty"}
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name in GONE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
for name in GONE:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Gone())
from pips_tourney.cli.bot import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["play", "--in-process", "random", "greedy", "--game", "serpent", "-n", "2"], 0, "2 matches"),
        (["human", "serpent"], 0, "You left the table"),
        (["check", "BOT"], 0, "is ready for a league"),
        (["join", "127.0.0.1:1", "random", "--token", "AAAA"], 2, "the token is not whole"),
    ],
)
def test_a_command_needs_no_module_of_posix_alone(tmp_path: Path, words: list[str], status: int, said: str) -> None:
    bot = str(ROOT / "sample_bots" / "pips_sample_bots" / "serpent" / "greedy_bot.py")
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT, *(bot if word == "BOT" else word for word in words)],
        cwd=tmp_path, input="q\n", capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert said in ended.stdout + ended.stderr
