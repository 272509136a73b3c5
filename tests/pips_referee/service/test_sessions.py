"""Tokens, and a session's queue, outbox and clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips.v1 import player_pb2, referee_pb2
from pips_referee.match import FaultKind, Spent
from pips_referee.service.asked import QuestionName
from pips_referee.service.inbox import take
from pips_referee.service.session import PROTOCOL_VERSION, Session
from pips_referee.service.sessions import MOST_RETURNS, SessionRegistry
from pips_referee.service.table import Table
from pips_referee.service.tokens import issue_token, read_token
from pips_referee.timing.clock import TimeControl
from tests.records import new_header

KEY = bytes(range(32))
HEADER = new_header()


def new_table(*sessions: Session, control: TimeControl | None = None) -> Table:
    """A table of Serpent with these sessions; nobody is informed of its end."""
    return Table(HEADER, sessions, [bytes(32)] * 2, control or TimeControl(), print, print)


def never_late(now: float) -> float:
    return 0.0


def connected(process: str = "a/0") -> Session:
    """A session that was sent its welcome."""
    session = Session(process)
    session.connect("bare", ["serpent"])
    session.take_out(0.0)
    return session


def hello(token: bytes, session_key: bytes = b"") -> player_pb2.Hello:
    return player_pb2.Hello(
        protocol_version=PROTOCOL_VERSION, bot_name="bare", games=["serpent"], token=token, session_key=session_key
    )


class TestTokens:
    @given(st.text(min_size=1), st.integers(0, 2**32 - 1))
    def test_a_token_names_its_process_and_launch(self, process: str, launch: int) -> None:
        assert read_token(KEY, issue_token(KEY, process, launch)) == (process, launch)

    @given(st.data())
    def test_one_bit_changed_makes_it_no_token(self, data: st.DataObject) -> None:
        token = bytearray(issue_token(KEY, "bot/1", 3))
        token[data.draw(st.integers(0, len(token) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        assert read_token(KEY, bytes(token)) is None

    def test_one_of_another_key_is_none(self) -> None:
        assert read_token(KEY, issue_token(bytes(32), "bot/1")) is None

    @given(st.binary(max_size=80))
    def test_garbage_is_none(self, token: bytes) -> None:
        assert read_token(KEY, token) is None


class TestWelcome:
    def test_the_session_is_that_of_the_tokens_process(self) -> None:
        registry = SessionRegistry(KEY)
        session = registry.welcome(hello(issue_token(KEY, "a/0")))
        assert session is registry.session("a/0")
        assert isinstance(session, Session)
        assert session.connected.is_set()
        assert (session.bot_name, session.games) == ("bare", ("serpent",))

    def test_a_session_that_an_order_made_is_kept(self) -> None:
        registry = SessionRegistry(KEY, most_sessions=1)
        ordered = registry.session("a/0")
        assert registry.welcome(hello(issue_token(KEY, "a/0"))) is ordered
        assert registry.welcome(hello(issue_token(KEY, "b/0"))) == "this referee has its 1 sessions"

    def test_what_a_bot_says_of_itself_is_kept_no_longer_than_it_may_be(self) -> None:
        registry, endless = SessionRegistry(KEY), hello(issue_token(KEY, "a/0"))
        endless.bot_name = "x" * 1_000_000
        endless.games.extend(["y" * 1_000] * 1_000)
        session = registry.welcome(endless)
        assert isinstance(session, Session)
        assert len(session.bot_name) + sum(map(len, session.games)) < 2_500

    def test_a_token_is_good_once_a_later_launch_or_the_session_key_is_good_again(self) -> None:
        registry, token = SessionRegistry(KEY), issue_token(KEY, "a/0", 4)
        session = registry.welcome(hello(token))
        assert isinstance(session, Session)
        session.connected.clear()
        for used in (token, issue_token(KEY, "a/0", 3)):
            assert "was used before" in str(registry.welcome(hello(used)))
        assert registry.welcome(hello(token, session.key)) is session
        session.connected.clear()
        assert registry.welcome(hello(issue_token(KEY, "a/0", 5))) is session

    def test_who_comes_back_again_and_again_for_nothing_stays_outside(self) -> None:
        registry, token = SessionRegistry(KEY), issue_token(KEY, "a/0")
        session = registry.welcome(hello(token))
        assert isinstance(session, Session)

        def come_back() -> Session | str:
            session.connected.clear()
            return registry.welcome(hello(token, session.key))

        for _ in range(MOST_RETURNS):
            assert come_back() is session
        session.spent(1.0, never_late, 1)  # an answer brings as many again
        for _ in range(MOST_RETURNS):
            assert come_back() is session
        assert "without an answer in between" in str(come_back())
        assert (
            registry.welcome(hello(issue_token(KEY, "a/0", 1))) is session
        )  # the launcher has started another process


class TestOutbox:
    def test_what_is_written_wakes_the_stream(self) -> None:
        session = connected()
        assert not session.outbox.wake.is_set() and not session.outbox.unsent
        session.outbox.message.finishes.add(table=1)
        assert session.outbox.wake.is_set() and session.outbox.unsent
        assert session.take_out(1.0).finishes[0].table == 1
        assert not session.outbox.wake.is_set() and not session.outbox.unsent

    def test_a_busy_bot_is_sent_nothing_until_it_has_answered(self) -> None:
        session = connected()
        new_table(session, connected("b/0")).open()
        assert session.outbox.wake.is_set()
        assert len(session.take_out(1.0).questions) == 1
        new_table(session, connected("b/0")).open()
        assert session.outbox.unsent and not session.outbox.wake.is_set()
        session.queue.popleft()
        session.outbox.stir()
        assert session.outbox.wake.is_set()

    def test_a_late_question_frees_the_bot(self) -> None:
        session = connected()
        new_table(session, connected("b/0")).open()
        session.take_out(1.0)
        new_table(session, connected("b/0")).open()
        head = session.queue[0]
        session.give_up()
        session.leave(head.name[0])
        assert session.outbox.wake.is_set()
        assert head.name in session.withdrawn
        assert head.name[0] not in session.seats

    def test_a_bot_is_busy_with_a_question_that_was_taken_back_while_it_was_at_it(self) -> None:
        """The opponent faults after 0.9 s; the answer is still due at 1.0 s.

        Only then does the next question's time run.
        """
        session, opponents = connected(), [connected("b/0"), connected("c/0")]
        control = TimeControl(answer_us=1_000_000)
        tables = [new_table(session, opponent, control=control) for opponent in opponents]
        for table in tables:
            table.open()
        message = session.take_out(0.0)
        tables[0].fault(1, FaultKind.DISCONNECT)
        assert not session.outbox.wake.is_set() and session.queue[0].withdrawn
        answer = player_pb2.Answer(table=message.questions[0].table, number=1)
        request = player_pb2.PlayRequest(answers=[answer])
        take(session, request, request.ByteSize(), 1.0, never_late)
        assert [asked.table for asked in session.queue] == [tables[1]]
        assert session.stopwatch.since == 1.0
        assert not tables[0].match.history[1:] and not tables[1].match.faults

    def test_a_question_that_is_taken_back_before_it_was_sent_is_never_sent(self) -> None:
        session, opponent = connected(), connected("b/0")
        table = new_table(session, opponent)
        table.open()
        table.fault(1, FaultKind.DISCONNECT)
        message = session.take_out(0.0)
        assert (len(message.starts), len(message.questions), len(message.finishes)) == (1, 0, 1)
        assert not session.queue

    def test_a_new_process_is_told_everything_in_its_first_message(self) -> None:
        session = connected()
        for _ in range(3):
            new_table(session, connected("b/0")).open()
        session.withdrawn[1, 1] = 0
        session.connected.clear()
        session.connect("bare again", ["serpent"])
        first = session.take_out(2.0)
        assert len(first.questions) == 3
        assert first.welcome.process == "a/0"
        assert first.welcome.session_key == session.key
        assert {start.table for start in first.starts} == set(session.seats)
        assert [question.table for question in first.questions] == [asked.name[0] for asked in session.queue]
        assert not session.withdrawn

    @pytest.mark.parametrize("comes_back_at_once", [True, False])
    def test_a_lost_stream_costs_the_question_the_bot_was_at_however_soon_it_comes_back(
        self, comes_back_at_once: bool
    ) -> None:
        session = connected()
        tables = [new_table(session, connected("b/0")) for _ in range(3)]
        for table in tables:
            table.open()
        session.take_out(1.0)
        session.connected.clear()
        if not comes_back_at_once:
            session.lose(FaultKind.CRASH, "exit status 1", "oh dear")
        session.connect("bare again", ["serpent"])
        assert [len(table.match.faults) for table in tables] == [1, 0, 0]
        (fault,) = tables[0].match.faults
        expected = (
            ("disconnect", "the stream ended", "") if comes_back_at_once else ("crash", "exit status 1", "oh dear")
        )
        assert (fault.kind.value, fault.detail, fault.evidence) == expected
        assert len(session.take_out(2.0).questions) == 2

    def test_a_table_that_is_not_open_yet_is_told_when_it_opens(self) -> None:
        session, other = Session("a/0"), connected("b/0")
        table = new_table(session, other)
        session.connect("bare", ["serpent"])
        assert not session.take_out(1.0).starts
        table.open()
        assert len(session.take_out(1.0).starts) == 1

    def test_table_numbers_are_none_of_the_others_and_never_zero(self, monkeypatch: pytest.MonkeyPatch) -> None:
        numbers = iter([7, 0, 7, 7, 9])
        monkeypatch.setattr("secrets.randbits", lambda bits: next(numbers))
        session = Session("a/0")
        table = new_table(session, session)
        assert set(session.seats) == {7, 9}
        assert session.seats[9] == (table, 1)


@dataclass
class FakeWait:
    """A bot's wait for the core, set by the test."""

    credit: int
    ran_us: int = 0
    marks: list[float] = field(default_factory=list)
    samples: list[float] = field(default_factory=list)
    looked: float = 0.0

    def mark(self, now: float) -> None:
        self.marks.append(now)

    def mark_again(self, now: float) -> bool:
        return now == self.looked

    def sample(self, now: float) -> None:
        self.samples.append(now)

    def credit_us(self, now: float) -> int:
        self.looked = now
        return self.credit


