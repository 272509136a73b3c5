"""What a seat cannot see is not on the wire: every byte of its stream, in worlds that
differ only in that.

As test_secrets.py has it for questions, so here for the referee's service: matches are
played over gRPC, and what the watching seat's process was sent by the time of each of
its questions, message by message, is the same in both worlds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from msgspec.structs import replace

from pips.v1 import player_pb2
from pips_referee.game import Action
from pips_referee.games.serpent.rules import SerpentState
from pips_referee.games.serpent.values import SerpentView
from pips_referee.laws.held import unlike_inside
from pips_referee.laws.twins import Change, FirstWorld, TwinAnswers, TwinChance, changes, first_world
from pips_referee.match import Match
from pips_referee.records.record import Header
from pips_referee.service import bots, organiser, timekeeper
from pips_referee.service.asked import Asked
from pips_referee.service.session import Session
from pips_referee.service.table import Table
from pips_referee.wire import get_wire
from tests.contract.cases import CASES, Case
from tests.patience import PATIENCE_S
from tests.pips_referee.house import PLAY, House, open_house

pytestmark = pytest.mark.unmeasured  # the same lines again, in many worlds
USUAL = [case for case in CASES if case.label == "usual"]
WORLDS = 8
ENOUGH = 40
NUMBER = 77
"""The checks of every table on every stream."""
NAMES = count()
SEED = bytes(range(32))


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    """A referee without luck of its own, at whose tables no time passes."""
    for module in (bots, organiser, timekeeper):
        monkeypatch.setattr(module, "monotonic", lambda: 1000.0)
    monkeypatch.setattr("secrets.randbits", lambda bits: NUMBER)
    async with open_house(tmp_path) as opened:
        yield opened


class Seat:
    """A bot's stream as bytes."""

    def __init__(self, channel: grpc.aio.Channel, name: str, *, json: bool) -> None:
        play: Any = channel.stream_stream(PLAY)
        self.name, self.json = name, json
        self.stream: grpc.aio.StreamStreamCall[bytes, bytes] = play()
        self.messages: list[bytes] = []
        """All after the welcome."""

    async def sit_down(self, token: bytes) -> None:
        hello = player_pb2.Hello(protocol_version=1, bot_name=self.name, token=token, json=self.json)
        await self.stream.write(player_pb2.PlayRequest(hello=hello).SerializeToString())
        assert player_pb2.PlayResponse.FromString(await self._read()).HasField("welcome")

    async def asked(self) -> player_pb2.Question:
        while True:
            self.messages.append(await self._read())
            message = player_pb2.PlayResponse.FromString(self.messages[-1])
            if message.questions:
                (question,) = message.questions
                return question

    async def answer(self, question: player_pb2.Question, game: str, action: Action) -> None:
        answer = player_pb2.Answer(table=question.table, number=question.number)
        get_wire(game).write_action(action, answer.action)
        await self.stream.write(player_pb2.PlayRequest(answers=[answer]).SerializeToString())

    async def _read(self) -> bytes:
        async with asyncio.timeout(PATIENCE_S):
            data = await self.stream.read()
        assert isinstance(data, bytes)
        return data


