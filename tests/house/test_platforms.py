"""Bots are written, checked and played in process on any platform: nothing of it needs
what only Unix has. `tests/e2e/test_join_anywhere.py` joins a night from such a machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pips_tourney.workshop.new_bot import js_sdk

ROOT = Path(__file__).parents[2]
WITHOUT_POSIX = ROOT / "tests" / "without_posix"
JS = js_sdk().parents[1] / "sample_bots" / "js" / "random_bot.js"


def python(folder: Path, *words: str, typed: str = "", status: int = 0) -> str:
    """What Python prints on such a machine."""
    there = {"PYTHONPATH": str(WITHOUT_POSIX), "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    ended = subprocess.run(
        [sys.executable, *words], cwd=folder, env={**os.environ, **there}, input=typed, capture_output=True,
        encoding="cp1252", check=False,
    )  # fmt: skip
    assert ended.returncode == status, f"{' '.join(words)}\n{ended.stdout}{ended.stderr}"
    assert "Traceback" not in ended.stderr
    return ended.stdout + ended.stderr


def pips_bot(folder: Path, *words: str, typed: str = "", status: int = 0) -> str:
    return python(folder, "-c", "from pips_tourney.cli.bot import main; main()", *words, typed=typed, status=status)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a new bot in it."""
    folder = tmp_path_factory.mktemp("desk")
    pips_bot(folder, "new", "my_bot", "--game", "wichita")
    return folder


def test_nothing_of_unix_is_there(desk: Path) -> None:
    print_it = "import os, sys; print(hasattr(os, 'killpg'), sys.modules['fcntl'], sys.platform)"
    assert python(desk, "-c", print_it) == "False None elsewhere\n"


def test_check(desk: Path) -> None:
    assert pips_bot(desk, "check", "my_bot").endswith("my_bot is ready for a league.\n")


def test_play_and_compare(desk: Path) -> None:
    assert "my_bot won " in pips_bot(desk, "play", "my_bot", "random", "-n", "4", "--in-process")
    words = ("compare", "my_bot", "random", "--in-process", "--max-deals", "4")
    assert "after 4 deals" in pips_bot(desk, *words, status=3)


def test_watch_and_human(desk: Path) -> None:
    assert "place 1: " in pips_bot(desk, "watch", "my_bot", "random", "--in-process", "--delay", "0")
    assert "You left the table." in pips_bot(desk, "human", "pippip", typed="q\n")


def test_the_sdk(desk: Path) -> None:
    python(desk, "-c", "import pips_sdk.run_file, pips_sdk.client, pips_sdk.model.bot, pips_sdk.vector")


def test_what_needs_more_says_so(desk: Path) -> None:
    assert "playing with processes needs Linux" in pips_bot(desk, "play", "my_bot", "random", status=2)
    assert "the conformance kit needs Linux or macOS" in pips_bot(desk, "conformance", "my_bot", status=2)
    assert "play --in-process, or without Linux" in pips_bot(desk, "check", str(JS), status=2)
    lines = python(desk, "-m", "pips_sdk.lines", "echo", status=2)
    assert "there is no referee" in lines
