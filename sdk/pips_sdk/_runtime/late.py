"""Print a bot's stack on stderr when its time for an answer is nearly over.

A timer of the process (SIGALRM) runs while a question is open. A bot with its own
handler for that signal keeps it. Code outside Python, such as a long computation in
numpy, is shown when it returns to Python. Systems without the timer print nothing.
"""

from __future__ import annotations

import signal
import sys
import traceback
from contextlib import suppress
from math import inf
from os import sep
from threading import current_thread, main_thread
from time import perf_counter
from types import FrameType
from typing import Final

from pips_referee.game import View
from pips_sdk.bot import Bot

SHARE: Final = 0.95
"""The share of an answer's time after which the stack is shown."""
_HERE: Final = __file__.rpartition(sep)[0]
_SDK: Final = f"{_HERE.rpartition(sep)[0]}{sep}"
_ASKS: Final = f"{_HERE}{sep}table.py"
"""The file that asks a bot; its callers are not part of the bot."""
LEAST_S: Final = 0.0005
"""The shortest timer: one of 0 would never go off."""
OURS_S: Final = 0.01
"""A timer within this many seconds of the time that we set is ours."""
MOST_SHOWN: Final = 5
"""The most stacks that a process shows."""


class LateWatch:
    """A process's timer and its open question; off at first."""

    def __init__(self) -> None:
        self.is_on = False
        self.shown = 0
        """How many stacks were shown."""
        self._open: tuple[Bot, int, View, int, float] | None = None
        self._rings_at = inf
        """When the timer goes off. It covers many questions, as setting it is slow."""

    def begin(self) -> None:
        """Start to watch. Only a process's first thread receives signals."""
        if current_thread() is not main_thread():
            return
        if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, self._show):
            signal.signal(signal.SIGALRM, self._show)
            self.is_on = True

    def end(self) -> None:
        """Stop watching."""
        self.give_way()
        if self.is_on:
            self.close()
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._rings_at = inf
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            self.is_on = False

    def give_way(self) -> None:
        """Stop watching if the bot has set its own handler for the signal since."""
        if not self.is_on or signal.getsignal(signal.SIGALRM) == self._show:
            return
        self.is_on = False
        left_s, _ = signal.getitimer(signal.ITIMER_REAL)
        if left_s and abs(perf_counter() + left_s - self._rings_at) < OURS_S:
            signal.setitimer(signal.ITIMER_REAL, 0)  # the timer is ours, not the bot's
        self._rings_at = inf

    def open(self, bot: Bot, number: int, view: View, limit_ms: int, begun: float) -> None:
        """Record a question, asked at `begun` by `perf_counter`."""
        if self.is_on and limit_ms and self.shown < MOST_SHOWN:
            due = begun + SHARE * limit_ms / 1000
            self._open = bot, number, view, limit_ms, due
            if due < self._rings_at:
                self._ring_at(due)

    def close(self) -> None:
        """Record that the question was answered, or that the bot failed."""
        self._open = None

    def _ring_at(self, due: float) -> None:
        self.give_way()
        if not self.is_on:
            return
        self._rings_at = due
        signal.setitimer(signal.ITIMER_REAL, max(LEAST_S, due - perf_counter()))

    def _show(self, _: int, frame: FrameType | None) -> None:
        self._rings_at = inf
        if self._open is None:
            return
        bot, number, view, limit_ms, due = self._open
        if perf_counter() < due:  # the timer was set for an earlier question
            self._ring_at(due)
            return
        self.shown += 1
        with suppress(OSError, ValueError, RuntimeError):  # stderr may be closed, or the bot may be printing
            self._print_stack(bot, number, view, limit_ms, frame)

    def _print_stack(self, bot: Bot, number: int, view: View, limit_ms: int, frame: FrameType | None) -> None:
        whole = traceback.extract_stack(frame)
        asking = max((at for at, line in enumerate(whole) if line.filename == _ASKS), default=-1)
        inner = [line for line in whole[asking + 1 :] if not line.filename.startswith("<frozen")]
        stack = [line for line in inner if not line.filename.startswith(_SDK)] or inner
        asked = f"question {number} ({view.kind}) of a match of {bot.game}"
        print(
            f"\n{type(bot).__name__} has had {SHARE * limit_ms:.0f} of {limit_ms} ms for {asked}. It is here:",
            *(line.rstrip("\n") for line in traceback.format_list(stack)),
            sep="\n",
            file=sys.stderr,
            flush=True,
        )


WATCH: Final = LateWatch()
"""The watch of this process."""
