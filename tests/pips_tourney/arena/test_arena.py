"""An arena's processes from start to end, with a keeper that starts nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

import pytest

from pips.v1 import referee_pb2
from pips_tourney.arena.arena import STARTING_AT_ONCE, Arena
from pips_tourney.arena.exchange import NotBegun
from pips_tourney.arena.refusals import MOST_REFUSALS, MOST_STARTS
from pips_tourney.arena.starting import StartClock, StartFailure
from pips_tourney.bots.executable import program
from tests.patience import PATIENCE_S

CY = "cy/one/0"


class Keeper:
    """Reports every start at once; cannot stop what it never started."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self.started: list[str] = []
        self.is_full = asyncio.Event()
        """Set when as many start as may start at once."""

    def start(self, name: str, *_: object, **__: object) -> None:
        self.started.append(name)
        if len(self.started) == STARTING_AT_ONCE:
            self.is_full.set()
        self._tell(event="started", name=name, pid=1)

    def stop(self, name: str) -> None:
        if name in self.started:
            self._tell(event="ended", name=name, how="killed", output="")

    def seat(self, name: str, by: int) -> None:
        pass

    def end(self, name: str, **more: str) -> None:
        self._tell(event="ended", name=name, how="exit status 1", output="", **more)

    def _tell(self, **event: Any) -> None:
        asyncio.get_running_loop().call_soon(self._arena._on_event, event)


class NoDoors:
    """Sockets that nobody dials."""

    async def open(self, process: str) -> Path:
        return Path("nowhere")

    async def close(self, process: str) -> None:
        pass


class Stage(Arena):
    """An arena without a referee: the test says which bots said hello."""

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._starting = asyncio.Semaphore(STARTING_AT_ONCE)
        self._looking = loop.create_future()
        self._looking.set_result(None)
        self.keeper = Keeper(self)
        self._launcher: Any = self.keeper
        self._doors: Any = NoDoors()
        self.here: set[str] = set()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def told(self) -> list[referee_pb2.RunMatchRequest]:
        """Return what the referee was sent."""
        requests = self._exchange._requests
        return [requests.get_nowait() for _ in range(requests.qsize())]

    async def listed(self) -> list[referee_pb2.ConnectedBot]:
        return [referee_pb2.ConnectedBot(process=process) for process in self.here]


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with Stage(0, lambda _: program(["true"], Path("/"), {}), PATIENCE_S) as stage:
        yield stage


async def test_what_is_stopped_before_its_launch_is_not_launched_and_can_be_started_anew(stage: Stage) -> None:
    """It waits behind slow starters as its shift ends."""
    slow = [f"slow{number}/one/0" for number in range(STARTING_AT_ONCE)]
    starting = [asyncio.ensure_future(stage.start([process])) for process in [*slow, CY]]
    stage._seat(CY, 1)
    await stage.keeper.is_full.wait()
    stage._seat(CY, -1)
    stage._stop([CY])
    stage.here.update(slow)
    async with asyncio.timeout(PATIENCE_S):
        *others, [failure] = await asyncio.gather(*starting)
        assert others == [[]] * len(slow)
        assert (failure.process, failure.how) == (CY, "was stopped before it was started")
        assert CY not in stage.keeper.started
        stage.here.add(CY)
        assert await stage.start([CY]) == []
    assert stage.keeper.started == [*slow, CY]


async def test_a_shift_ends_when_no_bot_is_left(stage: Stage) -> None:
    """Those that have started, and those that wait for it."""
    bots = [f"bot{number}/one/0" for number in range(STARTING_AT_ONCE + 2)]
    stage.here.update(bots[:2])
    starting = [asyncio.ensure_future(stage.start([bot])) for bot in bots]
    async with asyncio.timeout(PATIENCE_S):
        await stage.keeper.is_full.wait()
        await asyncio.gather(*starting[:2])
        await stage.end_bots()
        assert not stage._roster.bots
        await asyncio.gather(*starting)
        stage.here.add(CY)
        assert await stage.start([CY]) == []
    assert stage.keeper.started[-1] == CY


async def test_a_night_that_goes_on_otherwise_waits_for_no_start(stage: Stage) -> None:
    """What plays is played to its end, also by a bot that has crashed."""
    over, bots = False, [f"bot{number}/one/0" for number in range(STARTING_AT_ONCE + 2)]
    stage.is_over = lambda: over
    stage.here.update(bots)
    plays = [asyncio.ensure_future(stage.play(referee_pb2.MatchOrder(processes=[bot]))) for bot in bots[:-1]]
    await stage.keeper.is_full.wait()
    async with asyncio.timeout(PATIENCE_S):
        while not any(request.HasField("order") for request in stage.told()):  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0)
        over = True
        stage.keeper.end(bots[0])
        with pytest.raises(NotBegun):
            await stage.play(referee_pb2.MatchOrder(processes=[bots[-1]]))
        while stage.keeper.started.count(bots[0]) < 2:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.01)
    assert bots[-1] not in stage.keeper.started
    for play in plays:
        play.cancel()


