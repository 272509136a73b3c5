"""A socket for every bot process: abuse of one costs only its own process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from pips.v1 import player_pb2, referee_pb2, referee_pb2_grpc
from pips_referee.service.bots import MOST_KNOCKS
from pips_referee.service.ports import DOOR_CONNECTIONS
from tests.faults.strangers import alive, crowd, streams
from tests.patience import PATIENCE_S
from tests.pips_referee.house import BareBot, House, StreamEnded, serpent_header


@asynccontextmanager
async def at_door(house: House, process: str, path: Path) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a door that was opened for the process."""
    request = referee_pb2.OpenDoorRequest(process=process, address=f"unix:{path}")
    await house.stub.OpenDoor(request, metadata=house.organiser_door.metadata)
    async with grpc.aio.insecure_channel(f"unix:{path}", options=[("grpc.enable_retries", 0)]) as channel:
        yield channel


async def test_bots_play_through_their_doors(house: House, tmp_path: Path) -> None:
    async with at_door(house, "a/0", tmp_path / "0") as first, at_door(house, "b/0", tmp_path / "1") as second:
        a, b = BareBot(first), BareBot(second)
        for bot, process in ((a, "a/0"), (b, "b/0")):
            assert (await bot.hello(house.token(process))).process == process
        orders = house.orders()
        await orders.order(serpent_header(), ["a/0", "b/0"])
        await asyncio.gather(a.play(), b.play())
        assert (await orders.record()).outcome.faults == ()


async def test_the_organiser_opens_many_doors_at_once_from_its_first_call_on(house: House, tmp_path: Path) -> None:
    """Before a client knows a server's limit, more calls than that are refused."""
    door = house.organiser_door
    async with grpc.aio.insecure_channel(door.address) as channel:
        stub = referee_pb2_grpc.RefereeServiceStub(channel)
        doors = [referee_pb2.OpenDoorRequest(process=f"a/{n}", address=f"unix:{tmp_path / str(n)}") for n in range(24)]
        opened = await asyncio.gather(*(stub.OpenDoor(request, metadata=door.metadata) for request in doors))
    assert len(opened) == len(doors)


async def test_a_door_is_for_one_process_alone(house: House, tmp_path: Path) -> None:
    """Even with another process's token a process cannot send that one away."""
    a = await house.bot("a/0")
    async with at_door(house, "b/0", tmp_path / "1") as channel:
        with pytest.raises(StreamEnded) as refused:
            await BareBot(channel).hello(house.token("a/0"))
        assert refused.value.code is grpc.StatusCode.PERMISSION_DENIED
        assert "one process alone" in refused.value.details
        assert house.registry.session("a/0").connected.is_set()
        attend: Any = channel.unary_stream("/pips.v1.RefereeService/Attend")
        assert await attend(b"").code() is grpc.StatusCode.UNIMPLEMENTED
        assert (await BareBot(channel).hello(house.token("b/0"))).process == "b/0"
    a.leave()


async def test_a_guest_s_token_is_good_for_the_common_address_alone(house: House, tmp_path: Path) -> None:
    from hashlib import sha256

    token = b"invited"
    invited = referee_pb2.Invited(
        guests=[referee_pb2.Guest(process="c/0", token_sha256=sha256(token).digest(), games=["serpent"])]
    )
    orders = house.orders()
    await orders.call.write(referee_pb2.RunMatchRequest(invited=invited))
    async with at_door(house, "b/0", tmp_path / "1") as channel:
        with pytest.raises(StreamEnded) as refused:
            await BareBot(channel).hello(token)
        assert refused.value.code is grpc.StatusCode.PERMISSION_DENIED
    assert (await house.bare_bot().hello(token)).process == "c/0"


async def test_who_opens_a_thousand_streams_first_keeps_itself_out(house: House, tmp_path: Path) -> None:
    async with at_door(house, "hog/0", tmp_path / "0") as hogs, at_door(house, "a/0", tmp_path / "1") as door:
        strangers = await asyncio.to_thread(crowd, str(tmp_path / "0"), 256, streams(4))
        assert (await BareBot(door).hello(house.token("a/0"))).process == "a/0"
        try:
            for _ in range(int(100 * PATIENCE_S)):  # they are cut off one by one
                if alive(strangers) <= DOOR_CONNECTIONS:
                    break
                await asyncio.sleep(0.01)
            assert alive(strangers) <= DOOR_CONNECTIONS
            end = await BareBot(hogs).ended()
            assert end.code in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)
        finally:
            for stranger in strangers:
                stranger.close()


async def test_who_knocks_and_knocks_is_heard_no_more(house: House, tmp_path: Path) -> None:
    async with at_door(house, "a/0", tmp_path / "0") as channel:
        for _ in range(MOST_KNOCKS):
            with pytest.raises(StreamEnded):
                await BareBot(channel).hello(b"no token")
        # gRPC's client says INTERNAL where the end comes before its metadata went out.
        refused = StreamEnded(grpc.StatusCode.INTERNAL, "")
        while refused.code is grpc.StatusCode.INTERNAL:
            with pytest.raises(StreamEnded) as ended:
                await BareBot(channel).hello(house.token("a/0"))
            refused = ended.value
        assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "which is enough" in refused.details


async def test_who_comes_back_often_may(house: House, tmp_path: Path) -> None:
    """A bot that is let in may come back any number of times."""
    async with at_door(house, "a/0", tmp_path / "0") as channel:
        for _ in range(MOST_KNOCKS + 2):
            bot = BareBot(channel)
            assert (await bot.hello(house.token("a/0"))).process == "a/0"
            bot.leave()
            await house.registry.session("a/0").gone.wait()


async def test_a_door_that_is_closed_cuts_off_what_is_behind_it(house: House, tmp_path: Path) -> None:
    async with at_door(house, "a/0", tmp_path / "0") as channel:
        bot = BareBot(channel)
        await bot.hello(house.token("a/0"))
        for _ in range(2):
            request = referee_pb2.CloseDoorRequest(address=f"unix:{tmp_path}/0")
            await house.stub.CloseDoor(request, metadata=house.organiser_door.metadata)
        assert (await bot.ended()).code in (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)
        await house.registry.session("a/0").gone.wait()
        assert not (tmp_path / "0").exists()


@pytest.mark.parametrize(
    ("address", "code"),
    [("127.0.0.1:0", grpc.StatusCode.INVALID_ARGUMENT), ("unix:/no/such/folder", grpc.StatusCode.UNAVAILABLE)],
)
async def test_where_no_door_can_be(house: House, address: str, code: grpc.StatusCode) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await house.stub.OpenDoor(
            referee_pb2.OpenDoorRequest(process="a/0", address=address), metadata=house.organiser_door.metadata
        )
    assert refused.value.code() is code


async def test_bots_open_no_doors(house: House, tmp_path: Path) -> None:
    message = player_pb2.PlayRequest().SerializeToString()
    for channel, code in (
        (house.bots, grpc.StatusCode.UNIMPLEMENTED),
        (house.organiser, grpc.StatusCode.UNAUTHENTICATED),
    ):
        call: Any = channel.unary_unary("/pips.v1.RefereeService/OpenDoor")
        assert await call(message).code() is code
