"""The referee's service over gRPC: hellos, matches, every way to fall, and the organiser's calls."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from pips.v1 import player_pb2, referee_pb2, referee_pb2_grpc
from pips_referee import service
from pips_referee.cards import parse_card
from pips_referee.clock import Lateness
from pips_referee.match import FaultKind
from pips_referee.record import Header, verify
from pips_sdk.serpent import Lead
from tests.pips_referee.house import (
    BareBot,
    House,
    StreamEnded,
    faults_of,
    heard_all,
    open_house,
    serpent_header,
)
from tests.records import new_header

SECOND = referee_pb2.Clock(answer_ms=1000)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as opened:
        yield opened


class FakeClock:
    """`monotonic` for the service, moved by the test."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    fake = FakeClock()
    monkeypatch.setattr(service, "monotonic", fake)
    monkeypatch.setattr(service, "WATCH_S", 0.001)
    monkeypatch.setattr(Lateness, "late_s", lambda lateness, now: 0.0)  # a jump of this clock is nobody's delay
    return fake


async def two_bots(house: House) -> tuple[BareBot, BareBot]:
    return await house.bot("a/0"), await house.bot("b/0")


class TestHello:
    async def refused(self, bot: BareBot, code: grpc.StatusCode, says: str) -> None:
        end = await bot.ended()
        assert end.code is code
        assert says in end.details

    async def test_who_never_says_it_is_sent_away(self, tmp_path: Path) -> None:
        async with open_house(tmp_path, hello_s=0.01) as house:
            bot = house.bare_bot()
            await self.refused(bot, grpc.StatusCode.DEADLINE_EXCEEDED, "no hello for 0.01 s")

    @pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\xff"])
    async def test_garbage_is_none(self, house: House, data: bytes) -> None:
        bot = house.bare_bot()
        await bot.send(data)
        await self.refused(bot, grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream is a hello")

    async def test_silence_is_none(self, house: House) -> None:
        bot = house.bare_bot()
        await bot.stream.done_writing()
        await self.refused(bot, grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream is a hello")

    async def test_another_version_is_told_which_is_spoken(self, house: House) -> None:
        with pytest.raises(StreamEnded, match="speaks protocol version 1, the bot 2: update") as end:
            await house.bare_bot().hello(house.token("a/0"), version=2)
        assert end.value.code is grpc.StatusCode.PERMISSION_DENIED

    @pytest.mark.parametrize("token", [b"", b"short", bytes(40), bytes(32) + b"\0\0\0\0a/0"])
    async def test_a_token_of_nobody(self, house: House, token: bytes) -> None:
        with pytest.raises(StreamEnded, match="the token is not one of this referee's"):
            await house.bare_bot().hello(token)

    async def test_a_token_is_good_for_one_hello(self, house: House) -> None:
        token = house.token("a/0")
        bot = house.bare_bot()
        await bot.hello(token)
        bot.leave()
        await gone(house, "a/0")
        with pytest.raises(StreamEnded, match="the token of a/0 was used before"):
            await house.bare_bot().hello(token)

    async def test_who_comes_back_shows_the_key_of_its_welcome(self, house: House) -> None:
        token = house.token("a/0")
        bot = house.bare_bot()
        welcome = await bot.hello(token)
        bot.leave()
        await gone(house, "a/0")
        again = await house.bare_bot().hello(token, welcome.session_key)
        assert again.process == "a/0"
        assert again.session_key != welcome.session_key

    async def test_one_stream_a_process(self, house: House) -> None:
        await house.bot("a/0")
        with pytest.raises(StreamEnded, match="a/0 is already connected"):
            await house.bare_bot().hello(house.token("a/0"))

    async def test_no_more_sessions_than_there_may_be(self, tmp_path: Path) -> None:
        async with open_house(tmp_path, most_sessions=1) as house:
            await house.bot("a/0")
            with pytest.raises(StreamEnded, match="this referee has its 1 sessions"):
                await house.bare_bot().hello(house.token("b/0"))

    async def test_a_welcome(self, house: House) -> None:
        welcome = await house.bare_bot().hello(house.token("a/0"))
        assert (welcome.protocol_version, welcome.process, len(welcome.session_key)) == (1, "a/0", 32)


async def gone(house: House, process: str) -> None:
    """Until the referee knows that a stream was lost."""
    while house.lobby.session(process).connected.is_set():  # noqa: ASYNC110 - it is an Event for the other way round
        await asyncio.sleep(0)


class TestMatch:
    async def test_from_order_to_record(self, house: House) -> None:
        a, b = await two_bots(house)
        orders, header = house.orders(), serpent_header()
        await orders.order(header, ["a/0", "b/0"])
        await asyncio.gather(a.play(), b.play())
        record = await orders.record()
        assert record.header == header
        assert record.outcome.faults == ()
        for seat, bot in enumerate((a, b)):
            (start,), (finish,) = bot.starts.values(), bot.finishes.values()
            assert (start.game, start.rules_version, start.seats, start.seat) == ("serpent", 1, 2, seat)
            assert start.commitment == header.commitment
            assert start.rng_seed == bytes([seat] * 32)
            assert header.wire.read_options(start.options) == header.options
            assert not start.told
            assert tuple(finish.places) == record.outcome.places
            assert tuple(finish.scores) == record.outcome.scores
            assert finish.fault == ""
        await orders.close()

    async def test_questions_are_numbered_and_say_what_happened(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await asyncio.gather(a.play(), b.play())
        record = await orders.record()
        for bot in (a, b):
            questions = [question for message in bot.messages for question in message.questions]
            assert [question.number for question in questions] == list(range(1, len(questions) + 1))
            assert {question.time_left_ms for question in questions} == {0}
            assert heard_all(bot, record)

    async def test_many_tables_travel_in_the_same_messages(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        for number in range(12):
            await orders.order(serpent_header(f"match-{number}", number), ["a/0", "b/0"][:: 1 - 2 * (number % 2)])
        await asyncio.gather(a.play(finishes=12), b.play(finishes=12))
        records = [await orders.record() for _ in range(12)]
        assert {record.header.match_id for record in records} == {f"match-{number}" for number in range(12)}
        assert all(record.outcome.faults == () for record in records)
        most = max(len(message.questions) for message in a.messages)
        assert most >= 6
        await orders.close()

    async def test_one_process_may_sit_at_both_sides(self, house: House) -> None:
        a = await house.bot("a/0")
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "a/0"])
        await a.play(finishes=2)
        assert sorted(start.seat for start in a.starts.values()) == [0, 1]
        assert (await orders.record()).outcome.faults == ()

    async def test_a_table_of_four(self, house: House) -> None:
        names = ["a/0", "b/0", "c/0", "d/0"]
        bots = [await house.bot(name) for name in names]
        orders = house.orders()
        await orders.order(new_header("wichita", 4), names)
        await asyncio.gather(*[bot.play() for bot in bots])
        assert len((await orders.record()).outcome.places) == 4

    async def test_table_numbers_say_nothing(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        for number in range(4):
            await orders.order(serpent_header(str(number)), ["a/0", "b/0"])
        await asyncio.gather(a.play(finishes=4), b.play(finishes=4))
        assert not set(a.starts) & set(b.starts)
        assert 0 not in a.starts

    async def test_an_order_may_come_before_its_bots(self, house: House) -> None:
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        a, b = await two_bots(house)
        await asyncio.gather(a.play(), b.play())
        assert (await orders.record()).outcome.faults == ()


def failing(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    answer.failed = "KeyError: 'spades' (at my_bot.py:12)"


def illegal(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    serpent_header().wire.write_action(Lead(parse_card("QS")), answer.action)


def empty(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    answer.action.SetInParent()


def no_reply(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    """Names the question and says nothing."""


def wrong_number(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    answer.number += 1


def wrong_table(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    answer.table ^= 1


class TestBadAnswers:
    @pytest.mark.parametrize(
        ("answerer", "kind", "reason", "says"),
        [
            (failing, FaultKind.CRASH, "exception", "KeyError: 'spades' (at my_bot.py:12)"),
            (illegal, FaultKind.ILLEGAL, "wrong_kind", "does not answer a question to give"),
            (empty, FaultKind.MALFORMED, "unreadable", "none is set"),
            (no_reply, FaultKind.MALFORMED, "unreadable", "none is set"),
            (wrong_number, FaultKind.WRONG_QUESTION, "not_asked", "an answer to question 2 of table"),
            (wrong_table, FaultKind.WRONG_QUESTION, "not_asked", "which was not the open one"),
        ],
    )
    async def test_it_is_a_fault_and_the_process_plays_on(
        self,
        house: House,
        answerer: Callable[[player_pb2.Question, player_pb2.Answer], None],
        kind: FaultKind,
        reason: str,
        says: str,
    ) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header("first"), ["a/0", "b/0"])
        await a.asked()
        await a.reply(answerer)
        await a.play()
        await b.play()
        record = await orders.record()
        (fault,) = record.outcome.faults
        assert (fault.seat, fault.kind, fault.reason, fault.question) == (0, kind, reason, 1)
        assert says in fault.detail
        assert record.outcome.places == (2, 1)
        (mine,), (others,) = a.finishes.values(), b.finishes.values()
        assert mine.fault == f"{kind.value}: {fault.detail}"
        assert not mine.places
        assert others.fault == ""
        assert list(others.places) == [2, 1]
        await orders.order(serpent_header("second"), ["a/0", "b/0"])
        await asyncio.gather(a.play(finishes=2), b.play(finishes=2))
        assert (await orders.record()).outcome.faults == ()

    async def test_an_answer_that_comes_twice_costs_its_table(self, house: House) -> None:
        a, _ = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        (question,) = await a.asked()
        answer = player_pb2.Answer(table=question.table, number=question.number)
        a.random_answer(question, answer)
        await a.send(player_pb2.PlayRequest(answers=[answer, answer]).SerializeToString())
        await a.play()
        assert faults_of(await orders.record()) == [(0, "wrong_question")]

    async def test_answers_in_another_order_than_the_questions_cost_a_table(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        for number in range(2):
            await orders.order(serpent_header(str(number), number), ["a/0", "b/0"])
        await a.asked(2)
        a.questions.reverse()
        await a.reply()
        await asyncio.gather(a.play(finishes=2), b.play(finishes=2))
        outcomes = [faults_of(await orders.record()) for _ in range(2)]
        assert sorted(outcomes) == [[], [(0, "wrong_question")]]

    async def test_with_more_seats_the_others_play_on(self, house: House) -> None:
        names = ["a/0", "b/0", "c/0"]
        bots = [await house.bot(name) for name in names]
        orders, header = house.orders(), new_header("wichita", 3)
        await orders.order(header, names)
        first = header.new_match().to_ask
        assert first is not None
        await bots[first].asked()
        await bots[first].reply(failing)
        await asyncio.gather(*[bot.play() for bot in bots])
        record = await orders.record()
        assert faults_of(record) == [(first, "crash")]
        assert record.outcome.places[first] == 3
        assert not [finish for finish in bots[first].finishes.values() if finish.places]


class TestBadStreams:
    async def lost_with_three_tables(
        self, house: House, lose: Callable[[BareBot], Awaitable[None]]
    ) -> list[list[tuple[int, str]]]:
        """The faults of three matches whose first bot was lost on the way and came back."""
        a, b = await two_bots(house)
        orders = house.orders()
        for number in range(3):
            await orders.order(serpent_header(str(number), number), ["a/0", "b/0"])
        await a.asked(3)
        await a.reply()
        await a.asked(3)
        await lose(a)
        await gone(house, "a/0")
        await house.watched()
        playing = asyncio.create_task(b.play(finishes=3))
        first = await orders.record()
        again = await house.bot("a/0")
        await again.play(finishes=2)
        await playing
        rest = [await orders.record() for _ in range(2)]
        assert any(start.told for start in again.starts.values())
        assert all(heard_all(bot, record) for bot in (again, b) for record in rest)
        return [faults_of(record) for record in (first, *rest)]

    async def test_garbage_costs_one_table(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        async def garble(bot: BareBot) -> None:
            await bot.send(b"\xff\xff")
            end = await bot.ended()
            assert (end.code, end.details) == (grpc.StatusCode.ABORTED, "malformed: 2 bytes that are no PlayRequest")

        monkeypatch.setattr(service, "ENDED_S", 0.0)
        assert await self.lost_with_three_tables(house, garble) == [[(0, "malformed")], [], []]

    async def test_a_flood_costs_one_table(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        async def flood(bot: BareBot) -> None:
            for _ in range(65):
                await bot.send(b"")
            end = await bot.ended()
            assert end.code is grpc.StatusCode.ABORTED
            assert "flood: 65 messages without an answer" in end.details

        monkeypatch.setattr(service, "ENDED_S", 0.0)
        assert await self.lost_with_three_tables(house, flood) == [[(0, "flood")], [], []]

    async def test_a_lost_stream_costs_one_table(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "ENDED_S", 0.0)

        async def leave(bot: BareBot) -> None:
            bot.leave()

        assert await self.lost_with_three_tables(house, leave) == [[(0, "disconnect")], [], []]

    async def test_a_message_of_megabytes_costs_one_table(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "ENDED_S", 0.0)

        async def stuff(bot: BareBot) -> None:
            await bot.send(bytes(service.MOST_MESSAGE_BYTES + 1))
            await bot.ended()

        outcomes = await self.lost_with_three_tables(house, stuff)
        assert outcomes[1:] == [[], []]
        assert len(outcomes[0]) == 1

    async def test_a_bot_that_never_reads_loses_its_matches_by_the_clock_and_holds_up_nobody(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its welcome brings a hundred tables and never gets through to it; then it does not even read its end."""
        monkeypatch.setattr(service, "ENDED_S", 0.0)
        monkeypatch.setattr(service, "WATCH_S", 0.001)
        narrow = [("grpc.http2.lookahead_bytes", 0), ("grpc.http2.bdp_probe", 0)]
        orders, count, tiny = house.orders(), 250, referee_pb2.Clock(answer_ms=2)
        b = await house.bot("b/0")
        async with grpc.aio.insecure_channel(house.bots_address, options=narrow) as channel:
            deaf = BareBot(channel)
            hello = player_pb2.Hello(protocol_version=1, token=house.token("a/0"))
            await deaf.send(player_pb2.PlayRequest(hello=hello).SerializeToString())
            for number in range(count):
                await orders.order(serpent_header(str(number)), ["a/0", "b/0"], tiny)
            playing = asyncio.create_task(b.play(finishes=count))
            assert [faults_of(await orders.record()) for _ in range(count)] == [[(0, "timeout")]] * count
            await playing
            session = house.lobby.session("a/0")
            assert session.is_sending
            await deaf.send(b"\xff\xff")
            await gone(house, "a/0")

    async def test_a_bot_may_end_its_stream_in_peace(self, house: House) -> None:
        bot = await house.bot("a/0")
        await bot.stream.done_writing()
        assert (await bot.ended()).code is grpc.StatusCode.OK

    async def test_a_mistake_of_the_referees_is_logged_and_ends_the_stream(
        self, house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def mistaken(*args: object) -> None:
            raise RuntimeError("two aces of spades")

        monkeypatch.setattr(service, "take", mistaken)
        bot = await house.bot("a/0")
        await bot.send(b"")
        end = await bot.ended()
        assert end.code is grpc.StatusCode.ABORTED
        assert end.details == "the stream failed: RuntimeError('two aces of spades')"
        assert "the stream of a/0 failed" in caplog.text

    async def test_what_the_launcher_knows_is_the_evidence(self, house: House) -> None:
        a, _ = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        a.leave()
        await orders.tell_ended("a/0", "killed by SIGSEGV", "Segmentation fault\n")
        (fault,) = (await orders.record()).outcome.faults
        assert (fault.seat, fault.kind, fault.detail, fault.evidence) == (
            0,
            FaultKind.CRASH,
            "killed by SIGSEGV",
            "Segmentation fault\n",
        )

    async def test_of_a_process_that_has_ended_the_launcher_s_word_is_waited_for(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However long the word takes on a busy machine, it was a crash and no disconnect."""
        monkeypatch.setattr(service, "ENDED_S", 0.0)
        a, _ = await two_bots(house)
        orders = house.orders()
        process = await asyncio.create_subprocess_exec("true")
        await process.wait()
        await orders.call.write(
            referee_pb2.RunMatchRequest(started=referee_pb2.ProcessStarted(process="a/0", pid=process.pid))
        )
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        a.leave()
        await gone(house, "a/0")
        await house.watched()
        await orders.tell_ended("a/0", "exit status 1", "")
        assert faults_of(await orders.record()) == [(0, "crash")]

    async def test_a_process_that_has_nothing_to_answer_may_come_back_unharmed(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        while not b.starts:
            await b.read()
        b.leave()
        await gone(house, "b/0")
        again = await house.bot("b/0")
        await asyncio.gather(a.play(), again.play())
        assert (await orders.record()).outcome.faults == ()

    async def test_who_stays_away_loses_every_table(self, tmp_path: Path, clock: FakeClock) -> None:
        async with open_house(tmp_path, grace_s=10) as house:
            a, b = await two_bots(house)
            orders = house.orders()
            for number in range(3):
                await orders.order(serpent_header(str(number)), ["a/0", "b/0"])
            await a.asked(3)
            a.leave()
            await gone(house, "a/0")
            clock.now_s += 11
            records = [await orders.record() for _ in range(3)]
            assert [faults_of(record) for record in records] == [[(0, "disconnect")]] * 3
            assert {record.outcome.faults[0].detail for record in records} == {
                "the stream ended",
                "not connected for 10 s",
            }
            await b.play(finishes=3)

    async def test_who_never_comes_loses(self, tmp_path: Path) -> None:
        async with open_house(tmp_path, grace_s=0.02) as house:
            await house.bot("a/0")
            orders = house.orders()
            await orders.order(serpent_header(), ["b/0", "a/0"])
            record = await orders.record()
            assert faults_of(record) == [(0, "disconnect")]
            assert record.outcome.places == (2, 1)


class TestClock:
    async def test_time_left_is_told_and_time_used_is_kept(self, house: House, clock: FakeClock) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        control = referee_pb2.Clock(answer_ms=1000, bank_ms=1200, increment_ms=10)
        await orders.order(serpent_header(), ["a/0", "b/0"], control)
        (first,) = await a.asked()
        clock.now_s += 0.5
        await a.reply()
        (second,) = await a.asked()
        assert (first.time_left_ms, second.time_left_ms) == (1000, 710)
        assert (first.used_us, second.used_us) == (0, 500_000)
        await asyncio.gather(a.play(), b.play())
        record = await orders.record()
        assert record.answers[0].used_us == 500_000
        assert {answer.used_us for answer in record.answers[1:]} == {0}

    async def test_a_late_answer_is_a_timeout(self, house: House, clock: FakeClock) -> None:
        a, _ = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"], SECOND)
        await a.asked()
        clock.now_s += 1.5
        await a.play()
        (fault,) = (await orders.record()).outcome.faults
        assert (fault.seat, fault.kind) == (0, FaultKind.TIMEOUT)
        assert "1.500 s for an answer that had 1.000 s" in fault.detail

    async def test_no_answer_at_all_is_one_too(self, house: House, clock: FakeClock) -> None:
        a, _ = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"], SECOND)
        await a.asked()
        clock.now_s += 1.001
        record = await orders.record()
        assert faults_of(record) == [(0, "timeout")]
        assert (await a.read()).finishes[0].fault.startswith("timeout: ")

    async def test_an_answer_to_a_question_that_was_taken_back_is_dropped(self, house: House, clock: FakeClock) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        for number in range(2):
            await orders.order(serpent_header(str(number), number), ["a/0", "b/0"], SECOND)
        await a.asked(2)
        clock.now_s += 1.2
        assert faults_of(await orders.record()) == [(0, "timeout")]
        await a.reply()
        await asyncio.gather(a.play(finishes=2), b.play(finishes=2))
        assert (await orders.record()).outcome.faults == ()

    async def test_the_answers_of_one_message_share_its_time(self, house: House, clock: FakeClock) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        for number in range(4):
            await orders.order(serpent_header(str(number), number), ["a/0", "b/0"], SECOND)
        await a.asked(4)
        clock.now_s += 0.8
        await a.reply()
        await asyncio.gather(a.play(finishes=4), b.play(finishes=4))
        for _ in range(4):
            slow = [answer for answer in (await orders.record()).answers if answer.used_us]
            assert [(answer.used_us, answer.shared_by) for answer in slow] == [(200_000, 4)]

    async def test_the_wait_for_the_core_of_a_process_that_is_known_is_looked_up(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        started = referee_pb2.ProcessStarted(process="a/0", pid=os.getpid())
        await orders.call.write(referee_pb2.RunMatchRequest(started=started))
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        assert house.lobby.session("a/0").core_wait is not None
        assert house.lobby.session("b/0").core_wait is None
        await asyncio.gather(a.play(), b.play())
        assert (await orders.record()).outcome.faults == ()

    async def test_without_a_clock_a_bot_may_take_forever(self, house: House, clock: FakeClock) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        clock.now_s += 1e6
        await asyncio.gather(a.play(), b.play())
        assert (await orders.record()).outcome.faults == ()


class TestOrders:
    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda order: setattr(order.header, "game", "poker"), "there is no game 'poker'"),
            (lambda order: setattr(order.header, "seed", bytes(5)), "32 bytes"),
            (lambda order: setattr(order.header, "commitment", bytes(32)), "do not fit the commitment"),
            (lambda order: order.header.seats.append("third"), "for 2 to 2 seats, not 3"),
            (lambda order: order.processes.pop(), "an order for 2 seats names 2 processes"),
            (lambda order: order.processes.append("c/0"), "an order for 2 seats names 2 processes"),
            (lambda order: order.rng_seeds.pop(), "2 rng seeds of 32 bytes"),
            (lambda order: order.rng_seeds.__setitem__(0, b"short"), "2 rng seeds of 32 bytes"),
        ],
    )
    async def test_one_that_cannot_be_played_is_void(
        self, house: House, change: Callable[[referee_pb2.MatchOrder], object], says: str
    ) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header("bad"), ["a/0", "b/0"], change=change)
        response = await orders.result()
        assert (response.match_id, response.record) == ("bad", b"")
        assert says in response.void
        await orders.order(serpent_header("good"), ["a/0", "b/0"])
        await asyncio.gather(a.play(), b.play())
        assert verify((await orders.result()).record).header.match_id == "good"
        await orders.close()

    async def test_a_mistake_in_the_rules_makes_it_void(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        def start(*_: object) -> None:
            raise ZeroDivisionError("a bug in the rules")

        orders = house.orders()
        with monkeypatch.context() as patch:
            patch.setattr(Header, "new_match", start)
            await orders.order(serpent_header(), ["a/0", "b/0"])
            assert "ZeroDivisionError: a bug in the rules" in (await orders.result()).void
        await orders.close()

    async def test_one_for_a_bot_that_could_not_be_started_is_over_at_once(self, house: House) -> None:
        await house.bot("a/0")
        orders = house.orders()
        await orders.tell_ended("b/0", "could not be started", "no such file")
        await orders.order(serpent_header(), ["a/0", "b/0"])
        record = await orders.record()
        assert [(fault.seat, fault.kind, fault.evidence) for fault in record.outcome.faults] == [
            (1, FaultKind.CRASH, "no such file")
        ]

    async def test_no_orders_no_results(self, house: House) -> None:
        await house.orders().close()

    async def test_results_come_until_the_last_match_is_over(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        await orders.call.done_writing()
        await asyncio.gather(a.play(), b.play())
        await orders.record()
        assert await orders.call.read() is grpc.aio.EOF

    async def test_an_organiser_that_leaves_leaves_a_referee_that_serves(self, house: House) -> None:
        a, b = await two_bots(house)
        left = house.orders()
        await left.order(serpent_header("left"), ["a/0", "b/0"])
        await a.asked()
        left.call.cancel()
        orders = house.orders()
        await orders.order(serpent_header("next"), ["a/0", "b/0"])
        await asyncio.gather(a.play(finishes=2), b.play(finishes=2))
        assert (await orders.record()).header.match_id == "next"


class TestOrganiser:
    async def test_it_lists_the_connected_bots_and_their_tables(self, house: House) -> None:
        a, _ = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header("1"), ["a/0", "b/0"])
        await orders.order(serpent_header("2"), ["a/0", "c/0"])
        await a.asked()
        listed = await house.stub.ListBots(referee_pb2.ListBotsRequest())
        assert [(bot.process, bot.bot_name, list(bot.games), bot.tables) for bot in listed.bots] == [
            ("a/0", "bare", ["serpent"], 2),
            ("b/0", "bare", ["serpent"], 1),
        ]

    async def test_bots_cannot_call_what_is_the_organisers(self, house: House) -> None:
        stub = referee_pb2_grpc.RefereeServiceStub(house.bots)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.ListBots(referee_pb2.ListBotsRequest())
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.Watch(referee_pb2.WatchRequest(open_cards=True))
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED

    async def test_nobody_plays_on_the_organisers_socket(self, house: House) -> None:
        end = await BareBot(house.organiser).ended()
        assert end.code is grpc.StatusCode.UNIMPLEMENTED

    @pytest.mark.parametrize("of", ["bots", "organiser"])
    async def test_health(self, house: House, of: str) -> None:
        stub: Any = health_pb2_grpc.HealthStub(getattr(house, of))
        answer = await stub.Check(health_pb2.HealthCheckRequest())
        assert answer.status == health_pb2.HealthCheckResponse.SERVING

    @pytest.mark.parametrize("of", ["bots", "organiser"])
    async def test_reflection(self, house: House, of: str) -> None:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(getattr(house, of))
        call = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
        answer = await call.read()
        names = {listed.name for listed in answer.list_services_response.service}
        assert {"pips.v1.RefereeService", "grpc.health.v1.Health"} <= names