class TestAwaited:
    @staticmethod
    def asked(tables: int) -> tuple[Session, list[QuestionName]]:
        """A session that is asked at that many tables, and its questions' names."""
        session = connected()
        for _ in range(tables):
            new_table(session, connected("b/0")).open()
        session.take_out(1.0)
        return session, [asked.name for asked in session.queue]

    def test_answers_in_the_order_of_the_questions(self) -> None:
        session, names = self.asked(4)
        assert [session.awaited(names[:count]) for count in range(5)] == [0, 1, 2, 3, 4]

    def test_none_from_the_first_that_was_not_due(self) -> None:
        session, (first, second, third) = self.asked(3)
        assert session.awaited([first, third, second]) == 1
        assert session.awaited([second, first]) == 0
        assert session.awaited([first, first, second]) == 1

    def test_one_to_a_question_that_was_taken_back_counts_once(self) -> None:
        session, (first, second) = self.asked(2)
        session.leave(first[0])
        assert session.awaited([first, second]) == 2
        assert session.awaited([first, first]) == 1

    def test_what_was_not_sent_is_not_awaited(self) -> None:
        session, (first,) = self.asked(1)
        new_table(session, connected("b/0")).open()
        late = session.queue[1]
        assert session.awaited([first, late.name]) == 1


