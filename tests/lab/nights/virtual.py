"""An event loop whose time jumps to the next timer, and whose threads are calls."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any, Final

BEGIN_S: Final = 1000.0
"""The time at which every simulated machine begins, in seconds."""
LONGEST_S: Final = 36_000.0
"""A night that lasts longer in simulated seconds waits for ever."""
STILL_S: Final = 300.0
"""A night in which nothing is stored for this many seconds waits for ever."""
EVENING: Final = datetime(2026, 3, 5, 19, 30, tzinfo=UTC).timestamp()
"""What the clock on the wall shows when a simulated machine begins."""


class WaitsForEver(Exception):
    """Nothing is left that could end what the loop waits for."""


class _Selector(selectors.SelectSelector):
    """Waits for nothing: its waits move the loop's time."""

    def __init__(self, loop_time: Time) -> None:
        super().__init__()
        self._time = loop_time

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise WaitsForEver("no timer is left")
        if timeout > 0:
            self._time.pass_s(timeout)
        return []


class Time:
    """The time of a simulated machine, in seconds, and the clock on its wall."""

    def __init__(self) -> None:
        self.now_s = BEGIN_S
        self.wall_ahead_s = 0.0
        """How far the clock on the wall was moved; the other goes its way."""
        self._progress_s = BEGIN_S

    def __call__(self) -> float:
        return self.now_s

    def pass_s(self, seconds: float) -> None:
        """Let that many seconds pass; `WaitsForEver` when nothing happens in them."""
        self.now_s += seconds
        if self.now_s - self._progress_s > STILL_S:
            self.progress()
            raise WaitsForEver(f"nothing was stored for {STILL_S:g} s")
        if self.now_s > BEGIN_S + LONGEST_S:
            raise WaitsForEver(f"the night has lasted {LONGEST_S:g} s")

    def stand_still(self, seconds: float) -> None:
        """The whole machine stands still; its clocks go on."""
        self.now_s += seconds
        self._progress_s += seconds

    def progress(self) -> None:
        """Something has happened that brings the night nearer to its end."""
        self._progress_s = self.now_s

    def wall(self) -> type[datetime]:
        """A `datetime` whose `now` is this machine's."""
        time = self

        class Wall(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Wall:
                shown = EVENING + time.now_s - BEGIN_S + time.wall_ahead_s
                return cls.fromtimestamp(shown, tz)

        return Wall


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop on a simulated machine's time. Work for threads is done at once.

    `disk_s` returns how long that work takes on the simulated clock.
    """

    def __init__(self, now: Time, disk_s: Callable[[], float]) -> None:
        self._now, self._disk_s = now, disk_s
        self._on_signal: dict[int, Callable[[], Any]] = {}
        self.failures: list[Mapping[str, Any]] = []
        """What tasks and callbacks raised that nobody heard."""
        super().__init__(_Selector(now))
        self.set_exception_handler(lambda _, context: self.failures.append(context))

    def time(self) -> float:
        return self._now()

    def add_signal_handler(self, sig: int, callback: Any, *args: Any) -> None:  # type: ignore[override]
        """No signal comes but from `signalled`."""
        self._on_signal[sig] = partial(callback, *args)

    def remove_signal_handler(self, sig: int) -> bool:
        return self._on_signal.pop(sig, None) is not None

    def signalled(self, sig: int) -> bool:
        """A signal comes; whether anybody listens to it."""
        if (handler := self._on_signal.get(sig)) is not None:
            self.call_soon(handler)
        return handler is not None

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Call it at once; its result comes when the disk has had its time."""
        future = self.create_future()
        try:
            result, error = func(*args), None
        except Exception as raised:  # noqa: BLE001 - the waiting task gets it
            result, error = None, raised

        def settle() -> None:
            if not future.done():
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)

        self.call_later(self._disk_s(), settle)
        return future
