"""An arena's real keeper, referee and bots: what they may do and what may hit them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from pips.v1 import record_pb2, referee_pb2
from pips_referee.records.record import Header
from pips_tourney.arena.arena import Arena
from pips_tourney.bots.executable import Executable, program
from pips_tourney.system import own_cores
from tests.e2e.desk import Desk
from tests.machine import Stopwatch
from tests.patience import PATIENCE_S
from tests.records import new_header
from tests.same_night import timeless

BOTS = Path(__file__).with_name("bots")
RIVALS = ("first/serpent/0", "second/serpent/0")
IN_FLIGHT = 32
MANY_TABLES, KILLS = 64, 20
STARTUP_S = 30.0
NO_CLOCK = referee_pb2.Clock()


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The processes' folder, where they are found again if anything fails."""
    desk = Desk()
    monkeypatch.setenv("TMPDIR", str(desk.folder))
    monkeypatch.setattr("tempfile.tempdir", str(desk.folder))
    yield desk
    desk.clear()


def bot(desk: Desk, name: str, **env: object) -> Executable:
    given = {"PYTHONPATH": os.pathsep.join(sys.path), **{key: str(value) for key, value in env.items()}}
    return program(["python", str(BOTS / f"{name}_bot.py")], desk.folder, given)


def an_arena(first: Executable, second: Executable) -> Arena:
    programs = dict(zip(RIVALS, (first, second), strict=True))
    return Arena(own_cores()[-1], programs.__getitem__, STARTUP_S)


def order(number: int, clock: referee_pb2.Clock) -> referee_pb2.MatchOrder:
    """Return a match of the two that is the same whenever it is played."""
    header = new_header(seed=bytes([number % 256] * 32), max_tiebreaks=0)
    message = referee_pb2.MatchOrder(processes=RIVALS, clock=clock)
    message.rng_seeds.extend(bytes([number % 256, seat] * 16) for seat in range(2))
    Header(f"match-{number}", header.game, header.options, header.names, header.seed, header.nonce).write(
        message.header
    )
    return message


async def play(arena: Arena, count: int, clock: referee_pb2.Clock = NO_CLOCK) -> list[record_pb2.MatchRecord]:
    async with asyncio.timeout(PATIENCE_S):
        records = await asyncio.gather(*(arena.play(order(number, clock)) for number in range(count)))
    return [record_pb2.MatchRecord.FromString(record) for record in records]


def of_first(record: record_pb2.MatchRecord) -> list[record_pb2.RecordedAnswer]:
    """Return the answers of the first of the two."""
    return [answer for answer in record.answers if answer.seat == 0]


async def test_a_bot_killed_at_32_tables_loses_one_match_and_the_others_are_as_they_would_have_been(desk: Desk) -> None:
    seated = desk.folder / "seated"
    busy = bot(desk, "busy", TABLES=IN_FLIGHT, SEATED=seated)
    other = bot(desk, "thinking")
    async with an_arena(busy, other) as arena:
        undisturbed = [timeless(record) for record in await play(arena, IN_FLIGHT)]
    seated.unlink()
    async with an_arena(busy, other) as arena:
        playing = asyncio.create_task(play(arena, IN_FLIGHT))
        async with asyncio.timeout(PATIENCE_S):
            while not seated.exists() or not seated.read_text(encoding="ascii"):  # noqa: ASYNC110 - a file is no event
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert arena.played == 0, "all are in flight"
        os.kill(int(seated.read_text(encoding="ascii")), signal.SIGKILL)
        records = await playing
    lost = [number for number, record in enumerate(records) if record.outcome.faults]
    assert len(lost) == 1
    (fault,) = records[lost[0]].outcome.faults
    assert (fault.seat, fault.kind, fault.detail) == (0, record_pb2.FAULT_KIND_CRASH, "killed by SIGKILL")
    for number, record in enumerate(records):
        assert number in lost or timeless(record) == undisturbed[number]


class Watched(Arena):
    """Records which process each bot is."""

    pids: dict[str, int]

    def _on_event(self, event: dict[str, Any]) -> None:
        if event["event"] == "started":
            self.pids[event["name"]] = event["pid"]
        super()._on_event(event)


