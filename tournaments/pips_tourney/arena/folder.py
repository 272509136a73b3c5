"""An arena's folder, which holds the sockets of its referee, and how that is
started.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pips_tourney.arena.leftovers import folder_prefix
from pips_tourney.bots.executable import Executable, program

BOTS: Final = "doors"
ORGANISER: Final = "organiser/socket"
"""The sockets."""
LONGEST_PATH: Final = 100
"""Of a socket: the kernel takes 107 bytes."""


def short_folder() -> Path:
    """A private folder for sockets, whose paths have to be short; within it another for
    the organiser's alone.
    """
    folder = Path(tempfile.mkdtemp(prefix=folder_prefix()))
    if len(str(folder / ORGANISER)) > LONGEST_PATH:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix=folder_prefix(), dir="/tmp"))
    (folder / ORGANISER).parent.mkdir(mode=0o700)
    return folder


def referee_program(folder: Path, grace_s: float, more: Sequence[str] = ()) -> Executable:
    """How the referee of an arena is started, with more words of its command."""
    words = ["python", "-P", "-c", "from pips_referee.cli import main; main()", "serve", "--key-fd", "{fd}"]
    words += ["--grace-s", f"{grace_s:g}", "--organiser", f"unix:{folder / ORGANISER}"]
    return program([*words, *more], Path.cwd(), {})
