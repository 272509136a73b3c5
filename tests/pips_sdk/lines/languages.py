"""The languages of bots in lines, and what runs them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from pips_tourney.workshop.begin.new_bot import build_command, new_bot
from tests.needs import needs

ROOT: Final = Path(__file__).parents[3]
SAMPLES: Final = ROOT / "sample_bots" / "languages"
CONFORMANCE: Final = ROOT / "tests" / "conformance" / "lines"
TOOLS: Final = {"cpp": "g++", "js": "node", "shell": "jq"}
"""By language, the program that it needs; the interpreter of the tests runs Python."""


def spoken(languages: Iterable[str]) -> list[ParameterSet]:
    """Return these languages as parameters, each with the program that it needs."""
    return [pytest.param(name, marks=needs(TOOLS[name]) if name in TOOLS else ()) for name in languages]


def begun(folder: Path, game: str, language: str) -> Path:
    """Begin a bot as `pips-bot new` does, and build it; return its folder."""
    new_bot(folder, game, language)
    if build := build_command(language):
        subprocess.run(build.split(), cwd=folder, check=True)
    return folder
