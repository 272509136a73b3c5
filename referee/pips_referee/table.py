"""A table: one match, the sessions that sit at it, and what goes to and fro."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from traceback import format_exc
from typing import Concatenate, Final, ParamSpec

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

from pips.v1 import game_pb2, player_pb2, referee_pb2
from pips_referee.clock import SeatClock, TimeControl
from pips_referee.errors import MalformedMessage
from pips_referee.match import ABSENT, MOST_SENTENCE, NO_TIME, Fault, FaultKind, Match, Spent
from pips_referee.pace import Pace
from pips_referee.record import Header, write_record
from pips_referee.session import Asked, LateS, QuestionName, Session
from pips_referee.turns import turns_of

Events = RepeatedCompositeFieldContainer[game_pb2.GameEvent]
P = ParamSpec("P")

MOST_EMPTY_MESSAGES: Final = 64
"""A bot that sends more messages than this without an answer among them is flooding."""
MOST_EMPTY_BYTES: Final = 1 << 20
MOST_ACTION_BYTES: Final = 4096
"""No answer needs as many: a longer one is not read, for it takes longer than all
others together.
"""
MOST_SHOWN: Final = 1000
"""So many events are told at once to people who look on: the bots' clocks go on
meanwhile.
"""


def _void_on_failure(method: Callable[Concatenate[Table, P], None]) -> Callable[Concatenate[Table, P], None]:
    """Whatever fails here that is no bot's fault (a mistake in a game's rules) makes
    this match void, and no other.
    """

    @wraps(method)
    def guarded(table: Table, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(table, *args, **kwargs)
        except Exception:  # noqa: BLE001 - no bot is to pay for it, and the other tables play on
            table.void(format_exc())

    return guarded


class Table:
    """Puts the match's questions to the sessions and their answers to the match, until
    it is over.

    `on_over` gets the match's id and its record, `on_void` its id and why there is
    none.
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
        self.sessions = sessions
        self.rng_seeds = rng_seeds
        self._public: dict[int, game_pb2.GameEvent] = {}
        """Events that all see alike, encoded, by their place in the log."""
        self.clocks = [SeatClock(control) for _ in sessions]
        self.on_over, self.on_void = on_over, on_void
        self.is_void = False
        self.is_open = False
        """Its bots are there, or were waited for long enough."""
        self._pace = Pace(control.pace_us / 1e6, turns_of(header.game.name)) if control.pace_us else None
        self._started: set[int] = set()
        """The numbers of those who were told of the match."""
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
        """Open although bots are missing: that is their fault, unless the machine would
        not let one run.
        """
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
        """Tell a new process of a seat's bot what the seat had been told; the open
        questions are put again later.
        """
        if self.is_open:
            start = self._write_start(self.sessions[seat], seat)
            if self._hears(self.sessions[seat]):
                for event in self.match.told(seat):
                    self.wire.write_event(event, start.told.add())

    @_void_on_failure
    def answered(self, asked: Asked, answer: player_pb2.Answer, spent: Spent) -> None:
        """The answer to this table's open question."""
        clock = self.clocks[asked.seat]
        limit_us = clock.limit_us
        if not clock.charge(spent.used_us):
            self.fault(asked.seat, FaultKind.TIMEOUT, "late", late(spent.used_us, limit_us), spent=spent)
            return
        if answer.WhichOneof("reply") == "failed":
            self.fault(asked.seat, FaultKind.CRASH, "exception", answer.failed[:MOST_SENTENCE], spent=spent)
            return
        try:
            action = self.wire.read_action(answer.action)
        except MalformedMessage as error:
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
        """A fault of a seat that is no action."""
        match = self.match
        if self.is_void or match.is_over or seat in match.faulted:
            return
        was_asked = match.to_ask == seat
        self._dismiss(match.fault(seat, kind, reason, detail, evidence, spent))
        if was_asked or match.is_over:
            self._go_on()

    def _go_on(self) -> None:
        """Put the next question, or end the match: now, or at a paced table when its
        turn has come.
        """
        if self._pace is None:
            self._put()
        else:
            self._pace.wait(self.match.log, self.match.state, self._put_later)

    @_void_on_failure
    def _put_later(self) -> None:
        self._put()

    def _put(self) -> None:
        match = self.match
        seat = match.to_ask
        if seat is None:
            self._finish()
            return
        session = self.sessions[seat]
        asked = Asked(self, seat, (self._numbers[seat], match.number))
        session.queue.append(asked)
        if session.connected.is_set():
            self._write_question(session, asked)

    def _write_start(self, session: Session, seat: int) -> player_pb2.Start:
        start = session.out.starts.add()
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
        """Put the open question to its session, which is new or has come back."""
        self._write_question(self.sessions[asked.seat], asked)

    def _write_question(self, session: Session, asked: Asked) -> None:
        """Put the open question into what its session is sent next."""
        seat = asked.seat
        message = session.out.questions.add()
        message.table, message.number = asked.name
        clock = self.clocks[seat]
        message.time_left_ms = clock.left_ms
        message.used_us = clock.used_us
        self.wire.write_view(self.match.state.view(seat), message.view)
        if self._hears(session):
            self._write_news(seat, message.events)

    def _hears(self, session: Session) -> bool:
        """Whether the bot reads this game's events; what nobody reads is not
        written.
        """
        return self.header.game.name not in session.without_events

    def _write_news(self, seat: int, events: Events) -> None:
        """What happened since the seat last answered.

        An event that all see alike is encoded once for three seats or more; for two,
        encoding it twice costs less.
        """
        if self.match.seats == 2:
            for event in self.match.news(seat):
                self.wire.write_event(event, events.add())
            return
        log, public = self.match.log, self._public
        for index in range(self.match.news_start(seat), len(log)):
            event = log[index]
            seen = event.seen_by(seat)
            if seen is not event:
                if seen is not None:
                    self.wire.write_event(seen, events.add())
                continue
            message = public.get(index)
            if message is None:
                message = public[index] = game_pb2.GameEvent()
                self.wire.write_event(event, message)
            events.append(message)

    def write_shown(self, start: int, message: referee_pb2.WatchedMatch, *, open_cards: bool) -> None:
        """What happened from that place in the log on, for people who look on: as all
        seats see it, or all of it.
        """
        events = self.match.log[start : start + MOST_SHOWN]
        for event in events:
            seen = event if open_cards else event.seen_by_all(self.match.seats)
            if seen is not None:
                self.wire.write_event(seen, message.events.add())
        message.next = start + len(events)

    def _dismiss(self, fault: Fault) -> None:
        """Send a faulted seat home: the table goes on without it, if at all."""
        session = self.sessions[fault.seat]
        message = session.out.finishes.add()
        message.table = self._numbers[fault.seat]
        message.fault = f"{fault.kind.value}: {fault.detail or fault.reason}"
        session.leave(self._numbers[fault.seat], at_fault=True)

    def void(self, why: str) -> None:
        """The match cannot go on, through no bot's fault: everybody leaves, and there
        is no record.
        """
        self.is_void = True
        if self._pace is not None:
            self._pace.stop()
        for number, session in zip(self._numbers, self.sessions, strict=True):
            if number in session.seats:
                session.leave(number)
                if number in self._started:
                    session.out.finishes.add().table = number
        self.on_void(self.header.match_id, why)

    def _finish(self) -> None:
        outcome = self.match.outcome
        for seat, session in enumerate(self.sessions):
            if seat in self.match.faulted:
                continue
            message = session.out.finishes.add()
            message.table = self._numbers[seat]
            message.places.extend(outcome.places)
            message.scores.extend(outcome.scores)
            if self._hears(session):
                self._write_news(seat, message.events)
            session.leave(self._numbers[seat])
        self.on_over(self.header.match_id, write_record(self.header, self.match))


