"""What a table sends its sessions, and how it takes their messages in any order."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from pips.v1 import player_pb2
from pips_referee.errors import MOST_SENTENCE
from pips_referee.forms import codecs_of
from pips_referee.game import Action, AnyState, Event
from pips_referee.games.serpent.values import Given
from pips_referee.match import FaultKind, Spent
from pips_referee.records.record import Record, verify
from pips_referee.service.inbox import MOST_ACTION_BYTES, MOST_EMPTY_BYTES, MOST_EMPTY_MESSAGES, close, take
from pips_referee.service.session import Session
from pips_referee.service.stopwatch import late
from pips_referee.service.table import Table
from pips_referee.timing.clock import TimeControl
from pips_referee.wire import plain_wire
from tests.pips_referee.house import faults_of
from tests.records import new_header

HEADER = new_header(max_tiebreaks=0)


def never_late(now: float) -> float:
    return 0.0


class Room:
    """Two sessions, tables between them, and the records of those that are over."""

    def __init__(
        self,
        tables: int = 1,
        control: TimeControl | None = None,
        seats: int = 2,
        deaf: Sequence[int] = (),
        in_json: Sequence[int] = (),
    ) -> None:
        self.sessions = [Session(f"bot{seat}/0") for seat in range(seats)]
        for seat, session in enumerate(self.sessions):
            without = ["serpent"] if seat in deaf else ["wichita"]
            session.connect("bare", ["serpent"], without, reads_json=seat in in_json)
            session.take_out(0.0)
        self.records: list[Record] = []
        self.voids: list[str] = []
        header = HEADER if seats == 2 else new_header("wichita", seats)
        self.tables = [
            Table(
                header,
                self.sessions,
                [bytes([seat] * 32) for seat in range(seats)],
                control or TimeControl(),
                self.over,
                self.void,
            )
            for _ in range(tables)
        ]
        for table in self.tables:
            table.open()

    def over(self, match_id: str, record: bytes) -> None:
        self.records.append(verify(record))

    def void(self, match_id: str, why: str) -> None:
        self.voids.append(why)

    def answers(self, seat: int = 0) -> list[player_pb2.Answer]:
        """A legal answer to every question that the session was sent."""
        made = []
        for asked in self.sessions[seat].queue:
            answer = player_pb2.Answer(table=asked.name[0], number=asked.name[1])
            table = asked.table
            assert isinstance(table, Table)
            action = next(table.match.state.legal_actions())
            wire = plain_wire(table.header.game.name) if self.sessions[seat].reads_json else table.wire
            wire.write_action(action, answer.action)
            made.append(answer)
        return made

    def play(self) -> list[list[Event]]:
        """Everything to the end; by seat, the events that were sent to it."""
        heard: list[list[Event]] = [[] for _ in self.sessions]
        while any(session.outbox.unsent for session in self.sessions):
            for seat, session in enumerate(self.sessions):
                message = session.take_out(1.0)
                for question in message.questions:
                    assert bool(question.json) is session.reads_json is not question.HasField("view")
                    if question.json:
                        heard[seat] += codecs_of("serpent").read_question(question.json)[1]
                for events in [q.events for q in message.questions] + [f.events for f in message.finishes]:
                    heard[seat] += map(HEADER.wire.read_event, events)
                if session.queue:
                    self.send(*self.answers(seat), seat=seat)
        assert self.records
        return heard

    def send(self, *answers: player_pb2.Answer, seat: int = 0, now: float = 1.0) -> None:
        message = player_pb2.PlayRequest(answers=answers)
        take(self.sessions[seat], message, message.ByteSize(), now, never_late)

    def faults(self) -> list[list[tuple[int, str]]]:
        """The faults of every table, over or not."""
        return [[(fault.seat, fault.kind.value) for fault in table.match.faults] for table in self.tables]


class TestOpen:
    def test_everybody_is_told_of_the_match_and_one_is_asked(self) -> None:
        room = Room()
        first, other = (session.take_out(1.0) for session in room.sessions)
        (start,), (question,) = first.starts, first.questions
        assert (start.game, start.seats, start.seat, start.rng_seed) == ("serpent", 2, 0, bytes(32))
        assert start.commitment == HEADER.commitment
        assert (question.table, question.number, question.time_left_ms) == (start.table, 1, 0)
        assert [(start.seat, len(other.questions)) for start in other.starts] == [(1, 0)]

    def test_a_seat_whose_bot_is_not_here_is_told_when_it_comes(self) -> None:
        a, b = Session("a/0"), Session("b/0")
        b.connect("bare", ["serpent"])
        b.take_out(0.0)
        Table(HEADER, [a, b], [bytes(32)] * 2, TimeControl(), print, print).open()
        assert not a.outbox.unsent
        a.connect("bare", ["serpent"])
        message = a.take_out(1.0)
        assert (len(message.starts), len(message.questions)) == (1, 1)

    def test_the_time_left_is_told(self) -> None:
        room = Room(control=TimeControl(answer_us=500_000, bank_us=10_000_000))
        assert room.sessions[0].take_out(1.0).questions[0].time_left_ms == 500


class TestNews:
    def test_all_hear_what_all_may_see_and_each_what_is_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Given, "seen_by", lambda event, seat: event if seat == 0 else None)
        room = Room()
        heard = room.play()
        for seat in range(2):
            seen = [event.seen_by(seat) for event in room.tables[0].match.log]
            assert heard[seat] == [event for event in seen if event is not None]
        assert any(isinstance(event, Given) for event in heard[0])
        assert not any(isinstance(event, Given) for event in heard[1])

    def test_who_reads_none_of_this_games_is_sent_none_and_the_other_all(self) -> None:
        room = Room(deaf=[0])
        none, all_of_them = room.play()
        assert not none
        assert all_of_them == [event.seen_by(1) for event in room.tables[0].match.log]

    @pytest.mark.parametrize("without_events", [["serpent"], []])
    def test_nor_is_it_when_it_comes_back(self, without_events: list[str]) -> None:
        room = Room()
        for seat, session in enumerate(room.sessions):
            session.take_out(1.0)
            if session.queue:
                room.send(*room.answers(seat), seat=seat)
        room.sessions[0].connect("bare", ["serpent"], without_events)
        (start,) = room.sessions[0].take_out(2.0).starts
        assert bool(start.told) == (not without_events)


class TestJson:
    def test_a_match_is_told_and_recorded_alike_in_either_form(self) -> None:
        typed = Room()
        heard = typed.play()
        for seats in ([0], [0, 1]):
            room = Room(in_json=seats)
            assert room.play() == heard
            assert room.records == typed.records

    def test_who_reads_no_events_is_sent_none(self) -> None:
        assert Room(deaf=[0], in_json=[0, 1]).play()[0] == []

    def test_it_may_come_back_with_the_other_form(self) -> None:
        room = Room(in_json=[0])
        room.sessions[0].connect("bare", ["serpent"])
        assert room.sessions[0].take_out(2.0).questions[0].HasField("view")

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"{", "action: the bytes are no JSON: "),
            (b'{"kind":"held","seat":0}', "action: an object with a `kind` of give, reveal, lead, answer is due, not "),
            (b'{"kind":"give","cards":["QS","QS","1S"]}', "action.cards[2]: a card such as QS is due, not '1S'"),
            (b'{"kind":"give","cards":[],"more":1}', "action: there is no field more, as in "),
            (b'{"kind":"_nothing"}', "action: an object with a `kind` of give, reveal, lead, answer is due, not "),
            (b"[" * 992 + b"]" * 992, "action: "),
            (b'{"kind":"lead","\\u001b[2J":1}', "action: there is no field \\x1b[2J, as in "),
            (b'{"kind":"give","cards":[]' + b" " * MOST_ACTION_BYTES + b"}", "an answer of 41"),
        ],
    )
    def test_hostile_bytes_cost_the_match(self, data: bytes, said: str) -> None:
        room = Room(in_json=[0])
        room.sessions[0].take_out(0.5)
        (answer,) = room.answers()
        answer.action.other = data
        room.send(answer)
        assert faults_of(room.records[0]) == [(0, "malformed")]
        assert room.records[0].outcome.faults[0].detail.startswith(said)

    def test_what_the_game_s_own_message_cannot_hold_costs_the_match(self, monkeypatch: pytest.MonkeyPatch) -> None:
        room = Room(in_json=[0])
        room.sessions[0].take_out(0.5)
        answers = room.answers()
        monkeypatch.setattr(type(HEADER.wire), "write_action", lambda *_: int("x"))
        room.send(*answers)
        assert (faults_of(room.records[0]), room.voids) == ([(0, "malformed")], [])


class TestAnswers:
    def test_the_open_question_is_answered_and_the_next_put(self) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        room.send(*room.answers())
        assert room.tables[0].match.history[0].spent.used_us == 500_000
        assert room.sessions[0].queue[0].name[1] == 2
        assert room.sessions[0].outbox.wake.is_set()

    def test_what_a_bot_says_of_its_work_goes_by_no_clock_and_is_no_more_than_the_time_that_passed(self) -> None:
        for says, kept in ((0, 0), (300, 300), (10**9, 500_000)):
            room = Room()
            room.sessions[0].take_out(0.5)
            (answer,) = room.answers()
            answer.thought_us = says
            room.send(answer)
            assert room.tables[0].match.history[0].spent == Spent(500_000, 0, 1, kept)

    def test_all_tables_in_one_message(self) -> None:
        room = Room(tables=5)
        room.sessions[0].take_out(0.5)
        room.send(*room.answers())
        assert [len(table.match.history) for table in room.tables] == [1] * 5
        assert {table.match.history[0].spent for table in room.tables} == {Spent(100_000, 0, 5)}

    def test_one_that_was_never_sent_cannot_be_answered(self) -> None:
        room = Room()
        room.send(*room.answers())
        assert room.faults() == [[(0, "wrong_question")]]

    def test_one_before_its_turn_costs_its_table_and_leaves_the_other(self) -> None:
        room = Room(tables=2)
        room.sessions[0].take_out(0.5)
        first, second = room.answers()
        room.send(second, first)
        assert room.faults() == [[], [(0, "wrong_question")]]
        assert len(room.tables[0].match.history) == 1

    def test_one_too_many_of_another_seats_question_costs_the_seat_that_sent_it(self) -> None:
        room = Room(seats=3)
        asked = room.tables[0].match.to_ask
        assert asked is not None
        other = (asked + 1) % 3
        open_before = room.tables[0].match.question()
        (number,) = room.sessions[other].seats
        room.send(player_pb2.Answer(table=number, number=1), seat=other)
        assert room.faults() == [[(other, "wrong_question")]]
        assert room.tables[0].match.question() == open_before
        assert len(room.sessions[asked].queue) == 1

    def test_one_of_a_table_that_there_is_not_costs_the_open_one(self) -> None:
        room = Room(tables=2)
        room.sessions[0].take_out(0.5)
        room.send(player_pb2.Answer(table=12345, number=1))
        assert room.faults() == [[(0, "wrong_question")], []]

    def test_without_an_open_question_it_costs_nothing_but_patience(self) -> None:
        room = Room()
        room.send(player_pb2.Answer(table=12345, number=1), seat=1)
        assert room.faults() == [[]]
        for _ in range(MOST_EMPTY_MESSAGES):
            room.send(player_pb2.Answer(table=12345, number=1), seat=1)
        assert room.sessions[1].closing.startswith("flood: ")

    def test_one_to_a_question_that_was_taken_back_is_dropped_once(self) -> None:
        room = Room(tables=2)
        room.sessions[0].take_out(0.5)
        first, second = room.answers()
        room.tables[0].fault(1, FaultKind.DISCONNECT)
        room.send(first, second)
        assert room.faults() == [[(1, "disconnect")], []]
        assert len(room.tables[1].match.history) == 1
        room.sessions[0].take_out(1.5)
        room.send(first)
        assert room.faults()[1] == [(0, "wrong_question")]

    def test_nor_does_it_come_after_that_to_a_later_question(self) -> None:
        """Else a bot could keep it as a pause from the clock for the right moment.

        It would never be seen at rest.
        """
        room = Room(tables=3)
        session = room.sessions[0]
        session.take_out(0.5)
        _, second, third = room.answers()
        session.give_up()
        room.tables[0].fault(0, FaultKind.TIMEOUT)
        room.send(third)
        assert room.faults()[2] == [(0, "wrong_question")], "it is before its turn"
        assert len(session.withdrawn) == 2
        room.send(second)
        assert list(session.withdrawn) == [(third.table, third.number)], "that one is still to come"
        room.send(third)
        assert not session.withdrawn

    def test_one_that_is_longer_than_any_could_be_is_not_read(self) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        (answer,) = room.answers()
        answer.action.serpent.give = bytes(MOST_ACTION_BYTES)
        room.send(answer)
        assert faults_of(room.records[0]) == [(0, "malformed")]
        assert room.records[0].outcome.faults[0].detail.startswith("an answer of 41")

    def test_many_of_the_usual_length_in_one_message_are(self) -> None:
        room = Room(tables=400)
        room.sessions[0].take_out(0.5)
        answers = room.answers()
        assert sum(answer.ByteSize() for answer in answers) > MOST_ACTION_BYTES
        room.send(*answers)
        assert not any(room.faults())

    def test_what_is_said_of_an_illegal_one_is_cut(self) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        (answer,) = room.answers()
        answer.action.serpent.reveal = bytes(1000)
        room.send(answer)
        assert faults_of(room.records[0]) == [(0, "illegal")]
        assert len(room.records[0].outcome.faults[0].detail) == MOST_SENTENCE

    def test_what_answers_nothing_shares_no_time(self) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        (answer,) = room.answers()
        junk = [player_pb2.Answer(table=12345, number=number) for number in range(9)]
        room.send(answer, answer, *junk)
        assert room.tables[0].match.history[0].spent == Spent(500_000, 0, 1)

    def test_one_that_is_too_late_is_a_timeout_whatever_it_says(self) -> None:
        room = Room(control=TimeControl(answer_us=400_000))
        room.sessions[0].take_out(0.5)
        room.send(*room.answers())
        assert faults_of(room.records[0]) == [(0, "timeout")]
        assert room.records[0].outcome.faults[0].detail == late(500_000, 400_000)

    def test_a_long_sentence_of_a_failure_is_cut(self) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        (asked,) = room.sessions[0].queue
        room.send(player_pb2.Answer(table=asked.name[0], number=1, failed="x" * 5000))
        assert room.records[0].outcome.faults[0].detail == "x" * 1000

    @pytest.mark.parametrize("said", ["", "ValueError"])
    def test_a_failure_is_a_crash_though_it_holds_no_action(self, said: str) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        (asked,) = room.sessions[0].queue
        room.send(player_pb2.Answer(table=asked.name[0], number=1, failed=said))
        assert faults_of(room.records[0]) == [(0, "crash")]


class TestFaults:
    def test_a_seat_faults_once_and_never_when_the_match_is_over(self) -> None:
        room = Room(seats=3)
        table = room.tables[0]
        for seat in (1, 1, 2, 0):
            table.fault(seat, FaultKind.DISCONNECT)
        assert room.faults() == [[(1, "disconnect"), (2, "disconnect")]]
        assert faults_of(room.records[0]) == [(1, "disconnect"), (2, "disconnect")]

    def test_who_faulted_is_told_why_and_who_did_not_how_it_ended(self) -> None:
        room = Room()
        room.tables[0].fault(1, FaultKind.FLOOD, detail="too much")
        mine, others = (session.take_out(1.0).finishes[0] for session in room.sessions)
        assert (mine.fault, list(mine.places), list(mine.scores)) == ("", [1, 2], [0, 0])
        assert (others.fault, list(others.places), len(others.events)) == ("flood: too much", [], 0)
        assert len(mine.events) == 1

    def test_who_is_at_a_question_when_the_match_ends_hears_no_event_twice(self) -> None:
        room = Room()
        assert len(room.sessions[0].take_out(1.0).questions[0].events) == 1
        room.tables[0].fault(1, FaultKind.DISCONNECT)
        assert len(room.sessions[0].take_out(1.0).finishes[0].events) == 0

    def test_the_table_is_left(self) -> None:
        room = Room()
        room.tables[0].fault(0, FaultKind.TIMEOUT, "late")
        assert not any(session.seats or session.queue for session in room.sessions)

    def test_to_end_a_stream_costs_the_head_of_its_queue_alone(self) -> None:
        room = Room(tables=3)
        session = room.sessions[0]
        session.take_out(0.5)
        close(session, FaultKind.FLOOD, "too much")
        assert session.closing == "flood: too much"
        assert room.faults() == [[(0, "flood")], [], []]
        assert not any(asked.sent for asked in session.queue)
        assert session.stopwatch.since is None

    def test_to_end_the_stream_of_an_idle_bot_costs_a_match_too_or_it_could_go_on_so_for_ever(self) -> None:
        room = Room(tables=3)
        close(room.sessions[1], FaultKind.MALFORMED, "2 bytes")
        assert room.faults() == [[(1, "malformed")], [], []]

    def test_but_none_that_has_not_begun(self) -> None:
        room = Room()
        late = Session("late/0")
        Table(HEADER, [late, room.sessions[0]], [bytes(32)] * 2, TimeControl(), room.over, room.void)
        close(late, FaultKind.MALFORMED, "2 bytes")
        assert not room.records and len(late.seats) == 1


class TestFlood:
    def test_so_many_messages_without_an_answer_are_borne_and_no_more(self) -> None:
        room = Room()
        for _ in range(MOST_EMPTY_MESSAGES):
            room.send(seat=1)
        assert not room.sessions[1].closing
        room.send(seat=1)
        assert room.sessions[1].closing == f"flood: {MOST_EMPTY_MESSAGES + 1} messages without an answer"

    def test_so_are_so_many_bytes(self) -> None:
        room = Room()
        take(room.sessions[1], player_pb2.PlayRequest(), MOST_EMPTY_BYTES, 1.0, never_late)
        assert not room.sessions[1].closing
        take(room.sessions[1], player_pb2.PlayRequest(), 1, 1.0, never_late)
        assert room.sessions[1].closing.startswith("flood: ")

    def test_more_answers_in_a_message_than_there_could_be_are_not_even_read(self) -> None:
        room = Room(tables=3)
        room.sessions[0].take_out(0.5)
        junk = [player_pb2.Answer()] * (3 + MOST_EMPTY_MESSAGES)
        room.send(*room.answers(), *junk)
        assert room.sessions[0].closing == f"flood: {6 + MOST_EMPTY_MESSAGES} answers in a message, to 3 questions"
        assert room.faults() == [[(0, "flood")], [], []]

    def test_an_answer_earns_patience_again(self) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        for _ in range(MOST_EMPTY_MESSAGES):
            room.send()
        room.send(*room.answers())
        for _ in range(MOST_EMPTY_MESSAGES):
            room.send()
        assert not room.sessions[0].closing


class TestVoid:
    """A mistake in a game's rules is no seat's fault."""

    def test_the_match_is_void_and_the_other_tables_play_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        room = Room(tables=2)
        room.sessions[0].take_out(0.5)

        broken, answers = room.tables[0].match.state, room.answers()
        apply = type(broken).apply

        def failing(state: AnyState, action: Action) -> Sequence[Event]:
            if state is broken:
                raise ZeroDivisionError("a bug in the rules")
            return apply(state, action)

        monkeypatch.setattr(type(broken), "apply", failing)
        room.send(*answers)
        (why,) = room.voids
        assert why.startswith("the referee failed: ZeroDivisionError: a bug in the rules\nTraceback ")
        for session in room.sessions:
            (finish,) = session.take_out(1.0).finishes
            assert not finish.places and not finish.fault
            assert [table for table, _ in session.seats.values()] == room.tables[1:]
        assert room.faults() == [[], []]
        room.tables[0].fault(0, FaultKind.DISCONNECT)
        assert room.faults() == [[], []] and len(room.voids) == 1

    def test_a_mistake_of_the_rules_is_told_with_the_game_and_its_line(self) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)
        answers = room.answers()
        vars(type(room.tables[0].match.state))["hidden"].__set__(room.tables[0].match.state, "\x1b")
        room.send(*answers)
        said, _, below = room.voids[0].partition("\n")
        assert re.fullmatch(
            r"the game serpent failed in pips_referee\.games\.serpent\.\S+ \(line \d+ of .*\.py\): \w+Error: .*", said
        )
        assert below.startswith("Traceback ")

    def test_who_was_not_told_of_the_match_is_not_told_of_its_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        room = Room()
        for session in room.sessions:
            session.take_out(0.5)
        table = Table(HEADER, room.sessions, [bytes(32)] * 2, TimeControl(), room.over, room.void)
        monkeypatch.setattr(type(table.wire), "write_options", lambda *_: 1 / 0)
        table.open()
        assert "ZeroDivisionError" in room.voids[0]
        assert [len(session.take_out(1.0).finishes) for session in room.sessions] == [1, 0]

    def test_no_question_that_could_not_be_written_is_sent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        room = Room()
        room.sessions[0].take_out(0.5)

        answers = room.answers()

        def view(state: AnyState, seat: int) -> None:
            raise IndexError(seat)

        monkeypatch.setattr(type(room.tables[0].match.state), "view", view)
        room.send(*answers)
        assert "IndexError" in room.voids[0]
        assert not any(session.take_out(1.0).questions for session in room.sessions)
