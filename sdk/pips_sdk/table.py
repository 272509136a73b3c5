"""A bot's side of its tables, without any network: messages in, answers out."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from importlib import import_module

from pips.v1 import player_pb2
from pips_referee.game import Outcome, View
from pips_referee.wire import AnyWire, get_wire
from pips_sdk.bot import Bot, BotError


class BotTable:
    """One match of one bot instance."""

    def __init__(self, wire: AnyWire) -> None:
        self.bot = Bot()
        self.wire = wire
        self.broken = ""
        """How the bot failed before its first question; that question then costs the match."""

    def start(self, bot_class: type[Bot], start: player_pb2.Start) -> None:
        """Make the bot and tell it all that a new process must know."""
        try:
            self.bot = bot_class()
            options = self.wire.read_options(start.options)
            self.bot.begin(start.seat, start.seats, options, start.rng_seed)
            for event in start.told:
                self.bot.on_event(self.wire.read_event(event))
        except Exception as error:  # noqa: BLE001 - whatever a bot raises costs its match, not the process
            traceback.print_exc()
            self.broken = one_line(error)

    def ask(self, question: player_pb2.Question, answer: player_pb2.Answer) -> None:
        """Fill in the bot's answer; what its code raises costs the match and is shown on stderr."""
        answer.table = question.table
        answer.number = question.number
        if self.broken:
            answer.failed = self.broken
            return
        view: View = self.wire.read_view(question.view)
        try:
            action = self.bot.ask(question.number, view, [self.wire.read_event(event) for event in question.events])
            self.wire.write_action(action, answer.action)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises costs its match, not the process
            report(self.bot, view, question.number, error)
            answer.failed = one_line(error)

    def finish(self, finish: player_pb2.Finish) -> None:
        try:
            for event in finish.events:
                self.bot.on_event(self.wire.read_event(event))
            self.bot.on_finish(Outcome(tuple(finish.places), tuple(finish.scores)))
        except Exception:  # noqa: BLE001 - the match is over, there is nothing left to lose
            traceback.print_exc()
        if finish.fault:
            print(
                f"{type(self.bot).__name__} lost a match of {self.bot.game} by a fault: {finish.fault}", file=sys.stderr
            )


class BotTables:
    """All tables of one bot process, by the referee's numbers."""

    def __init__(self, bots: Mapping[str, type[Bot]]) -> None:
        self.bots = bots
        self.tables: dict[int, BotTable] = {}

    def start(self, start: player_pb2.Start) -> None:
        """A new instance of the bot for a new match, or for one that goes on after this process replaced another."""
        bot_class = self.bots.get(start.game)
        if bot_class is None:
            raise BotError(f"the referee starts a match of {start.game!r}; this bot plays {', '.join(self.bots)}")
        table = self.tables[start.table] = BotTable(get_wire(start.game))
        table.start(bot_class, start)

    def ask(self, question: player_pb2.Question, answer: player_pb2.Answer) -> None:
        self.tables[question.table].ask(question, answer)

    def finish(self, finish: player_pb2.Finish) -> None:
        self.tables.pop(finish.table).finish(finish)


def one_line(error: Exception) -> str:
    """`ValueError: what it said`, with the bot's line it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    where = next((f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in reversed(frames)), "?")
    return f"{type(error).__name__}: {error} (at {where})"


def report(bot: Bot, view: View, number: int, error: Exception) -> None:
    """Which question, the view as text, the traceback: all on stderr."""
    print(
        f"\n{type(bot).__name__} failed at question {number} ({view.kind}) of a match of {bot.game}:", file=sys.stderr
    )
    print(import_module(f"pips_referee.games.{bot.game}.text").view_text(view), file=sys.stderr)
    traceback.print_exception(error, file=sys.stderr)
    sys.stderr.flush()