@pytest.mark.long
async def test_one_kill_costs_one_match_at_64_tables(desk: Desk) -> None:
    """Matches that have not begun wait for the next process, and lose nothing."""
    programs = dict(zip(RIVALS, (bot(desk, "thinking", WORK_S=0.005), bot(desk, "thinking")), strict=True))
    arena = Watched(own_cores()[-1], programs.__getitem__, STARTUP_S)
    arena.pids = {}
    numbers, kills = iter(range(1 << 20)), set[int]()
    records: list[record_pb2.MatchRecord] = []

    async def keep_playing() -> None:
        while len(kills) < KILLS:
            data = await arena.play(order(next(numbers), NO_CLOCK))
            records.append(record_pb2.MatchRecord.FromString(data))

    async def keep_killing() -> None:
        rng = Random(17)
        while len(kills) < KILLS:
            process = arena._roster.bots.get(RIVALS[0])
            if process is None or not process.hello.done() or arena.pids[RIVALS[0]] in kills:
                await asyncio.sleep(0.01)
                continue
            await asyncio.sleep(0.2 + rng.random() / 2)
            kills.add(pid := arena.pids[RIVALS[0]])
            os.kill(pid, signal.SIGKILL)

    async with asyncio.timeout(PATIENCE_S), arena:
        await asyncio.gather(keep_killing(), *(keep_playing() for _ in range(MANY_TABLES)))
    faults = [fault for record in records for fault in record.outcome.faults]
    assert {(fault.seat, fault.detail) for fault in faults} == {(0, "killed by SIGKILL")}
    assert len(faults) == KILLS, [(fault.question, fault.detail) for fault in faults]


async def test_only_the_head_of_the_queue_is_on_the_clock(desk: Desk) -> None:
    """Eight tables ask at once, so the last answer comes 2.4 s after its question."""
    asked = desk.folder / "order"
    slow = bot(desk, "thinking", SLEEP_S=0.3, ORDER=asked)
    async with an_arena(slow, bot(desk, "thinking")) as arena:
        watch = Stopwatch()
        records = await play(arena, 8, referee_pb2.Clock(answer_ms=1000))
        late_s = watch.taken_s()
    answers = [iter(of_first(record)) for record in records]
    slept = [next(answers[int(number)]) for number in asked.read_text(encoding="ascii").split()]
    assert len(slept) == 16 and not any(record.outcome.faults for record in records)
    assert all(answer.shared_by <= 1 for answer in slept)
    # An answer's clock begins when the referee has taken the answer before. If that one
    # was late, this one is short by as much.
    took_us = accumulate(answer.used_us + answer.credited_us for answer in slept)
    assert all(passed_us >= 290_000 * count for count, passed_us in enumerate(took_us, 1))
    assert 0.25 - late_s / len(slept) < median(answer.used_us / 1e6 for answer in slept) < 0.4


async def test_a_rival_that_spins_on_the_same_core_costs_nobody_a_match(desk: Desk) -> None:
    """The bot needs 300 ms of the core in 500 ms, and gets half at best."""
    async with an_arena(bot(desk, "thinking", WORK_S=0.3), bot(desk, "spinning")) as arena:
        (record,) = await play(arena, 1, referee_pb2.Clock(answer_ms=500))
    assert not record.outcome.faults
    thought = of_first(record)[:2]
    assert all(0.25 < answer.used_us / 1e6 < 0.5 for answer in thought)
    assert max(answer.credited_us for answer in thought) > 100_000, "the rival was in its way"


@pytest.mark.parametrize(("longest_ms", "reason"), [(1_000, "longest"), (0, "")])
async def test_credits_for_waits_cannot_be_stretched(desk: Desk, longest_ms: int, reason: str) -> None:
    """A rival spins and the bot yields: its own clock hardly runs within 2 s."""
    async with an_arena(bot(desk, "yielding", TAKE_S=2), bot(desk, "spinning")) as arena:
        (record,) = await play(arena, 1, referee_pb2.Clock(answer_ms=1_500, longest_ms=longest_ms))
    faults = record.outcome.faults
    assert [(fault.seat, fault.reason) for fault in faults] == ([(0, reason)] if reason else [])
    slow = max(record.answers, key=lambda answer: answer.credited_us)
    assert slow.used_us < 1_500_000 < 2 * (slow.used_us + slow.credited_us)
    if faults:
        assert faults[0].kind == record_pb2.FAULT_KIND_TIMEOUT
        assert "no bot is waited for longer than 1.000 s" in faults[0].detail