def take(session: Session, message: player_pb2.PlayRequest, size: int, now: float, late_s: LateS) -> None:
    """One message of a bot: its answers in the order of the questions, each with an
    equal share of the time.

    `size` is the message's in bytes; `late_s` tells for how long the referee may have
    left it unread.
    """
    answers = message.answers
    if message.pong and session.way is not None and session.way.pong(message.pong, now) and not answers:
        return
    if len(answers) > len(session.queue) + len(session.withdrawn) + MOST_EMPTY_MESSAGES:
        close(session, FaultKind.FLOOD, f"{len(answers)} answers in a message, to {len(session.queue)} questions")
        return
    names = [(answer.table, answer.number) for answer in answers]
    if awaited := session.awaited(names):
        session.empty_messages = session.empty_bytes = 0
    else:
        session.empty_messages += 1
        session.empty_bytes += size
        if session.empty_messages > MOST_EMPTY_MESSAGES or session.empty_bytes > MOST_EMPTY_BYTES:
            close(session, FaultKind.FLOOD, f"{session.empty_messages} messages without an answer")
            return
    if answers:
        spent = session.spent(now, late_s, max(1, awaited))
        for name, answer in zip(names, answers, strict=True):
            is_long = size > MOST_ACTION_BYTES and answer.action.ByteSize() > MOST_ACTION_BYTES
            _take_answer(session, name, answer, spent, is_long=is_long)
        session.restart_clock(now)
        session.rest()
        session.stir()


