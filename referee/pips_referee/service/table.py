"""A table: one match, the sessions at it, and the messages between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

from pips.v1 import game_pb2, player_pb2, referee_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.failure import why_failed
from pips_referee.forms import codecs_of
from pips_referee.match import ABSENT, NO_TIME, Fault, FaultKind, Match, Spent
from pips_referee.records.record import Header, write_record
from pips_referee.service.asked import Asked
from pips_referee.service.session import Session
from pips_referee.service.stopwatch import late
from pips_referee.timing.clock import SeatClock, TimeControl

Events = RepeatedCompositeFieldContainer[game_pb2.GameEvent]
P = ParamSpec("P")

MOST_SHOWN: Final = 1000
"""The most events sent to spectators at once: the bots' clocks run meanwhile."""


def _void_on_failure(method: Callable[Concatenate[Table, P], None]) -> Callable[Concatenate[Table, P], None]:
    """Make this match, and no other, void after any failure that is no bot's fault.

    Such a failure is a bug in a game's rules, for example.
    """

    @wraps(method)
    def guarded(table: Table, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(table, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - no bot is to pay for it, and the other tables play on
            table.void(why_failed(error))

    return guarded


class Table:
    """Passes questions and answers between a match and its sessions, until it is over.

    `on_over` gets the match's id and its record, `on_void` its id and why there is no
    record.
    """

    def __init__(
        self,
        header: Header,
        sessions: Sequence[Session],
        rng_seeds: Sequence[bytes],
        control: TimeControl,
        on_over: Callable[[str, bytes], None],
        on_void: Callable[[str, str], None],
    ) -> None:
        self.header = header
        self.match: Match = header.new_match()
        self.wire = header.wire
        self.codecs = codecs_of(header.game.name)
        self.sessions = sessions
        self.rng_seeds = rng_seeds
        self.clocks = [SeatClock(control) for _ in sessions]
        self.on_over, self.on_void = on_over, on_void
        self.is_void = False
        self.is_open = False
        """The match has begun: its bots are present, or the wait for them is over."""
        self._started: set[int] = set()
        """The table numbers of the sessions that know of the match."""
        self._numbers = [session.sit(self, seat) for seat, session in enumerate(sessions)]

    @_void_on_failure
    def open(self) -> None:
        """Tell all seats of the match and put its first question."""
        self.is_open = True
        for seat, session in enumerate(self.sessions):
            if session.connected.is_set():
                self._write_start(session, seat)
        self._go_on()

    def open_without(self, detail: str) -> None:
        """Open without missing bots: a fault of theirs, unless the machine failed."""
        missing = [seat for seat, session in enumerate(self.sessions) if not session.connected.is_set()]
        for seat in missing:
            session = self.sessions[seat]
            if session.ended is not None and session.ended.refused:
                self.void(f"{session.process}: {session.ended.how}")
                return
        self.open()
        for seat in missing:
            ended = self.sessions[seat].ended
            if ended is None:
                self.fault(seat, FaultKind.DISCONNECT, ABSENT, detail)
            else:
                self.fault(seat, FaultKind.CRASH, ABSENT, ended.how, ended.last_output)

    @_void_on_failure
    def resume(self, seat: int) -> None:
        """Send everything a seat has seen to its bot's new process.

        The open questions follow later.
        """
        if self.is_open:
            start = self._write_start(self.sessions[seat], seat)
            if self._hears(self.sessions[seat]):
                for event in self.match.told(seat):
                    self.wire.write_event(event, start.told.add())

    def answered(self, asked: Asked, answer: player_pb2.Answer, spent: Spent) -> None:
        """Take the answer to this table's open question."""
        try:  # without the decorator: that saves a call for every decision
            self._take(asked, answer, spent)
        except Exception as error:  # noqa: BLE001 - no bot is charged, and the other tables play on
            self.void(why_failed(error))

    def _take(self, asked: Asked, answer: player_pb2.Answer, spent: Spent) -> None:
        clock = asked.clock
        limit_us = clock.limit_us
        if not clock.charge(spent.used_us):
            self.fault(asked.seat, FaultKind.TIMEOUT, "late", late(spent.used_us, limit_us), spent=spent)
            return
        try:
            data = answer.action.other
            action = self.codecs.action.read(data) if data else self.wire.read_action(answer.action)
            if data:
                self.wire.fit_action(action, game_pb2.GameAction())  # it must fit into the record
        except MalformedMessage as error:
            if answer.WhichOneof("reply") == "failed":  # then the missing action is not malformed
                self.fault(asked.seat, FaultKind.CRASH, "exception", answer.failed, spent=spent)
            else:
                self.fault(asked.seat, FaultKind.MALFORMED, "unreadable", str(error), spent=spent)
            return
        fault = self.match.answer(action, spent)
        if fault is not None:
            self._dismiss(fault)
        self._go_on()

    @_void_on_failure
    def fault(
        self,
        seat: int,
        kind: FaultKind,
        reason: str = "",
        detail: str = "",
        evidence: str = "",
        spent: Spent = NO_TIME,
    ) -> None:
        """Record a fault of a seat that is no action."""
        match = self.match
        if self.is_void or match.is_over or seat in match.faulted:
            return
        asked = match.to_ask
        self._dismiss(match.fault(seat, kind, reason, detail, evidence, spent))
        if asked == seat or match.is_over:
            if self._was_sent(asked):
                match.knows_its_question(asked)
            self._go_on()

    def _was_sent(self, seat: int) -> bool:
        """Whether the seat was sent its open question, and the events with it."""
        return any(asked.table is self and asked.sent for asked in self.sessions[seat].queue)

    def _go_on(self) -> None:
        """Put the next question, or end the match."""
        match = self.match
        seat = match.to_ask
        if seat is None:
            self._finish()
            return
        session = self.sessions[seat]
        asked = Asked(self, seat, (self._numbers[seat], match.number), self.clocks[seat])
        session.queue.append(asked)
        if session.connected.is_set():
            self._write_question(session, asked)

    def _write_start(self, session: Session, seat: int) -> player_pb2.Start:
        start = session.outbox.message.starts.add()
        start.table = self._numbers[seat]
        self._started.add(start.table)
        start.game = self.header.game.name
        start.rules_version = self.header.game.rules_version
        self.wire.write_options(self.header.options, start.options)
        start.seats = self.match.seats
        start.seat = seat
        start.commitment = self.header.commitment
        start.rng_seed = self.rng_seeds[seat]
        return start

    @_void_on_failure
    def put_again(self, asked: Asked) -> None:
        """Repeat the open question to its session, which is new or has come back."""
        self._write_question(self.sessions[asked.seat], asked)

    def _write_question(self, session: Session, asked: Asked) -> None:
        """Write the open question into the next message to its session."""
        seat = asked.seat
        message = session.outbox.message.questions.add()
        message.table, message.number = asked.name
        clock = asked.clock
        message.time_left_ms = clock.left_ms
        message.used_us = clock.used_us
        view, hears = self.match.state.view(seat), self._hears(session)
        if session.reads_json:
            message.json = self.codecs.write_question(view, self.match.news(seat) if hears else ())
            return
        self.wire.write_view(view, message.view)
        if hears:
            self._write_news(seat, message.events)

    def _hears(self, session: Session) -> bool:
        """Whether the bot reads this game's events; otherwise they are not written."""
        return self.header.game.name not in session.without_events

    def _write_news(self, seat: int, events: Events) -> None:
        """Write the events since the seat last answered."""
        for event in self.match.news(seat):
            self.wire.write_event(event, events.add())

    def write_shown(self, start: int, message: referee_pb2.WatchedMatch, *, open_cards: bool) -> None:
        """Write events for spectators from index `start` in the log on.

        They are as all seats see them, or complete with `open_cards`.
        """
        events = self.match.log[start : start + MOST_SHOWN]
        for event in events:
            seen = event if open_cards else event.seen_by_all(self.match.seats)
            if seen is not None:
                self.wire.write_event(seen, message.events.add())
        message.next = start + len(events)

    def _dismiss(self, fault: Fault) -> None:
        """Send home a seat at fault; the table may go on without it."""
        session = self.sessions[fault.seat]
        message = session.outbox.message.finishes.add()
        message.table = self._numbers[fault.seat]
        message.fault = f"{fault.kind.value}: {fault.detail or fault.reason}"
        session.leave(self._numbers[fault.seat], at_fault=True)

    def void(self, why: str) -> None:
        """End the match without a record, through no bot's fault; everybody leaves."""
        self.is_void = True
        for number, session in zip(self._numbers, self.sessions, strict=True):
            if number in session.seats:
                session.leave(number)
                if number in self._started:
                    session.outbox.message.finishes.add().table = number
        self.on_void(self.header.match_id, why)

    def _finish(self) -> None:
        outcome = self.match.outcome
        for seat, session in enumerate(self.sessions):
            if seat in self.match.faulted:
                continue
            message = session.outbox.message.finishes.add()
            message.table = self._numbers[seat]
            message.places.extend(outcome.places)
            message.scores.extend(outcome.scores)
            if self._hears(session):
                self._write_news(seat, message.events)
            session.leave(self._numbers[seat])
        self.on_over(self.header.match_id, write_record(self.header, self.match))
