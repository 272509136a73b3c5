"""A bot's process, separated from ours on any system: its token, its group, its end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, Protocol

READ_AT: Final = "0"
"""The descriptor from which a bot's process reads its token: its standard input.

No other descriptor is inherited on every system.
"""
APART: Final[Mapping[str, Any]] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""Options for starting its process: no key pressed in this terminal reaches it."""


class Killable(Protocol):
    """A process of `subprocess` or of `asyncio`."""

    @property
    def pid(self) -> int: ...
    def kill(self) -> None: ...


@contextmanager
def token_pipe(token: bytes) -> Iterator[int]:
    """A descriptor from which the token can be read once; it is closed at the end."""
    reading, writing = os.pipe()
    try:
        os.write(writing, token)
        os.close(writing)
        yield reading
    finally:
        os.close(reading)


def end_apart(process: Killable) -> None:
    """Kill a process that was started `APART`, and everything that it started."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
            return
        with suppress(OSError):  # taskkill is part of Windows
            words = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(words, capture_output=True, check=False)
        process.kill()
