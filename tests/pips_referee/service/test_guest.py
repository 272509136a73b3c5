"""Guests: invites, the credited round trip, lost streams, news."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import Any

import grpc
import pytest

from pips.v1 import player_pb2, referee_pb2
from pips_referee.match import FaultKind, Spent
from pips_referee.service import guest
from pips_referee.service.guest import PINGS_KEPT, Terms, Way
from pips_referee.service.inbox import MOST_EMPTY_MESSAGES, take
from pips_referee.service.session import Session
from pips_referee.versions import KEY, versions_line
from tests.patience import PATIENCE_S
from tests.pips_referee.guests import TERMS, asked_session, match_of, never_late
from tests.pips_referee.house import (
    BareBot,
    House,
    Orders,
    faults_of,
    heard_all,
    serpent_header,
)


class TestWay:
    def crossed(self, *times_s: float, terms: Terms = TERMS) -> Way:
        """A way with pings of these times, and a question on it."""
        way = Way(terms)
        for number, time_s in enumerate(times_s):
            assert way.pong(way.ping(10.0 * number), 10.0 * number + time_s)
        way.is_due = True
        return way

    def test_the_quickest_of_the_last_pings_counts(self) -> None:
        assert self.crossed(0.05, 0.02, 0.4).rtt_us == 20_000
        assert self.crossed(0.02, *[0.05] * PINGS_KEPT).rtt_us == 50_000

    @pytest.mark.parametrize(
        ("rtt_s", "passed_us", "credited_us"),
        [(0.03, 500_000, 30_000), (0.03, 20_000, 20_000), (7.0, 500_000, 100_000), (7.0, 0, 0)],
    )
    def test_no_more_is_credited_than_passed_nor_than_the_league_grants(
        self, rtt_s: float, passed_us: int, credited_us: int
    ) -> None:
        assert self.crossed(rtt_s).credit_us(passed_us) == credited_us

    def test_nothing_is_credited_to_an_answer_that_did_not_wait_for_its_question(self) -> None:
        way = self.crossed(0.03)
        way.is_due = False
        assert way.credit_us(500_000) == 0

    def test_a_way_that_was_never_measured_is_credited_nothing(self) -> None:
        assert self.crossed().credit_us(500_000) == 0

    def test_only_the_ping_that_was_sent_comes_back_and_only_once(self) -> None:
        way = Way(TERMS)
        assert not way.pong(b"", 0.0)
        data = way.ping(0.0)
        assert not way.pong(b"a guess!", 0.1)
        assert way.pong(data, 0.2)
        assert not way.pong(data, 0.3)
        assert way.rtt_us == 200_000

    def test_there_is_one_at_a_time_and_one_a_second(self) -> None:
        way = Way(TERMS)
        assert way.wants_ping(0.0)
        data = way.ping(0.0)
        assert not way.wants_ping(60.0)
        assert way.pong(data, 0.5)
        assert not way.wants_ping(0.9)
        assert way.wants_ping(1.0)
        way.ping(1.0)
        way.begin()
        assert way.wants_ping(1.1), "the one before was lost with its stream"

    def test_who_has_sent_pings_back_and_does_no_more_is_silent(self) -> None:
        way = Way(TERMS)
        way.ping(0.0)
        assert not way.is_silent(60.0), "an SDK that knows no pings"
        way = self.crossed(0.03)
        assert not way.is_silent(60.0)
        way.ping(60.0)
        assert not way.is_silent(69.0)
        assert way.is_silent(71.0)

    def test_so_many_drops_are_forgiven(self) -> None:
        way = Way(Terms(drops=2))
        assert [way.forgives() for _ in range(3)] == [True, True, False]


class TestClock:
    @pytest.fixture
    def session(self) -> Session:
        return asked_session()

    def answers(self, session: Session, count: int) -> player_pb2.PlayRequest:
        asked = list(session.queue)[:count]
        return player_pb2.PlayRequest(
            answers=[player_pb2.Answer(table=one.name[0], number=one.name[1], failed="so") for one in asked]
        )

    def test_the_way_is_not_the_bots_time_and_has_its_place_in_the_ledger(self, session: Session) -> None:
        assert session.spent(100.25, never_late, 1) == Spent(220_000, 0, 1, wire_us=30_000)
        assert session.spent(100.25, lambda now: 0.05, 1) == Spent(170_000, 50_000, 1, wire_us=30_000)

    def test_answers_of_one_message_share_it(self, session: Session) -> None:
        assert session.spent(100.33, never_late, 3) == Spent(100_000, 0, 3, wire_us=10_000)

    def test_it_is_credited_once_for_what_was_sent_together(self, session: Session) -> None:
        first, second = (match_of(asked) for asked in list(session.queue)[:2])
        take(session, self.answers(session, 1), 9, 100.25, never_late)
        take(session, self.answers(session, 1), 9, 100.35, never_late)
        assert first.history[0].spent == Spent(220_000, 0, 1, wire_us=30_000)
        assert second.history[0].spent == Spent(100_000, 0, 1)

    def test_an_answer_is_late_when_it_is_without_the_way(self, session: Session) -> None:
        assert session.overdue(101.02, never_late) is None
        assert session.overdue(101.02, never_late) is None
        assert session.overdue(101.05, never_late) is None
        assert session.overdue(101.06, never_late) == Spent(1_030_000, 0, wire_us=30_000)

    def test_what_a_question_had_cost_when_the_stream_was_lost_is_not_forgotten(self, session: Session) -> None:
        session.disconnect(100.4)
        session.connect("bare", ["serpent"])
        session.take_out(150.0)
        assert len(session.queue) == 3
        assert session.spent(150.1, never_late, 1).used_us == pytest.approx(470_000, abs=5)

    def test_nor_is_it_charged_to_another_question(self, session: Session) -> None:
        session.disconnect(100.4)
        session.queue[0].table.fault(1, FaultKind.CRASH)
        session.connect("bare", ["serpent"])
        session.take_out(150.0)
        assert len(session.queue) == 2
        assert session.spent(150.1, never_late, 1).used_us == pytest.approx(70_000, abs=5)

    def test_beyond_its_drops_a_lost_stream_costs_the_question_it_was_at(self, session: Session) -> None:
        for since, left in ((100.1, 3), (110.1, 2), (120.1, 1)):
            session.disconnect(since)
            session.connect("bare", ["serpent"])
            session.take_out(since + 5)
            assert len(session.queue) == left

    def test_pongs_are_no_flood_but_what_is_none_is(self, session: Session) -> None:
        take(session, self.answers(session, 3), 9, 100.1, never_late)
        way = session.way
        assert way is not None
        for second in range(3 * MOST_EMPTY_MESSAGES):
            take(session, player_pb2.PlayRequest(pong=way.ping(200.0 + second)), 9, 200.1 + second, never_late)
        assert not session.closing
        for _ in range(MOST_EMPTY_MESSAGES + 1):
            take(session, player_pb2.PlayRequest(pong=b"invented"), 9, 500.0, never_late)
        assert session.closing.startswith("flood")


def invited(*tokens: bytes, grace_ms: int = 20_000, drops: int = 1) -> referee_pb2.RunMatchRequest:
    """Ada has the first token, Bo the second."""
    guests = [
        referee_pb2.Guest(process=f"{name}/*/*", token_sha256=sha256(token).digest(), games=["serpent"])
        for name, token in zip(("ada", "bo"), tokens, strict=False)
    ]
    message = referee_pb2.Invited(guests=guests, grace_ms=grace_ms, most_rtt_ms=100, drops=drops)
    return referee_pb2.RunMatchRequest(invited=message)


async def opened(house: House, *tokens: bytes, **terms: int) -> Orders:
    orders = house.orders()
    await orders.call.write(invited(*tokens, **terms))
    while len(house.registry._guests) < len(tokens):
        await house.watched()
    return orders


async def dial(house: House, token: bytes) -> BareBot:
    bot = house.bare_bot()
    await bot.hello(token)
    return bot


def attending(house: House, token: bytes, versions: str = "") -> Any:
    attend: Any = house.bots.unary_stream(
        "/pips.v1.RefereeService/Attend",
        request_serializer=player_pb2.AttendRequest.SerializeToString,
        response_deserializer=player_pb2.AttendResponse.FromString,
    )
    return attend(player_pb2.AttendRequest(token=token), metadata=((KEY, versions),) if versions else ())


async def news(call: Any) -> player_pb2.AttendResponse:
    async with asyncio.timeout(PATIENCE_S):
        message = await call.read()
    assert isinstance(message, player_pb2.AttendResponse)
    return message


async def end_of(call: Any) -> tuple[grpc.StatusCode, str]:
    async with asyncio.timeout(PATIENCE_S):
        code = await call.code()
    return code, await call.details()


class TestInvites:
    async def test_a_guest_of_another_version_is_told_first(self, house: House) -> None:
        await opened(house, b"ada's", b"bo's")
        told = await news(attending(house, b"ada's", "0.0.1 wichita=0"))
        assert told.process == "ada/*/*" and list(told.games) and "This host runs Pips" in told.news
        assert "It matters: the rules are other ones in wichita" in told.news
        assert "runs Pips" not in (await news(attending(house, b"bo's", versions_line()))).news

    async def test_a_guest_is_let_in_by_its_token_as_often_as_it_comes(self, house: House) -> None:
        await opened(house, b"ada's", b"bo's")
        for _ in range(2):
            bot = await dial(house, b"ada's")
            assert bot.messages[0].welcome.process == "ada/*/*"
            bot.leave()

    async def test_nobody_else_is(self, house: House) -> None:
        await opened(house, b"ada's")
        bot = house.bare_bot()
        await bot.send(
            player_pb2.PlayRequest(hello=player_pb2.Hello(protocol_version=1, token=b"x")).SerializeToString()
        )
        assert (await bot.ended()).code is grpc.StatusCode.PERMISSION_DENIED

    async def test_the_last_one_to_come_has_the_seat(self, house: House) -> None:
        await opened(house, b"ada's")
        before = await dial(house, b"ada's")
        after = await dial(house, b"ada's")
        end = await before.ended()
        assert (end.code, end.details) == (
            grpc.StatusCode.ABORTED,
            "another process has taken this bot's seat",
        )
        assert after.messages[0].welcome.process == "ada/*/*"

    async def test_who_is_not_invited_any_more_is_sent_away(self, house: House) -> None:
        orders = await opened(house, b"ada's", b"bo's")
        ada, bo = await dial(house, b"ada's"), attending(house, b"bo's")
        await news(bo)
        await orders.call.write(invited(b"another"))
        assert "was revoked" in (await ada.ended()).details
        code, details = await end_of(bo)
        assert code is grpc.StatusCode.ABORTED
        assert "was revoked" in details
        assert "not known here" in (await end_of(attending(house, b"ada's")))[1]
        assert (await dial(house, b"another")).messages[0].welcome.process == "ada/*/*"

    async def test_it_is_pinged_and_how_far_away_it_is_is_told(self, house: House) -> None:
        await opened(house, b"ada's")
        bot = await dial(house, b"ada's")
        await bot.send(player_pb2.PlayRequest(pong=bot.messages[0].ping).SerializeToString())
        async with asyncio.timeout(PATIENCE_S):
            while (
                not (
                    listed := await house.stub.ListBots(
                        referee_pb2.ListBotsRequest(), metadata=house.organiser_door.metadata
                    )
                )
                .bots[0]
                .rtt_us
            ):
                await house.watched()
        assert listed.bots[0].process == "ada/*/*"
        assert (await bot.read()).ping not in (b"", bot.messages[0].ping)

    async def test_who_is_silent_is_hung_up_on(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(guest, "SILENT_S", 0.05)
        monkeypatch.setattr(guest, "PING_S", 0.0)
        await opened(house, b"ada's")
        bot = await dial(house, b"ada's")
        await bot.send(player_pb2.PlayRequest(pong=bot.messages[0].ping).SerializeToString())
        end = await bot.ended()
        assert (end.code, end.details) == (grpc.StatusCode.ABORTED, "no ping came back for too long")


class TestNews:
    async def test_before_anybody_is_invited_nobody_is_sent_away_for_good(self, house: House) -> None:
        assert (await end_of(attending(house, b"ada's")))[0] is grpc.StatusCode.UNAVAILABLE

    async def test_who_attends_is_told_the_last_news_and_all_that_follow(self, house: House) -> None:
        orders = await opened(house, b"ada's")
        first = attending(house, b"ada's")
        assert await news(first) == player_pb2.AttendResponse(process="ada/*/*", games=["serpent"])
        for line, over in (("It begins.", False), ("It is over.", True)):
            said = referee_pb2.News(process="ada/*/*", line=line, over=over)
            await orders.call.write(referee_pb2.RunMatchRequest(news=said))
            got = await news(first)
            assert (got.news, got.over) == (line, over)
        second = attending(house, b"ada's")
        assert (await news(second)).over
        assert (await end_of(first))[0] is grpc.StatusCode.ABORTED


class TestLostStreams:
    async def test_a_guest_that_comes_back_goes_on_in_its_match_and_it_costs_nothing(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)
        orders = await opened(house, b"ada's", b"bo's")
        ada, bo = await dial(house, b"ada's"), await dial(house, b"bo's")
        await orders.order(serpent_header(), ["ada/*/*", "bo/*/*"])
        playing = asyncio.create_task(bo.play())
        await ada.asked()
        ada.leave()
        await house.watched()
        ada = await dial(house, b"ada's")
        await ada.play()
        record = await orders.record()
        await playing
        assert faults_of(record) == []
        assert heard_all(ada, record)

    async def test_who_is_away_for_long_forfeits_and_nobody_waits_for_it_again(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pips_referee.service.session.ENDED_S", 0.0)
        orders = await opened(house, b"ada's", b"bo's", grace_ms=50)
        ada, bo = await dial(house, b"ada's"), await dial(house, b"bo's")
        await orders.order(serpent_header("first"), ["ada/*/*", "bo/*/*"])
        playing = asyncio.create_task(bo.play(finishes=3))
        await ada.asked()
        ada.leave()
        for number in (2, 3):
            assert faults_of(await orders.record()) == [(0, "disconnect")]
            await orders.order(serpent_header(str(number)), ["ada/*/*", "bo/*/*"])
        assert faults_of(await orders.record()) == [(0, "disconnect")]
        await playing
