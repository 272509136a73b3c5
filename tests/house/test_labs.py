"""The table of laboratories: what it names can be run, and no claim lost its lab."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.__main__ import LABORATORIES

TOP = Path(__file__).parents[2]


@pytest.mark.parametrize("name", LABORATORIES)
def test_what_it_runs_is_there(name: str) -> None:
    module, *others = LABORATORIES[name].words.split()
    assert importlib.util.find_spec(module) is not None
    for word in others:
        assert "/" not in word or word.startswith("build/") or (TOP / word).exists(), word


def test_the_pages_name_laboratories_that_there_are() -> None:
    pages = [*TOP.glob("*.md"), *(TOP / "docs").rglob("*.md")]
    named = {name for page in pages for name in re.findall(r"make lab WHAT=([-\w]+)", page.read_text(encoding="utf-8"))}
    assert named - set(LABORATORIES) == set()


def test_a_laboratory_that_there_is_not() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.lab", "nonsuch"], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "there is no laboratory 'nonsuch'; `make lab` lists them" in ended.stderr
