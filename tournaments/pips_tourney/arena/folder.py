"""An arena's folder with its referee's sockets, and how the referee is started."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pips_tourney.arena.leftovers import folder_prefix
from pips_tourney.bots.executable import Executable, program

BOTS: Final = "doors"
ORGANISER: Final = "organiser/socket"
"""The organiser's socket, below the folder."""
LONGEST_PATH: Final = 100
"""Longest path of a socket in characters; the kernel takes 107 bytes."""


def short_folder() -> Path:
    """Make a private folder for sockets with a short path.

    It contains another folder for the organiser alone.
    """
    folder = Path(tempfile.mkdtemp(prefix=folder_prefix()))
    if len(str(folder / ORGANISER)) > LONGEST_PATH:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix=folder_prefix(), dir="/tmp"))
    (folder / ORGANISER).parent.mkdir(mode=0o700)
    return folder


def referee_program(folder: Path, grace_s: float, more: Sequence[str] = ()) -> Executable:
    """Return how to start an arena's referee, with more words for its command."""
    words = ["python", "-P", "-c", "from pips_referee.cli import main; main()", "serve", "--key-fd", "{fd}"]
    words += ["--grace-s", f"{grace_s:g}", "--organiser", f"unix:{folder / ORGANISER}"]
    return program([*words, *more], Path.cwd(), {})
