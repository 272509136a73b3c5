"""The calls of bots, over gRPC: hellos, matches, and wrong answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest

from pips.v1 import player_pb2
from pips_referee.cards import parse_card
from pips_referee.match import FaultKind
from pips_sdk.serpent import Lead
from tests.pips_referee.house import (
    BareBot,
    House,
    StreamEnded,
    asked_at_once,
    faults_of,
    gone,
    heard_all,
    open_house,
    serpent_header,
    two_bots,
)
from tests.records import new_header


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
        token = house.token("a/0")
        bot = house.bare_bot()
        welcome = await bot.hello(token)
        for key in (b"", welcome.session_key):
            with pytest.raises(StreamEnded, match="a/0 is already connected"):
                await house.bare_bot().hello(token, key)

    async def test_the_next_process_has_the_seat_of_one_that_is_still_connected(self, house: House) -> None:
        """The launcher has ended the process, but it goes slowly."""
        before = await house.bot("a/0")
        after = await house.bot("a/0")
        end = await before.ended()
        assert (end.code, end.details) == (grpc.StatusCode.ABORTED, "another process has taken this bot's seat")
        assert after.messages[0].welcome.process == "a/0"

    async def test_no_more_sessions_than_there_may_be(self, tmp_path: Path) -> None:
        async with open_house(tmp_path, most_sessions=1) as house:
            await house.bot("a/0")
            with pytest.raises(StreamEnded, match="this referee has its 1 sessions"):
                await house.bare_bot().hello(house.token("b/0"))

    async def test_a_welcome(self, house: House) -> None:
        welcome = await house.bare_bot().hello(house.token("a/0"))
        assert (welcome.protocol_version, welcome.process, len(welcome.session_key)) == (1, "a/0", 32)


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

    async def test_who_leaves_while_another_is_waited_for_is_waited_for_too(self, house: House) -> None:
        a = await house.bot("a/0")
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        while "b/0" not in house.registry.sessions:  # noqa: ASYNC110 - until the order is heard
            await asyncio.sleep(0)
        await house.watched()
        a.leave()
        await gone(house, "a/0")
        b = await house.bot("b/0")
        await house.watched()
        a = await house.bot("a/0")
        await asyncio.gather(a.play(), b.play())
        assert (await orders.record()).outcome.faults == ()


def failing(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    answer.failed = "KeyError: 'spades' (at my_bot.py:12)"


def illegal(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    serpent_header().wire.write_action(Lead(parse_card("QS")), answer.action)


def empty(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    answer.action.SetInParent()


def no_reply(question: player_pb2.Question, answer: player_pb2.Answer) -> None:
    """An answer that names its question and is empty."""


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
        await asked_at_once(house, a, orders, 2)
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
