"""Bots that wait for others: questions of several tables at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from threading import Barrier, Event
from typing import ClassVar

import pytest

from pips.v1 import player_pb2
from pips_sdk._runtime.client import _serve
from pips_sdk._runtime.start import StartError, check_bots
from pips_sdk._runtime.table import BotTables
from pips_sdk.bot import Bot
from pips_sdk.model.bot import model_bots
from pips_sdk.model.endpoint import Endpoint
from pips_sdk.model.settings import ModelSettings
from pips_sdk.serpent import Card, SerpentBot, SerpentView
from pips_sdk.wichita import WichitaBot
from tests.model_stub import model_stub, one_of_them
from tests.patience import PATIENCE_S
from tests.pips_sdk.test_table import HEADER, question_message, start_message

TABLES = (3, 1, 2)


class Together(SerpentBot):
    """Answers when all tables are asked, the last one first."""

    at_once = len(TABLES)
    all_here = Barrier(len(TABLES))

    def give(self, view: SerpentView) -> tuple[Card, ...]:
        self.all_here.wait(PATIENCE_S)
        return view.playable[:3]


class Awaited(SerpentBot):
    """The same in a loop; what it keeps belongs to that loop."""

    at_once = len(TABLES)
    waiting = 0
    go_on: asyncio.Event

    async def on_start(self) -> None:  # type: ignore[override]
        Awaited.go_on = asyncio.Event()

    async def give(self, view: SerpentView) -> tuple[Card, ...]:  # type: ignore[override]
        Awaited.waiting += 1
        if Awaited.waiting == len(TABLES):
            Awaited.go_on.set()
        await asyncio.wait_for(Awaited.go_on.wait(), PATIENCE_S)
        return view.playable[:3]


class Failing(SerpentBot):
    at_once = 2

    def give(self, view: SerpentView) -> tuple[Card, ...]:
        raise ValueError("no server")


class InTurn(SerpentBot):
    """Answers at each table once the answer at the table before it was sent."""

    at_once = len(TABLES)
    sent: ClassVar[list[Event]] = []
    asked = 0

    def give(self, view: SerpentView) -> tuple[Card, ...]:
        place = InTurn.asked
        InTurn.asked += 1
        assert not place or self.sent[place - 1].wait(PATIENCE_S)
        return view.playable[:3]


class Stuck(SerpentBot):
    """Never answers at the table that asks first."""

    at_once = len(TABLES)
    end = Event()
    asked = 0

    def give(self, view: SerpentView) -> tuple[Card, ...]:
        Stuck.asked += 1
        if Stuck.asked == 1:
            self.end.wait(PATIENCE_S)
        return view.playable[:3]


class Wire:
    """A stream that brings some messages and keeps what is sent."""

    def __init__(self, messages: Iterable[player_pb2.PlayResponse]) -> None:
        self._messages = [message.SerializeToString() for message in messages]
        self.sent: list[player_pb2.PlayRequest] = []

    def write(self, data: bytes) -> None:
        self.sent.append(player_pb2.PlayRequest.FromString(data))

    def read(self, reply: bytes | None = None) -> bytes | None:
        if reply is not None:
            self.write(reply)
        return self._messages.pop(0) if self._messages else None


def answers(bot: type[Bot], time_left_ms: int = 0, wire_class: type[Wire] = Wire) -> list[player_pb2.Answer]:
    asked = HEADER.new_match().question()
    questions = [question_message(asked, table) for table in TABLES]
    for question in questions:
        question.time_left_ms = time_left_ms
    wire = wire_class([
        player_pb2.PlayResponse(starts=[start_message(table) for table in TABLES]),
        player_pb2.PlayResponse(questions=questions),
    ])  # fmt: skip
    _serve(wire, wire.read(), tables=BotTables({"serpent": bot}))  # type: ignore[arg-type]
    return [answer for request in wire.sent for answer in request.answers]


@pytest.mark.parametrize("bot", [Together, Awaited])
def test_all_tables_are_asked_at_once_and_answered_in_their_order(bot: type[Bot]) -> None:
    given = answers(bot)
    assert [answer.table for answer in given] == [*TABLES]
    assert {answer.WhichOneof("reply") for answer in given} == {"action"}


def test_an_answer_waits_for_no_later_one() -> None:
    """Or its match would pay for the time of that one."""

    class Telling(Wire):
        def write(self, data: bytes) -> None:
            super().write(data)
            InTurn.sent[len(self.sent) - 1].set()

    InTurn.sent[:] = [Event() for _ in TABLES]
    assert {answer.WhichOneof("reply") for answer in answers(InTurn, wire_class=Telling)} == {"action"}


def test_an_answer_that_never_comes_costs_its_own_match(capsys: pytest.CaptureFixture[str]) -> None:
    given = answers(Stuck, time_left_ms=20)
    Stuck.end.set()
    assert [answer.table for answer in given] == [*TABLES]
    assert [answer.failed for answer in given] == ["it did not answer within 20 ms", "", ""]
    assert "table 3, question 1: it did not answer within 20 ms" in capsys.readouterr().err


def test_a_model_is_asked_for_all_tables_at_once() -> None:
    all_here = Barrier(len(TABLES))

    def says(asked: str, attempt: int) -> str:
        all_here.wait(PATIENCE_S)
        return one_of_them(asked, attempt)

    with model_stub(says) as stub:
        endpoint = Endpoint(stub.url, "m")
        bots = model_bots(endpoint=endpoint, settings=ModelSettings(), at_once=len(TABLES))
        given = answers(next(bot for bot in bots if bot.game == "serpent"))
        endpoint.close()
    assert {answer.WhichOneof("reply") for answer in given} == {"action"}


def test_what_one_raises_costs_its_own_match() -> None:
    assert ["ValueError: no server" in answer.failed for answer in answers(Failing)] == [True] * len(TABLES)


def test_bots_of_one_program_are_asked_alike() -> None:
    class Alike(WichitaBot):
        at_once = Awaited.at_once

    with pytest.raises(StartError) as refused:
        check_bots((Awaited, WichitaBot))
    assert str(refused.value) == (
        "bots of one program have the same at_once, but Awaited 3 and WichitaBot 1: "
        "give them the same, or run each in a program of its own"
    )
    assert list(check_bots((Awaited, Alike))) == ["serpent", "wichita"]
