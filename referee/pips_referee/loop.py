"""The event loop of all our processes, and how it is given a pipe."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import IO, Any


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's event loop where it exists, None for asyncio's own."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


class _ClosedByLoop:
    """A descriptor that the loop closes, and nobody else."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        """Leave it to the loop."""


def loop_pipe(file: IO[bytes]) -> Any:
    """An end of a pipe for `connect_read_pipe` or `connect_write_pipe`; closed once.

    uvloop closes the descriptor, and then the file that it was given. By the second
    time the number may belong to a file that another thread has just opened. So uvloop
    gets a descriptor without a file. asyncio's own loop closes the file alone.
    """
    if not type(asyncio.get_running_loop()).__module__.startswith("uvloop"):
        return file
    descriptor = os.dup(file.fileno())
    file.close()
    return _ClosedByLoop(descriptor)
