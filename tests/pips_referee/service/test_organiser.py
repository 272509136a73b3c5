"""The organiser's calls, over gRPC: orders and lists of bots, refused to bots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from pips.v1 import referee_pb2, referee_pb2_grpc
from pips_referee.match import FaultKind
from pips_referee.records.record import Header, verify
from pips_referee.service.tokens import AUTHORIZATION, OrganiserDoor, organiser_token
from tests.pips_referee.house import (
    KEY,
    PLAY,
    BareBot,
    House,
    serpent_header,
    two_bots,
)


class TestOrders:
    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda order: setattr(order.header, "game", "poker"), "there is no game 'poker'"),
            (lambda order: setattr(order.header, "seed", bytes(5)), "32 bytes"),
            (lambda order: setattr(order.header, "commitment", bytes(32)), "do not fit the commitment"),
            (lambda order: order.header.seats.append("third"), "for 2 seats, not 3"),
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
        listed = await house.stub.ListBots(referee_pb2.ListBotsRequest(), metadata=house.organiser_door.metadata)
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
        assert (await BareBot(house.organiser).ended()).code is grpc.StatusCode.UNAUTHENTICATED
        play: Any = house.organiser.stream_stream(PLAY)
        known = play(metadata=house.organiser_door.metadata)
        assert await known.code() is grpc.StatusCode.UNIMPLEMENTED

    @pytest.mark.parametrize("of", ["bots", "organiser"])
    async def test_health(self, house: House, of: str) -> None:
        stub: Any = health_pb2_grpc.HealthStub(getattr(house, of))
        answer = await stub.Check(health_pb2.HealthCheckRequest())
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


class TestToken:
    """A process that has found the organiser's socket, with another token or none."""

    @pytest.mark.parametrize(
        "said", ["", "Bearer ", "Bearer 00", organiser_token(KEY), f"Bearer {organiser_token(bytes(32))}", "Bearer ü"]
    )
    async def test_without_it_nothing_is_told_and_nothing_taken(self, house: House, said: str) -> None:
        await two_bots(house)
        calls = {
            "ListBots": referee_pb2.ListBotsRequest(),
            "Watch": referee_pb2.WatchRequest(open_cards=True),
            "RunMatch": referee_pb2.RunMatchRequest(ended=referee_pb2.ProcessEnded(process="b/0", launch=1000)),
        }
        metadata = ((AUTHORIZATION, said),) if said.isascii() else ((f"{AUTHORIZATION}-bin", said.encode()),)
        for method, request in calls.items():
            call: Any = getattr(house.stub, method)
            call = call(iter([request]) if method == "RunMatch" else request, metadata=metadata if said else None)
            assert await call.code() is grpc.StatusCode.UNAUTHENTICATED, method
            assert "only the organiser calls this" in await call.details()
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        assert house.registry.session("b/0").ended is None
        assert house.registry.session("b/0").connected.is_set()

    async def test_a_token_of_a_bot_is_none_of_the_organiser_s(self, house: House) -> None:
        token = house.token("a/0")
        for said in (token.hex(), token[:32].hex(), token[32:].hex()):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await house.stub.ListBots(
                    referee_pb2.ListBotsRequest(), metadata=OrganiserDoor(house.organiser_address, said).metadata
                )
            assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
