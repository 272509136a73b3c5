"""The cost of a decision in counts: messages, tasks, looks at the ledger.

Counts are the same on every machine.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from typing import Any

import pytest

from pips.v1 import referee_pb2
from pips_referee.timing import clock as clocks
from pips_referee.timing.clock import CoreWait
from tests.pips_referee.house import BareBot, House, serpent_header

LONG = referee_pb2.Clock(answer_ms=10_000)


async def play(house: House, tables: int) -> tuple[tuple[BareBot, BareBot], int]:
    """Play that many matches at once; return both bots and the number of decisions."""
    bots = await house.bot("a/0"), await house.bot("b/0")
    orders = house.orders()
    for number in range(tables):
        await orders.order(serpent_header(f"match {number}", number), ["a/0", "b/0"], LONG)
    await asyncio.gather(*(bot.play(finishes=tables) for bot in bots))
    decisions = sum([(await orders.record()).outcome.questions for _ in range(tables)])
    await orders.close()
    return bots, decisions


async def test_one_table_takes_one_message_a_decision_each_way(house: House) -> None:
    bots, decisions = await play(house, 1)
    read = sum(len(bot.messages) for bot in bots)
    assert decisions <= read <= decisions + 3 * len(bots)  # a welcome, a start, a finish


async def test_many_tables_share_their_messages(house: House) -> None:
    bots, decisions = await play(house, 32)
    read = sum(len(bot.messages) for bot in bots)
    assert read < decisions / 8


async def test_no_task_is_made_and_no_timer_set_for_a_question(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, made, timers = asyncio.get_running_loop(), [0], [0]
    call_at = loop.call_at

    def factory(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **more: Any) -> asyncio.Task[Any]:
        made[0] += 1
        return asyncio.Task(work, loop=loop, **more)

    def counted(*arguments: Any, **more: Any) -> asyncio.TimerHandle:
        timers[0] += 1
        return call_at(*arguments, **more)

    before = loop.time()
    loop.set_task_factory(factory)  # type: ignore[arg-type]  # its protocol names what is passed on
    monkeypatch.setattr(loop, "call_at", counted)
    bots, decisions = await play(house, 8)
    loop.set_task_factory(None)
    watched = (loop.time() - before) / clocks.WATCH_S
    reads = sum(len(bot.messages) for bot in bots)  # the bots of this test set a timer for each
    assert decisions > 400
    assert made[0] <= 40
    assert timers[0] <= reads + watched + 40


async def test_quick_answers_cost_no_look_at_the_kernel_s_ledger(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [0]

    def look(pid: int) -> dict[str, clocks.Task]:
        looks[0] += 1
        return {}

    monkeypatch.setattr(clocks, "_tasks", look)
    for process in ("a/0", "b/0"):
        house.registry.session(process).stopwatch.core_wait = CoreWait(os.getpid())
    _, decisions = await play(house, 16)
    assert looks[0] < decisions / 20
