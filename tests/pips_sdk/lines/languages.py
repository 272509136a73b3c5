"""The languages of bots in lines: what runs them, and their conformance bots."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pips_sdk.conformance
from pips_tourney.workshop.new_bot import build_command, new_bot

ROOT: Final = Path(__file__).parents[3]
SAMPLES: Final = ROOT / "sample_bots" / "languages"
CONFORMANCE: Final = Path(pips_sdk.conformance.__file__).with_name("lines")
PLAIN: Final = {
    "js": "node bot.mjs",
    "python": f"{sys.executable} bot.py",
    "shell": "sh bot.sh",
}
"""By language, the command of its conformance bot: nothing is to be built."""
TOOLS: Final = {"cpp": "g++", "js": "node", "shell": "jq"}
"""By language, the program that it needs; the interpreter of the tests runs Python."""


def missing(*languages: str) -> list[str]:
    """Return the programs that these languages need and this machine does not have."""
    return [TOOLS[name] for name in languages if name in TOOLS and shutil.which(TOOLS[name]) is None]


def begun(folder: Path, game: str, language: str) -> Path:
    """Begin a bot as `pips-bot new` does, and build it; return its folder."""
    new_bot(folder, game, language)
    if build := build_command(language):
        subprocess.run(build.split(), cwd=folder, check=True)
    return folder
