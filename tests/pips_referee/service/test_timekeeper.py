"""Lost streams and late answers, over gRPC."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest

from pips.v1 import player_pb2, referee_pb2
from pips_referee.match import FaultKind
from pips_referee.service import bots, timekeeper
from pips_referee.service.session import MOST_DEATHS, Session
from tests.pips_referee.house import (
    BareBot,
    FakeClock,
    House,
    asked_at_once,
    faults_of,
    gone,
    heard_all,
    open_house,
    serpent_header,
    two_bots,
)

SECOND = referee_pb2.Clock(answer_ms=1000)


async def a_dead_process() -> int:
    """The number of a process that has ended."""
    process = await asyncio.create_subprocess_exec("true")
    await process.wait()
    return process.pid


class TestRefused:
    """If the machine refuses to run a process, no bot pays for it."""

    async def test_the_match_it_was_at_is_void_and_the_others_go_on(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        for number in range(2):
            await orders.order(serpent_header(str(number), number), ["a/0", "b/0"])
        await a.asked()
        a.leave()
        await gone(house, "a/0")
        launch = house.registry.session("a/0").launch
        await orders.tell_ended("a/0", "killed by SIGKILL (no memory)", "", launch=launch, refused=True)
        response = await orders.result()
        assert response.void == "a/0: killed by SIGKILL (no memory)"
        again = await house.bot("a/0")
        await asyncio.gather(again.play(finishes=1), b.play(finishes=2))
        assert faults_of(await orders.record()) == []

    async def test_a_match_that_waits_for_one_that_was_not_let_start_is_void(self, house: House) -> None:
        await house.bot("b/0")
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await orders.tell_ended("a/0", "could not be started: no numbers left", "", refused=True)
        assert (await orders.result()).void == "a/0: could not be started: no numbers left"


class TestNotBegun:
    """Matches that are ordered after a bot's process has ended."""

    async def test_they_wait_for_the_next_process_and_nobody_is_faulted(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        a.leave()
        await gone(house, "a/0")
        await orders.tell_ended("a/0", "killed by SIGKILL", "", launch=house.registry.session("a/0").launch)
        for number in range(3):
            await orders.order(serpent_header(str(number), number), ["a/0", "b/0"])
        await house.watched()
        again = await house.bot("a/0")
        await asyncio.gather(again.play(finishes=3), b.play(finishes=3))
        assert [faults_of(await orders.record()) for _ in range(3)] == [[]] * 3

    async def test_they_wait_too_while_the_dead_process_s_stream_is_not_known_to_be_lost(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.tell_started("a/0", await a_dead_process())
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await house.watched()
        assert not a.starts and not house.registry.session("a/0").queue
        a.leave()
        await gone(house, "a/0")
        await orders.tell_ended("a/0", "killed by SIGKILL", "", launch=house.registry.session("a/0").launch)
        await orders.tell_started("a/0", os.getpid())
        again = await house.bot("a/0")
        await asyncio.gather(again.play(), b.play())
        assert faults_of(await orders.record()) == []

    async def test_if_the_next_process_cannot_start_they_are_lost_at_once(self, house: House) -> None:
        a, _ = await two_bots(house)
        orders = house.orders()
        a.leave()
        await gone(house, "a/0")
        launch = house.registry.session("a/0").launch
        await orders.tell_ended("a/0", "killed by SIGKILL", "", launch=launch)
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await house.watched()
        await orders.tell_ended("a/0", "said no hello within 10 s", "", launch=launch + 1)
        (fault,) = (await orders.record()).outcome.faults
        assert (fault.kind, fault.question, fault.detail) == (FaultKind.CRASH, 1, "said no hello within 10 s")

    async def test_who_says_hello_and_ends_again_and_again_is_not_waited_for(self, house: House) -> None:
        a, _ = await two_bots(house)
        orders = house.orders()
        for _ in range(MOST_DEATHS):
            a.leave()
            await gone(house, "a/0")
            await orders.tell_ended("a/0", "exit status 3", "", launch=house.registry.session("a/0").launch)
            await house.watched()
            if house.registry.session("a/0").decided.is_set():
                break
            a = await house.bot("a/0")
        await orders.order(serpent_header(), ["a/0", "b/0"])
        (fault,) = (await orders.record()).outcome.faults
        assert (fault.kind, fault.question, fault.detail) == (FaultKind.CRASH, 1, "exit status 3")


class TestBadStreams:
    async def lost_with_three_tables(
        self, house: House, lose: Callable[[BareBot], Awaitable[None]]
    ) -> list[list[tuple[int, str]]]:
        """The faults of three matches whose first bot was lost and came back."""
        a, b = await two_bots(house)
        orders = house.orders()
        await asked_at_once(house, a, orders, 3)
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

        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)
        assert await self.lost_with_three_tables(house, garble) == [[(0, "malformed")], [], []]

    async def test_a_flood_costs_one_table(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        async def flood(bot: BareBot) -> None:
            for _ in range(65):
                await bot.send(b"")
            end = await bot.ended()
            assert end.code is grpc.StatusCode.ABORTED
            assert "flood: 65 messages without an answer" in end.details

        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)
        assert await self.lost_with_three_tables(house, flood) == [[(0, "flood")], [], []]

    async def test_a_lost_stream_costs_one_table(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)

        async def leave(bot: BareBot) -> None:
            bot.leave()

        assert await self.lost_with_three_tables(house, leave) == [[(0, "disconnect")], [], []]

    async def test_a_message_of_megabytes_costs_one_table(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)

        async def stuff(bot: BareBot) -> None:
            await bot.send(bytes(bots.MOST_MESSAGE_BYTES + 1))
            await bot.ended()

        outcomes = await self.lost_with_three_tables(house, stuff)
        assert outcomes[1:] == [[], []]
        assert len(outcomes[0]) == 1

    async def test_a_bot_that_never_reads_loses_its_matches_by_the_clock_and_holds_up_nobody(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The bot never reads its welcome with 100 tables, nor the stream's end."""
        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)
        monkeypatch.setattr(timekeeper, "WATCH_S", 0.001)
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
            session = house.registry.session("a/0")
            assert session.is_sending
            await deaf.send(b"\xff\xff")
            await gone(house, "a/0")

    async def test_a_bot_may_end_its_stream_in_peace(self, house: House) -> None:
        bot = await house.bot("a/0")
        await bot.stream.done_writing()
        assert (await bot.ended()).code is grpc.StatusCode.OK

    async def test_a_stream_ends_in_the_middle_of_its_first_message(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its metadata went with that message, and gRPC refused to send them again."""

        def take_out(session: Session, now: float) -> player_pb2.PlayResponse:
            asyncio.get_running_loop().call_soon(session.hang_up)
            return player_pb2.PlayResponse()

        monkeypatch.setattr(Session, "take_out", take_out)
        async with grpc.aio.insecure_channel(house.bots_address) as channel:
            bot = BareBot(channel)
            hello = player_pb2.Hello(protocol_version=1, token=house.token("a/0"))
            await bot.send(player_pb2.PlayRequest(hello=hello).SerializeToString())
            assert (await bot.ended()).code is grpc.StatusCode.OK

    async def test_a_mistake_of_the_referees_is_logged_and_ends_the_stream(
        self, house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def mistaken(*args: object) -> None:
            raise RuntimeError("two aces of spades")

        monkeypatch.setattr(bots, "take", mistaken)
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

    async def test_whose_end_is_told_before_the_stream_is_lost_has_crashed_too(self, house: House) -> None:
        """A process with much memory ends slowly; the next one starts meanwhile."""
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        await orders.tell_ended("a/0", "ended, for it took 300 MB of memory", "")
        await orders.call.write(referee_pb2.RunMatchRequest(started=referee_pb2.ProcessStarted(process="a/0", pid=1)))
        end = await a.ended()
        assert (end.code, end.details) == (grpc.StatusCode.ABORTED, "ended, for it took 300 MB of memory")
        await house.bot("a/0")
        await b.play()
        (fault,) = (await orders.record()).outcome.faults
        assert (fault.seat, fault.kind, fault.detail) == (0, FaultKind.CRASH, "ended, for it took 300 MB of memory")

    async def test_what_is_told_late_of_a_process_is_not_the_end_of_the_next(self, house: House) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        await orders.tell_ended("a/0", "exit status 1", "", launch=0)
        # This comes after it on the same connection.
        await house.stub.ListBots(referee_pb2.ListBotsRequest(), metadata=house.organiser_door.metadata)
        await house.watched()
        await asyncio.gather(a.play(), b.play())
        assert (await orders.record()).outcome.faults == ()

    async def test_of_a_process_that_has_ended_the_launcher_s_word_is_waited_for(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It was a crash, no disconnect, however late the report on a busy machine."""
        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)
        a, _ = await two_bots(house)
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await a.asked()
        await orders.tell_started("a/0", await a_dead_process())
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
            await asked_at_once(house, a, orders, 3)
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
        await asked_at_once(house, a, orders, 2, SECOND)
        clock.now_s += 1.2
        assert faults_of(await orders.record()) == [(0, "timeout")]
        await a.reply()
        await asyncio.gather(a.play(finishes=2), b.play(finishes=2))
        assert (await orders.record()).outcome.faults == ()

    async def test_the_answers_of_one_message_share_its_time(self, house: House, clock: FakeClock) -> None:
        a, b = await two_bots(house)
        orders = house.orders()
        await asked_at_once(house, a, orders, 4, SECOND)
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
        assert house.registry.session("a/0").stopwatch.core_wait is not None
        assert house.registry.session("b/0").stopwatch.core_wait is None
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
