"""Shared by the sandbox's tests: start a bot's command as a keeper would."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from pips_tourney.bots.executable import Executable
from pips_tourney.sandbox.bubblewrap import EnclosedProgram, start_now
from pips_tourney.sandbox.limits import FIRST_USER
from pips_tourney.sandbox.tiers import Sandbox

USER = FIRST_USER + 7


def begin(sandbox: Sandbox, bot: Executable, socket: str = "/usr/bin/env") -> subprocess.CompletedProcess[str]:
    """Start a bot in a fence and wait for its end."""
    with tempfile.TemporaryDirectory() as arena:
        Path(arena).chmod(0o711)
        (folder := Path(arena, "organiser")).mkdir(0o700)
        enclosed = sandbox.enclose(bot, socket, folder)
        assert isinstance(enclosed, EnclosedProgram)
        return start_now(enclosed, USER if sandbox.as_another_user else None)


def told(sandbox: Sandbox, bot: Executable, socket: str = "/usr/bin/env") -> Any:
    """Return the JSON that it prints."""
    ended = begin(sandbox, bot, socket)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
