"""The event loop of all Pips processes, and pipes for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import IO, Any


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The factory of uvloop's event loop if it is installed; None for asyncio's own."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


class _ClosedByLoop:
    """A file whose descriptor the loop closes, and nobody else."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        """Do nothing: the loop closes the descriptor."""


def loop_pipe(file: IO[bytes]) -> Any:
    """One end of a pipe for `connect_read_pipe` or `connect_write_pipe`; closed once.

    uvloop closes the descriptor, and then the file object. By then another thread may
    have opened a file with the same descriptor. So uvloop gets a descriptor without a
    file. asyncio's own loop closes only the file.
    """
    if not type(asyncio.get_running_loop()).__module__.startswith("uvloop"):
        return file
    descriptor = os.dup(file.fileno())
    file.close()
    return _ClosedByLoop(descriptor)