class TestClock:
    @staticmethod
    def asked(answer_us: int = 1_000_000) -> Session:
        """A session that was asked one question at second 100."""
        session = connected()
        new_table(session, connected("b/0"), control=TimeControl(answer_us)).open()
        session.take_out(100.0)
        return session

    def test_it_runs_from_when_the_question_was_sent(self) -> None:
        session = self.asked()
        assert session.stopwatch.since == 100.0
        assert session.spent(100.25, never_late, 1) == Spent(250_000, 0, 1)

    def test_answers_of_one_message_share_its_time(self) -> None:
        assert self.asked().spent(100.9, never_late, 3) == Spent(300_000, 0, 3)

    def test_the_referees_own_lateness_is_credited(self) -> None:
        assert self.asked().spent(100.25, lambda now: 0.05, 1) == Spent(200_000, 50_000, 1)
        assert self.asked().spent(100.25, lambda now: 9.0, 1) == Spent(0, 250_000, 1)

    def test_a_bot_without_a_question_spends_nothing(self) -> None:
        assert connected().spent(100.0, never_late, 1) == Spent()

    def test_too_late_is_too_late_when_it_was_seen_twice(self) -> None:
        session = self.asked()
        assert session.overdue(101.0, never_late) is None
        assert session.overdue(101.1, never_late) is None
        assert session.overdue(101.2, never_late) == Spent(1_200_000, 0)

    def test_what_was_seen_once_is_forgotten_with_the_next_question(self) -> None:
        session = self.asked()
        assert session.overdue(101.1, never_late) is None
        session.stopwatch.restart(101.1)
        assert session.overdue(102.2, never_late) is None

    def test_a_bot_that_does_not_read_what_it_is_sent_does_so_in_its_own_time(self) -> None:
        """The messages before the question are still on their way.

        So the question itself was not sent yet.
        """
        session = connected()
        new_table(session, connected("b/0"), control=TimeControl(1_000_000)).open()
        assert session.overdue(100.0, never_late) is None and session.stopwatch.since is None
        session.is_sending = True
        for now in (101.0, 101.9, 102.1):
            assert session.overdue(now, never_late) is None
        assert session.overdue(102.2, never_late) == Spent(1_200_000, 0)

    def test_what_the_referee_was_late_before_it_looked_is_credited(self) -> None:
        session = self.asked()
        session.stopwatch.core_wait = FakeWait(100_000)  # type: ignore[assignment]  # the part of it that is used
        assert session.overdue(100.3, lambda now: 0.28) is None
        assert session.spent(100.9, never_late, 1) == Spent(520_000, 380_000, 1)

    def test_a_bot_that_slept_while_the_machine_stood_still_is_not_charged_for_it(self) -> None:
        """Its core's ledger shows no wait, and its answer comes some looks later."""
        session = self.asked()
        session.stopwatch.core_wait = FakeWait(0)  # type: ignore[assignment]  # the part of it that is used
        assert session.overdue(100.3, never_late) is None
        for now, late_s in [(104.3, 4.0), (104.31, 0.0), (104.32, 0.0), (104.33, 0.1)]:
            assert session.overdue(now, {now: late_s}.__getitem__) is None
        assert session.spent(104.6, never_late, 1) == Spent(600_000, 4_000_000, 1)

    @pytest.mark.parametrize(("longest_us", "is_over"), [(0, False), (2_000_000, True), (3_000_000, False)])
    def test_credits_have_an_end(self, longest_us: int, is_over: bool) -> None:
        """2.5 s passed, and the bot waited for the core in nearly all of them."""
        session = connected()
        new_table(session, connected("b/0"), control=TimeControl(1_000_000, longest_us=longest_us)).open()
        session.take_out(100.0)
        session.stopwatch.core_wait = FakeWait(1_960_000)  # type: ignore[assignment]  # the part of it that is used
        seen = [session.overdue(now, never_late) for now in (100.01, 102.4, 102.5)]
        assert seen == [None, None, Spent(540_000, 1_960_000) if is_over else None]

    def test_the_end_is_not_nearer_for_a_referee_that_is_late(self) -> None:
        session = connected()
        new_table(session, connected("b/0"), control=TimeControl(1_000_000, longest_us=2_000_000)).open()
        session.take_out(100.0)
        assert [session.overdue(now, lambda now: 2.4) for now in (103.2, 103.3)] == [None, None]

    def test_without_a_limit_there_may_be_an_end(self) -> None:
        session = connected()
        new_table(session, connected("b/0"), control=TimeControl(longest_us=2_000_000)).open()
        session.take_out(100.0)
        assert [session.overdue(now, never_late) for now in (102.1, 102.2)] == [None, Spent(2_200_000)]

    def test_after_a_slow_answer_nothing_of_the_next_ones_time_is_unseen(self) -> None:
        """The referee's lateness at its first look may have been the bot's wait.

        It counts as that unless a look shows the contrary.
        """
        session = self.asked()
        new_table(session, connected("c/0"), control=TimeControl(1_000_000)).open()
        session.take_out(100.0)
        session.stopwatch.core_wait = wait = FakeWait(0)  # type: ignore[assignment]  # the part of it that is used
        assert session.overdue(100.2, never_late) is None
        assert session.spent(100.3, never_late, 1) == Spent(300_000, 0, 1)
        session.queue.popleft()
        session.stopwatch.restart(100.3)
        assert session.overdue(100.5, lambda now: 0.2) is None
        assert session.spent(100.6, never_late, 1) == Spent(300_000, 0, 1)
        assert wait.marks == [100.2]

    def test_the_referees_delay_is_credited_once(self) -> None:
        """A look notes it, and until the next tick it is told to every message too."""
        session = self.asked()
        new_table(session, connected("c/0"), control=TimeControl(1_000_000)).open()
        session.take_out(100.0)
        assert session.overdue(100.5, never_late) is None
        assert session.overdue(101.3, lambda now: 0.3) is None
        assert session.spent(101.31, lambda now: 0.3, 1) == Spent(1_010_000, 300_000, 1)

    def test_a_quick_answer_was_not_looked_at(self) -> None:
        session = self.asked()
        new_table(session, connected("c/0"), control=TimeControl(1_000_000)).open()
        session.take_out(100.0)
        session.stopwatch.core_wait = wait = FakeWait(0)  # type: ignore[assignment]  # the part of it that is used
        assert session.overdue(100.2, never_late) is None
        for now in (100.3, 100.303):
            session.spent(now, never_late, 1)
            session.stopwatch.restart(now)
        assert session.overdue(100.6, never_late) is None
        assert wait.marks == [100.2, 100.6]

    def test_nobody_is_late_without_a_question(self) -> None:
        assert connected().overdue(1e9, never_late) is None

    def test_waiting_for_the_core_is_credited_once_an_answer_takes_long(self) -> None:
        session = self.asked()
        wait = FakeWait(500_000)
        session.stopwatch.core_wait = wait  # type: ignore[assignment]  # the part of it that is used
        assert session.overdue(100.001, never_late) is None
        assert not wait.marks
        assert session.overdue(100.01, never_late) is None
        assert session.overdue(100.02, never_late) is None
        assert (wait.marks, wait.samples) == ([100.01], [100.02])
        assert session.overdue(101.4, never_late) is None
        assert session.spent(101.4, never_late, 1) == Spent(900_000, 500_000, 1)

    def test_what_a_lost_process_waited_is_forgotten_with_it(self) -> None:
        session = self.asked()
        wait = FakeWait(500_000)
        session.stopwatch.core_wait = wait  # type: ignore[assignment]  # the part of it that is used
        new_table(session, connected("c/0"), control=TimeControl(1_000_000)).open()
        assert session.overdue(100.1, never_late) is None
        session.connected.clear()
        session.connect("bare again", ["serpent"])
        session.take_out(200.0)
        assert session.overdue(200.1, never_late) is None
        assert wait.marks == [100.1, 200.1]

    def test_what_the_bot_ran_is_charged_whoever_else_waited(self) -> None:
        session = self.asked()
        session.stopwatch.core_wait = FakeWait(300_000, ran_us=300_000)  # type: ignore[assignment]  # the part of it that is used
        assert session.overdue(100.1, never_late) is None
        assert session.spent(100.6, lambda now: 0.25, 1) == Spent(300_000, 300_000, 1)

    def test_it_is_no_excuse_for_more_than_that(self) -> None:
        session = self.asked()
        session.stopwatch.core_wait = FakeWait(500_000)  # type: ignore[assignment]  # the part of it that is used
        for now in (100.01, 101.6):
            assert session.overdue(now, never_late) is None
        assert session.overdue(101.7, never_late) == Spent(1_200_000, 500_000)

    def test_several_that_are_on_their_way_together_have_that_time_each(self) -> None:
        session = connected()
        for _ in range(4):
            new_table(session, connected("b/0"), control=TimeControl(1_000_000)).open()
        session.take_out(100.0)
        wait = FakeWait(500_000)
        session.stopwatch.core_wait = wait  # type: ignore[assignment]  # the part of it that is used
        for now in (100.006, 100.019, 100.021):
            assert session.overdue(now, never_late) is None
        assert wait.marks == [100.021]

    def test_a_quick_answer_is_credited_nothing(self) -> None:
        session = self.asked()
        session.stopwatch.core_wait = FakeWait(500_000)  # type: ignore[assignment]  # the part of it that is used
        assert session.spent(100.004, never_late, 1) == Spent(4_000, 0, 1)

    def test_it_stops_when_the_last_question_is_taken_back(self) -> None:
        session = self.asked()
        session.leave(session.queue[0].name[0], at_fault=True)
        assert session.stopwatch.since is None


