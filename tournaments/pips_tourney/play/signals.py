"""How a signal ends what is under way: once, and so that all is put in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def until(waiting: asyncio.Task[None]) -> bool:
    """Wait; True when a signal came first."""
    with ending_on_signals(waiting):
        await asyncio.wait([waiting])
    return waiting.cancelled()


@contextmanager
def ending_on_signals(task: asyncio.Task[None]) -> Iterator[None]:
    """The first signal cancels the task; further ones change nothing, so that all is put in order."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, cancel_once, task)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


def cancel_once(task: asyncio.Task[None]) -> None:
    """So that what a task does when it is cancelled is not cancelled too."""
    if not task.cancelling():
        task.cancel()