def late(used_us: int, limit_us: int) -> str:
    """The sentence of a timeout."""
    return f"{used_us / 1e6:.3f} s for an answer that had {limit_us / 1e6:.3f} s"


def too_long(spent: Spent, longest_us: int) -> str:
    """The sentence of a timeout of one whose own clock still ran."""
    passed_s = (spent.used_us + spent.credited_us) / 1e6
    return (
        f"{passed_s:.3f} s passed for an answer, {spent.used_us / 1e6:.3f} s of them the bot's own; "
        f"none may take longer than {longest_us / 1e6:.3f} s, whatever the bot waits for"
    )


def _take_answer(
    session: Session, name: QuestionName, answer: player_pb2.Answer, spent: Spent, *, is_long: bool
) -> None:
    queue = session.queue
    if queue and queue[0].sent and queue[0].name == name:
        asked = queue.popleft()
        session.passed(asked.order)
        if asked.withdrawn:
            return
        if is_long:
            detail = f"an answer of {answer.action.ByteSize()} bytes; none needs more than {MOST_ACTION_BYTES}"
            asked.table.fault(asked.seat, FaultKind.MALFORMED, "too_long", detail, spent=spent)
        else:
            asked.table.answered(asked, answer, spent.thinking(answer.thought_us))
    elif (order := session.withdrawn.get(name)) is not None:
        session.passed(order)
    else:
        _wrong_question(session, name)


def _wrong_question(session: Session, name: QuestionName) -> None:
    """An answer to something not asked costs the table it names, else the one whose
    question is open, if any.
    """
    table_number, number = name
    what = f"an answer to question {number} of table {table_number}"
    if table_number in session.seats:
        table, seat = session.seats[table_number]
    elif due := [asked for asked in session.queue if not asked.withdrawn]:
        table, seat = due[0].table, due[0].seat
    else:
        return
    table.fault(seat, FaultKind.WRONG_QUESTION, "not_asked", f"{what}, which was not the open one")


def close(session: Session, kind: FaultKind, detail: str) -> None:
    """End a bot's stream for what it did; that costs the question it was at, or else a
    match that waits for others.
    """
    session.send_away(f"{kind.value}: {detail}")
    if not session.lose(kind, detail):
        for table, seat in session.seats.values():
            if table.is_open:
                table.fault(seat, kind, detail=detail)
                return