def test_what_the_launcher_said_of_a_process_is_forgotten_with_the_next() -> None:
    session = connected()
    session.ended = referee_pb2.ProcessEnded(process="a/0", how="exit status 1")
    session.connected.clear()
    session.connect("bare", ["serpent"])
    assert session.ended is None


def test_what_the_launcher_said_late_is_forgotten_when_it_tells_of_the_next_process() -> None:
    session = connected()
    session.process_ended(referee_pb2.ProcessEnded(process="a/0", how="exit status 1"))
    session.process_started(1)
    assert session.ended is None
    session.connected.clear()
    session.process_started(1)
    assert not session.decided.is_set()


@pytest.mark.parametrize(
    "replace", [lambda session: session.process_started(1), lambda session: session.connect("bare", ["serpent"])]
)
def test_a_process_that_is_replaced_before_its_end_was_looked_at_has_crashed_all_the_same(
    replace: Callable[[Session], None],
) -> None:
    session = connected()
    table = new_table(session, connected("b/0"))
    table.open()
    session.take_out(0.0)
    session.connected.clear()
    session.process_ended(referee_pb2.ProcessEnded(process="a/0", how="exit status 7", last_output="last words"))
    replace(session)
    assert [(fault.kind, fault.evidence) for fault in table.match.faults] == [(FaultKind.CRASH, "last words")]
