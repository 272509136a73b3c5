"""An arena's folder with its referee's sockets; how keeper and referee are started."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pips_tourney.bots.executable import Executable, program
from pips_tourney.sandbox.counting.processes import folder_prefix

KEEP: Final = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); "
    "from pips_tourney.arena.keeper import main; main()"
)
"""A keeper's program, which can import only this package and the standard library."""
SERVE: Final = "from pips_referee.cli import main; main()"
"""The program of a referee."""
REFEREE: Final = "referee"
"""The name of an arena's referee among its processes."""
BOTS: Final = "doors"
ORGANISER: Final = "organiser/socket"
"""The organiser's socket, relative to the folder."""
GRACE_STARTS: Final = 2
"""How many start-up times a match waits for an ended bot to come back."""
LONGEST_PATH: Final = 100
"""Longest path of a socket in characters; the kernel allows 107 bytes."""


def short_folder() -> Path:
    """Make a private folder with a short path for sockets.

    It contains another folder for the organiser alone.
    """
    folder = Path(tempfile.mkdtemp(prefix=folder_prefix()))
    if len(str(folder / ORGANISER)) > LONGEST_PATH:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix=folder_prefix(), dir="/tmp"))
    (folder / ORGANISER).parent.mkdir(mode=0o700)
    return folder


def start_keeper(folder: Path, core: int) -> subprocess.Popen[bytes]:
    """Start a keeper on a core; it takes commands, and removes the folder when it ends.

    Not by asyncio: that runs gRPC's fork handlers, which may fail in a busy process.
    """
    words = [sys.executable, "-I", "-S", "-c", KEEP, str(folder), str(core)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def start_command(name: str, program: Executable, secret: bytes) -> dict[str, Any]:
    """The keeper's command to start a program without a sandbox; see keeper.py."""
    return {
        "do": "start", "name": name, "command": program.command, "cwd": program.cwd, "env": dict(program.env),
        "secret": secret.hex(), "listen": False, "same_addresses": True, "door": "", "limits": None,
        "as_another_user": False, "wrapped": False, "home": "", "filtered": False, "texts": {}, "opened": {},
        "log": program.log,
    }  # fmt: skip


def referee_command(
    folder: Path, key: bytes, grace_s: float, more: Sequence[str] = (), *, same_addresses: bool = False
) -> dict[str, Any]:
    """The keeper's command to start an arena's referee.

    `key` is what all tokens are made from. `more` are further arguments for the
    referee. `same_addresses` must be false if a bot may try to break into the referee.
    """
    words = ["python", "-P", "-c", SERVE, "serve", "--key-fd", "{fd}", "--grace-s", f"{grace_s:g}"]
    words += ["--organiser", f"unix:{folder / ORGANISER}", *more]
    command = start_command(REFEREE, program(words, Path.cwd(), {}), key)
    return command | {"listen": True, "same_addresses": same_addresses}