async def test_a_start_that_nobody_needs_any_more_is_broken_off_and_no_fault(stage: Stage) -> None:
    over = False
    stage.is_over = lambda: over
    play = asyncio.ensure_future(stage.play(referee_pb2.MatchOrder(processes=[CY])))
    async with asyncio.timeout(PATIENCE_S):
        while not stage.keeper.started:  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0)
        over = True
        with pytest.raises(NotBegun):
            await play
        assert CY not in stage._roster.bots and not stage._roster.use(CY).failures
    assert not any(request.HasField("ended") for request in stage.told())


async def test_a_shift_ends_where_a_bot_is_asked_for_after_the_loss_of_the_arena(stage: Stage) -> None:
    """It was never started, so no end of it is told."""
    stage.why_lost = "the keeper ended"
    async with asyncio.timeout(PATIENCE_S):
        [failure] = await stage.start([CY])
        await stage.end_bots()
    assert failure.how == "the keeper ended"


async def test_who_asks_for_it_meanwhile_has_a_new_one(stage: Stage) -> None:
    slow = [f"slow{number}/one/0" for number in range(STARTING_AT_ONCE)]
    starting = [asyncio.ensure_future(stage.start([process])) for process in [*slow, CY]]
    await stage.keeper.is_full.wait()
    stage._stop([CY])
    anew = asyncio.ensure_future(stage.start([CY]))
    await asyncio.sleep(0)
    stage.here.update([*slow, CY])
    async with asyncio.timeout(PATIENCE_S):
        assert await anew == []
        await asyncio.gather(*starting)
    assert stage.keeper.started == [*slow, CY]


async def until_started(stage: Stage, times: int) -> None:
    while len(stage.keeper.started) < times:  # noqa: ASYNC110 - the loop's next turn is all it takes
        await asyncio.sleep(0)


async def test_what_the_machine_refuses_is_started_again_and_counts_when_it_gathers(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pips_tourney.arena.arena.REFUSED_S", 0)
    starting = asyncio.ensure_future(stage.start([CY]))
    async with asyncio.timeout(PATIENCE_S):
        for time in range(MOST_REFUSALS + 1):
            await until_started(stage, time + 1)
            stage.keeper.end(CY, lack="there are no numbers left")
        (failure,) = await starting
    assert not failure.refused and failure.how == "exit status 1 (there are no numbers left)"
    told = [request.ended.refused for request in stage.told() if request.WhichOneof("request") == "ended"]
    assert told == [True] * MOST_REFUSALS + [False]


async def test_a_bot_is_given_up_after_three_starts_that_are_its_own_doing(stage: Stage) -> None:
    hopeless: list[StartFailure] = []
    stage.on_hopeless = hopeless.append
    async with asyncio.timeout(PATIENCE_S):
        for time in range(MOST_STARTS + 1):
            assert len(hopeless) == max(0, time + 1 - MOST_STARTS)
            starting = asyncio.ensure_future(stage.start([CY]))
            await until_started(stage, time + 1)
            stage.keeper.end(CY)
            await starting
    assert [(failure.process, failure.how) for failure in hopeless] == [(CY, "exit status 1")]


async def test_a_hello_in_between_begins_the_count_anew(stage: Stage) -> None:
    hopeless: list[StartFailure] = []
    stage.on_hopeless = hopeless.append
    async with asyncio.timeout(PATIENCE_S):
        for time in range(2 * MOST_STARTS):
            starting = asyncio.ensure_future(stage.start([CY]))
            await until_started(stage, time + 1)
            if time == MOST_STARTS - 1:
                stage.here.add(CY)
                await starting
                stage.here.clear()
            stage.keeper.end(CY)
            await starting
            while CY in stage._roster.bots:  # noqa: ASYNC110 - the same
                await asyncio.sleep(0)
    assert len(hopeless) == 1


async def test_a_late_hello_is_the_machine_s_where_the_core_worked_for_others(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is late once; then the bot is here."""
    monkeypatch.setattr("pips_tourney.arena.arena.REFUSED_S", 0)
    monkeypatch.setattr(StartClock, "is_over", lambda *_: len(stage.keeper.started) == 1)
    monkeypatch.setattr(StartClock, "is_starved", lambda *_: True)
    monkeypatch.setattr(StartClock, "kept_s", lambda *_: 33.0)
    starting = asyncio.ensure_future(stage.start([CY]))
    async with asyncio.timeout(PATIENCE_S):
        await until_started(stage, 2)
        stage.here.add(CY)
        assert await starting == []
    (late,) = [request.ended for request in stage.told() if request.WhichOneof("request") == "ended"]
    assert late.refused and "said no hello within" in late.how
    assert "its core was at work for others for 33.0 s meanwhile" in late.how
