"""A bot's side of its tables, without any network: messages in, answers out."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from os import sep
from time import perf_counter
from traceback import FrameSummary
from typing import Final

from pips.v1 import game_pb2, player_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.forms import codecs_of
from pips_referee.game import Action, Event, Options, Outcome, View
from pips_referee.wire import AnyWire, get_wire, plain_wire
from pips_sdk._runtime.late import WATCH
from pips_sdk._runtime.log_marks import IS_MARKED, mark
from pips_sdk.bot import Bot, BotError, file_name, place_of, wanted

HOUSE: Final = tuple(str(sys.modules[made.__module__].__file__).rpartition(sep)[0] + sep for made in (Bot, View))
"""The folders of the SDK's own files and the games'."""
FAILURES: Final = (Exception, SystemExit)
"""Exceptions of a bot's code that cost its match.

Ctrl-C is not among them: it ends the program, as usual.
"""


class BotTable:
    """One match of one bot instance."""

    def __init__(self, bot_class: type[Bot]) -> None:
        self.bot_class = bot_class
        self.bot = Bot()
        """An instance of `bot_class` once the match has begun."""
        game = bot_class.game
        self.wire = get_wire(game)
        self._codecs, self._plain = codecs_of(game), plain_wire(game)
        self._hears = bot_class.hears()
        self._is_watched = bot_class.at_once == 1
        self.broken = ""
        """Why the instance failed to begin; then every question costs the match."""

    def begin(self, seat: int, seats: int, options: Options, rng_seed: bytes, told: Iterable[Event] = ()) -> None:
        """Make a new instance and begin its match.

        An instance that takes over from another one gets the events so far in `told`.
        """
        try:
            self.bot = self.bot_class()
            self.bot.begin(seat, seats, options, rng_seed)
            self.bot.hear(told)
        except FAILURES as error:  # any exception of a bot costs its match, not the process
            traceback.print_exc()
            self.broken = one_line(error, self.bot_class)

    def ask(self, question: player_pb2.Question, answer: player_pb2.Answer, begun: float | None = None) -> float:
        """Fill in the bot's answer; return the time it was done, by `perf_counter`.

        `begun` is when the previous answer was done, which saves a look at the clock.
        An exception in the bot's code costs the match and is shown on stderr.
        """
        if begun is None:
            begun = perf_counter()
        self._fill_in(question, answer, begun)
        done = perf_counter()
        answer.thought_us = int(1e6 * (done - begun))
        return done

    def _fill_in(self, question: player_pb2.Question, answer: player_pb2.Answer, begun: float) -> None:
        answer.table = question.table
        answer.number = number = question.number
        if self.broken:
            answer.failed = self.broken
            return
        bot = self.bot
        view, events, wire = self._read(question)
        if IS_MARKED:
            mark(view.seat, number)
        bot.time_left_ms = time_left_ms = question.time_left_ms
        if self._is_watched:
            WATCH.open(bot, number, view, time_left_ms, begun)
        try:
            action = bot.ask(number, view, events if self._hears else ())
            write_action(bot, wire, action, answer.action)
        except FAILURES as error:  # any exception of a bot costs its match, not the process
            report(bot, view, number, error)
            answer.failed = one_line(error, self.bot_class)
        finally:
            WATCH.close()

    def _read(self, question: player_pb2.Question) -> tuple[View, Iterable[Event], AnyWire]:
        """The view, the events before it, and the wire of the answer."""
        if data := question.json:
            return *self._codecs.read_question(data), self._plain
        wire = self.wire
        return wire.read_view(question.view), map(wire.read_event, question.events), wire

    def as_sent(self, action: Action) -> Action:
        """The action as a referee would parse it; `BotError` if it cannot be sent."""
        message = game_pb2.GameAction()
        write_action(self.bot, self._plain, action, message)
        try:
            sent: Action = self._plain.read_action(message)
            self.wire.fit_action(sent, message)
        except MalformedMessage as error:
            raise _no_action(self.bot, action) from error
        return sent

    def finish(self, outcome: Outcome, events: Iterable[Event], fault: str = "") -> None:
        """End the match, at least for this seat."""
        try:
            self.bot.hear(events)
            self.bot.on_finish(outcome)
        except FAILURES:  # the match is over, so there is no penalty
            traceback.print_exc()
        if fault:
            name, game = self.bot_class.__name__, self.bot_class.game
            print(f"{name} lost a match of {game} by a fault: {fault}", file=sys.stderr)


class BotTables:
    """All tables of one bot process, by the referee's table numbers."""

    def __init__(self, bots: Mapping[str, type[Bot]]) -> None:
        self.bots = bots
        for game in bots:  # things created during a match cost time on its clock
            get_wire(game), plain_wire(game)
        self.tables: dict[int, BotTable] = {}
        self.at_once = max(bot.at_once for bot in bots.values())
        """How many tables are asked at once; `run` refuses bots that differ in it."""

    def start(self, start: player_pb2.Start) -> None:
        """Make a new instance for a match.

        The match is new, or continues because this process replaced another.
        """
        bot_class = self.bots.get(start.game)
        if bot_class is None:
            raise BotError(f"the referee starts a match of {start.game!r}; this bot plays {', '.join(self.bots)}")
        table = self.tables[start.table] = BotTable(bot_class)
        told, options = map(table.wire.read_event, start.told), table.wire.read_options(start.options)
        table.begin(start.seat, start.seats, options, start.rng_seed, told)
        WATCH.give_way()

    def ask(self, question: player_pb2.Question, answer: player_pb2.Answer, begun: float | None = None) -> float:
        return self.tables[question.table].ask(question, answer, begun)

    def finish(self, finish: player_pb2.Finish) -> None:
        table = self.tables.pop(finish.table)
        outcome = Outcome(tuple(finish.places), tuple(finish.scores))
        table.finish(outcome, map(table.wire.read_event, finish.events), finish.fault)


