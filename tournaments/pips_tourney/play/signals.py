"""Let a signal end the current work: once, and with an orderly clean-up."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

_SIGNALS: Final = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)  # Windows has only two of them


@contextmanager
def raising_on_signals() -> Iterator[Callable[[], None]]:
    """Make signals raise `KeyboardInterrupt` at once, even while an event loop is busy.

    An event loop that listened to signals leaves their handlers changed: call the
    yielded function after it. In a thread that gets no signals nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return

    def raise_it(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    def arm() -> None:
        for number in _SIGNALS:
            signal.signal(number, raise_it)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    arm()
    try:
        yield arm
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def until(waiting: asyncio.Task[None]) -> bool:
    """Wait for the task. Return whether a signal came first."""
    with ending_on_signals(waiting):
        await asyncio.wait([waiting])
    return waiting.cancelled()


@contextmanager
def ending_on_signals(task: asyncio.Task[None]) -> Iterator[None]:
    """The first signal cancels the task. Further ones are ignored.

    So the task can clean up.
    """
    loop = asyncio.get_running_loop()
    if not hasattr(signal, "pthread_sigmask"):  # event loops of this system get no signals
        before = {
            number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(cancel_once, task))
            for number in _SIGNALS
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return
    for number in _SIGNALS:
        loop.add_signal_handler(number, cancel_once, task)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


def cancel_once(task: asyncio.Task[None]) -> None:
    """Cancel the task only once, so that its clean-up is not cancelled too."""
    if not task.cancelling():
        task.cancel()