class Wire:
    """Plays matches of one case at a referee and keeps what the watching seat was sent
    by each of its questions.
    """

    json = False
    """Whether all seats read JSON."""

    def __init__(self, house: House, monkeypatch: pytest.MonkeyPatch, world: FirstWorld) -> None:
        self.house, self.case, self.seat, self.world = house, world.case, world.seat, world
        self._monkeypatch = monkeypatch
        own = [("grpc.use_local_subchannel_pool", 1)]  # as processes have one connection each
        self._channels = [grpc.aio.insecure_channel(house.bots_address, options=own) for _ in range(self.case.seats)]
        self.by_question: list[list[bytes]] = []

    async def begin(self) -> None:
        """The first world."""
        follower = TwinAnswers(self.world, ENOUGH)
        async for _, messages in self._play(follower, None):
            self.by_question.append(messages)

    async def compare(self, change: Change) -> int:
        """How many questions came the same in a world that was another."""
        follower, questions = TwinAnswers(self.world, ENOUGH, change), 0
        async for match, messages in self._play(follower, change):
            expected = self.by_question[follower.counts[self.seat] - 1]
            assert messages == expected, f"{change} tells seat {self.seat} what it cannot see"
            questions += unlike_inside(match.state, follower.before.state)
        return questions

    async def _play(self, follower: TwinAnswers, change: Change | None) -> AsyncIterator[tuple[Match, list[bytes]]]:
        """At every question of the watching seat: the match, and all messages that it
        was sent until then.
        """
        case, chance = self.case, TwinChance(self.world.chance.seed, change)
        match = Match(case.game, case.options, case.seats, chance)
        self._monkeypatch.setattr(Header, "new_match", lambda header: match)
        seats = [Seat(channel, f"{case.id}/{next(NAMES)}", json=self.json) for channel in self._channels]
        for seat in seats:
            await seat.sit_down(self.house.token(seat.name))
        names = tuple(f"bot{number}" for number in range(case.seats))
        orders = self.house.orders()
        await orders.order(Header("a-match", case.game, case.options, names, SEED, SEED), [seat.name for seat in seats])
        while match.to_ask is not None:
            seat = seats[match.to_ask]
            question = await seat.asked()
            if (action := follower.answer(match)) is None:
                break
            if seat is seats[self.seat]:
                yield match, await self.told(seat)
            answered = len(match.history)
            await seat.answer(question, case.game_name, action)
            async with asyncio.timeout(PATIENCE_S):
                while len(match.history) == answered:  # noqa: ASYNC110 - the referee is in this process
                    await asyncio.sleep(0.0002)
        orders.call.cancel()
        for seat in seats:
            seat.stream.cancel()

    async def told(self, seat: Seat) -> list[bytes]:
        """What is compared: all that the watching seat was sent."""
        return list(seat.messages)

    async def aclose(self) -> None:
        for channel in self._channels:
            await channel.close()


class JsonWire(Wire):
    json = True


async def compared(
    house: House, monkeypatch: pytest.MonkeyPatch, case: Case, worlds: int = WORLDS, kind: type[Wire] = Wire
) -> int:
    questions = 0
    for seat in (0, case.seats - 1):
        world = first_world(case, 1, seat)
        async with aclosing(kind(house, monkeypatch, world)) as wire:
            await wire.begin()
            for change in islice(changes(world, Random(2)), worlds):
                questions += await wire.compare(change)
    return questions


@pytest.mark.parametrize("kind", [Wire, JsonWire])
@pytest.mark.parametrize("case", USUAL, ids=lambda case: case.id)
async def test_every_byte_sent_to_a_seat_is_the_same_whatever_it_cannot_see(
    house: House, monkeypatch: pytest.MonkeyPatch, case: Case, kind: type[Wire]
) -> None:
    assert await compared(house, monkeypatch, case, kind=kind) >= 3, "too few questions were compared to show anything"


def test_every_game_is_played_on_the_wire() -> None:
    assert {case.game_name for case in USUAL} == {case.game_name for case in CASES}


async def test_a_view_that_leaks_is_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = SerpentState.view

    def leaking(self: SerpentState, seat: int) -> SerpentView:
        hearts = sum(card.suit.name == "HEARTS" for card in self.hidden[1 - seat])
        return replace(honest(self, seat), other_points=hearts)

    monkeypatch.setattr(SerpentState, "view", leaking)
    for kind in (Wire, JsonWire):
        with pytest.raises(AssertionError, match=r"tells seat [01] what it cannot see"):
            await compared(house, monkeypatch, USUAL[0], kind=kind)


@pytest.mark.parametrize("leak", ["a number", "an empty message"])
async def test_so_is_what_only_the_service_could_leak(house: House, monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    """That somebody else was asked, who in another world was not: by counting, and by a
    message that says nothing.
    """
    honest = Table._write_question

    def leaking(self: Table, session: Session, asked: Asked) -> None:
        if leak == "a number":
            honest(self, session, asked)
            session.outbox.message.questions[-1].used_us = len(self.match.history)
            return
        for other in self.sessions:
            if other is not session:
                other.outbox.message.SetInParent()
        honest(self, session, asked)

    monkeypatch.setattr(Table, "_write_question", leaking)
    case = next(case for case in USUAL if case.game_name == "wichita")
    with pytest.raises(AssertionError, match=r"tells seat \d what it cannot see"):
        await compared(house, monkeypatch, case, worlds=80)