def write_action(bot: Bot, wire: AnyWire, action: Action, message: game_pb2.GameAction) -> None:
    """Write the action returned by the bot's `choose` into a message.

    `BotError` if it does not fit.
    """
    try:
        wire.write_action(action, message)
    except Exception as error:  # an action of another game, or with values that no action may have
        raise _no_action(bot, action) from error


def _no_action(bot: Bot, action: Action) -> BotError:
    return wanted(bot, "choose", f"an action of {bot.game}, such as one of view.legal_actions()", action)


def own_frames(error: BaseException) -> list[FrameSummary]:
    """The error's frames in the bot's own files, the deepest last."""
    foreign = (*HOUSE, *_libraries(), "<")
    return [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(foreign)]


def _libraries() -> list[str]:
    """The folders of Python's own files and of installed packages."""
    from sysconfig import get_paths  # bots start faster without it

    paths = get_paths()
    return [f"{paths[name]}{sep}" for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def one_line(error: BaseException, bot_class: type[Bot] = Bot) -> str:
    """`ValueError: the text (at my_bot.py:12)`, with the bot's own deepest line.

    If a method has the wrong parameters, the line is that of the method. Without a line
    in the bot's code, no place is named.
    """
    said = _ended_by(error) if isinstance(error, SystemExit) else _said(error)
    own = own_frames(error)
    line = f"{file_name(own[-1].filename)}:{own[-1].lineno}" if own else _uncallable(error, bot_class)
    where = error.where or line if isinstance(error, BotError) else line
    line = f"{type(error).__name__}: {said}" + (f" (at {where})" if where else "")
    return line.encode(errors="backslashreplace").decode()  # a lone surrogate fits into no message


def _said(error: BaseException) -> str:
    """The error's text; for an unknown attribute, with the most similar name."""
    if isinstance(error, AttributeError) and error.name:
        from difflib import get_close_matches  # bots start faster without it

        if close := get_close_matches(error.name, dir(error.obj), 1):
            return f"{error}. Did you mean `{close[0]}`?"
    return str(error)


def _uncallable(error: BaseException, bot_class: type[Bot]) -> str:
    """The place of the method named in one of Python's `TypeError`s.

    For example `MyBot.lead() takes 1 positional argument but ...`.
    """
    named = re.match(r"\S*?(\w+)\(\) ", str(error)) if isinstance(error, TypeError) else None
    return place_of(bot_class, named[1]) if named else ""


def _ended_by(error: SystemExit) -> str:
    return "the bot ended the program" + ("" if error.code is None else f" with {error.code!r}")


def report(bot: Bot, view: View, number: int, error: BaseException) -> None:
    """Print the question, the view as text and the traceback on stderr."""
    print(
        f"\n{type(bot).__name__} failed at question {number} ({view.kind}) of a match of {bot.game}:", file=sys.stderr
    )
    print(view.text, file=sys.stderr)
    told = traceback.TracebackException.from_exception(error)
    if theirs := [frame for frame in told.stack if not frame.filename.startswith(HOUSE)]:
        told.stack = traceback.StackSummary.from_list(theirs)
    print("".join(told.format()), end="", file=sys.stderr, flush=True)
