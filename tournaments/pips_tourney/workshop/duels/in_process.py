"""Matches in this process, on any platform.

There is no referee and no clock, only a watchdog for bots that never answer.
"""

from __future__ import annotations

import ctypes
import io
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from inspect import getfile
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Final, Self

import pips_tourney
from pips.v1 import referee_pb2
from pips_referee.failure import why_failed
from pips_referee.game import get_game
from pips_referee.match import Question
from pips_referee.records.record import Header, write_record
from pips_referee.records.replay import get_text
from pips_sdk import Bot, play_match
from pips_sdk._runtime.log_marks import mark
from pips_sdk._runtime.table import own_frames
from pips_tourney.errors import TourneyError
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.workshop.duels.duel import Duel
from pips_tourney.workshop.problems import INDENT, Problem

PATIENCE_S: Final = 10.0
"""Seconds that a bot may think about an answer if no referee has a clock."""
LOOKS: Final = 10
"""How often the watchdog looks during the patience."""


class Stuck(TourneyError):
    """A bot that was stopped because it did not answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__("\n".join(problem.lines()))
        self.problem = problem


class Spoilt(TourneyError):
    """The machine or the game failed, so the duel could not be played."""


class Stopped(BaseException):
    """Raised by the watchdog within a bot's code.

    A bot's own `except Exception` does not catch it.
    """


class Watchdog:
    """Stops a bot that thinks for longer than `patience_s`, within a `with` block.

    `Stuck` names the question and the line.

    It interrupts only Python code. A bot that sleeps, or computes in C, is stopped when
    it returns to Python.
    """

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._over = threading.Event()
        self._since = monotonic()
        self._asked: tuple[Bot, Question] | None = None

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()
        if isinstance(error, Stopped):
            raise Stuck(self._problem(error)) from None

    def asks(self, bot: Bot, question: Question) -> None:
        """Record that a bot gets a question."""
        self._since, self._asked = monotonic(), (bot, question)

    def begins(self) -> None:
        """Record that a match begins."""
        self._since, self._asked = monotonic(), None

    def _begin(self) -> None:
        """Start a thread that watches the clock."""
        self._thread = threading.Thread(target=self._watch, args=(threading.get_ident(),), daemon=True)
        self._thread.start()

    def _end(self) -> None:
        self._over.set()
        self._thread.join()

    def _is_late(self) -> bool:
        return monotonic() - self._since > self._patience_s

    def _watch(self, thread: int) -> None:
        while not self._over.wait(self._patience_s / LOOKS):
            if self._is_late():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stopped))
                return

    def _problem(self, error: Stopped) -> Problem:
        what = f"A bot did not come to an end of its `__init__` or `on_start` within {self._patience_s:g} s."
        lines = []
        own = [frame for frame in own_frames(error) if not frame.filename.startswith(HOUSE)]
        if own:
            lines += [
                f"It was in {own[-1].name}, {own[-1].filename}, line {own[-1].lineno}:",
                f"{INDENT}{own[-1].line}",
            ]
        if self._asked is not None:
            bot, question = self._asked
            asked = f"question {question.number} ({question.kind}) of a match of {get_game(bot.game).title}"
            what = f"{type(bot).__name__} did not answer {asked} within {self._patience_s:g} s."
            text = get_text(bot.game).view_text(question.view)
            lines += ["It was asked this:", *(INDENT + row for row in text.splitlines())]
        return Problem(what, "\n".join(lines), "Is there a loop in it that never ends? In a league it would have lost.")


HOUSE: Final = str(Path(getfile(pips_tourney)).parent)
"""The folder of this package, which plays the matches."""


@dataclass(eq=False)
class Listener:
    """Captures the output of bots in this process.

    All of it goes to stderr until a match has a fault, and none afterwards.
    """

    first_on_stdout: str = ""
    """The first line that a bot printed to stdout."""
    heard_fault: bool = False
    passes_on: bool = True
    marks: bool = False
    """Whether `printed` has all matches, with marks of questions (log_marks.py)."""
    printed: str = field(default="", repr=False)
    """The output of bots in the last match."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Capture the output while a match is played."""
        stdout = io.StringIO()
        stderr = stdout if self.marks else io.StringIO()
        try:
            with redirect_stdout(stdout), redirect_stderr(stderr):
                yield
        finally:
            self.first_on_stdout = self.first_on_stdout or stdout.getvalue().strip().partition("\n")[0]
            if not self.heard_fault:
                printed = stdout.getvalue() if self.marks else stdout.getvalue() + stderr.getvalue()
                self.printed = self.printed + printed if self.marks else printed
                if self.passes_on:
                    sys.stderr.write(self.printed)


def play_here(
    duel: Duel,
    matches: Iterable[Fixture],
    on_record: Callable[[Fixture, bytes], None],
    patience_s: float = PATIENCE_S,
    listener: Listener | None = None,
) -> None:
    """Play these matches of a duel in this process.

    Raises `BotProblem` for a bot that cannot play, `Stuck` for a bot that never
    answers, and `Spoilt` if the game fails.
    """
    listener = listener or Listener()
    with Watchdog(patience_s) as watchdog:

        def asks(bot: Bot, question: Question) -> None:
            watchdog.asks(bot, question)
            if listener.marks:
                mark(question.seat, question.number)

        with listener.listening():
            bots = duel.bot_classes()
        for fixture in matches:
            watchdog.begins()
            with listener.listening():
                record, faulted = play_order(duel.order(fixture), bots.__getitem__, asks)
            listener.heard_fault = listener.heard_fault or faulted
            on_record(fixture, record)


def play_order(
    order: referee_pb2.MatchOrder, class_of: Callable[[str], type[Bot]], asks: Callable[[Bot, Question], None]
) -> tuple[bytes, bool]:
    """Play a match; return its record, and whether a bot was at fault in it."""
    header = Header.read(order.header)
    seated = [class_of(name) for name in header.names]
    try:
        match = play_match(seated, header.seed, header.options, list(order.rng_seeds), asks)
    except Exception as error:  # an exception of a bot is its fault: this one is the game's
        raise Spoilt(why_failed(error)) from error
    return write_record(header, match), bool(match.faults)
