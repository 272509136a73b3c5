"""A bot's process apart from ours, on any system: its token, its group, its end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, Protocol

READ_AT: Final = "0"
"""The descriptor from which such a process reads its token: its standard input.

No other one is inherited on every system.
"""
APART: Final[Mapping[str, Any]] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""How its process is begun: no key at this terminal reaches it."""


class Killable(Protocol):
    """A process of `subprocess` or of `asyncio`."""

    @property
    def pid(self) -> int: ...
    def kill(self) -> None: ...


@contextmanager
def token_pipe(token: bytes) -> Iterator[int]:
    """A descriptor from which the token can be read once; it is closed in the end."""
    reading, writing = os.pipe()
    try:
        os.write(writing, token)
        os.close(writing)
        yield reading
    finally:
        os.close(reading)


def end_apart(process: Killable) -> None:
    """Kill a process that was begun `APART`, and all that it started."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
            return
        with suppress(OSError):  # a program of Windows
            words = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(words, capture_output=True, check=False)
        process.kill()
