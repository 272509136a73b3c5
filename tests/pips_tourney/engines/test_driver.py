"""Which cluster worker is given which matches: all are given, whichever workers go."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from pips_tourney.engines import EngineError
from pips_tourney.engines.dask.driver import AHEAD, _Driver
from pips_tourney.engines.dask.worker import end_bots
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import write_league

ONE, OTHER = "tls://1", "tls://2"


class Client:
    """A cluster of these workers; after the first batch some are `left`."""

    def __init__(self, workers: Sequence[str], left: Sequence[str] = ()) -> None:
        self.workers = dict.fromkeys(workers, 1)
        self.left = dict.fromkeys(left or workers, 1)
        self.ends = 0

    async def nthreads(self) -> dict[str, int]:
        return self.workers

    async def run(self, task: object, on_error: str) -> None:
        assert task is end_bots
        self.ends += 1


class Driver(_Driver):
    """A driver whose batches are played at once; some workers then go."""

    def begun(self) -> Driver:
        self.played: list[tuple[Fixture, str]] = []
        return self

    async def _play(self, fixtures: Sequence[Fixture], worker: str) -> None:
        self.client.workers = self.client.left
        for fixture in fixtures:
            assert isinstance(self.job.queue, MatchQueue)
            self.job.queue.played(fixture)
            self.job.queue.are_stored([fixture.match_id])
            self.played.append((fixture, worker))


class Taken:
    """A queue that never ends."""

    def take(self, arena: str) -> str:
        return f"a match of {arena}"


class Waiting(_Driver):
    """A driver whose batches go on for ever."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.batches: list[Sequence[Fixture]] = []
        self.workers: list[str] = []

    def _play(self, fixtures: Sequence[Fixture], worker: str) -> Any:
        self.batches.append(fixtures)
        self.workers.append(worker)
        return asyncio.Event().wait()


class Failing(_Driver):
    """A driver whose cluster is lost at the first batch."""

    async def _play(self, fixtures: Sequence[Fixture], worker: str) -> None:
        raise EngineError("the cluster was lost")


@pytest.fixture
def schedule(tmp_path: Path) -> list[Fixture]:
    return list(fixtures(make_programme(read_league(write_league(tmp_path, "ada", "bo", deals=20)))))


async def driven(client: Client, feed: MatchQueue) -> list[tuple[Fixture, str]]:
    job: Any = SimpleNamespace(queue=feed)
    team: Any = SimpleNamespace(tables=2, parcel_sha256="")
    driver = Driver(client, job, team, None).begun()
    await driver.drive()
    return driver.played


def in_shifts(schedule: list[Fixture], stored: set[str]) -> MatchQueue:
    """Return a queue in which nothing left is worth another worker's help."""
    return MatchQueue(iter(schedule), stored.intersection, Secret(bytes(32)), shift_s=30, clock=lambda: 0.0)


async def test_a_worker_that_has_nothing_to_do_ends_no_night(schedule: list[Fixture]) -> None:
    """Eight matches of a rotation are left; one worker is done earlier."""
    first = [fixture for fixture in schedule if not fixture.rotation]
    stored = {fixture.match_id for fixture in first[8:]}
    played = await driven(Client((ONE, OTHER)), in_shifts(schedule, stored))
    assert sorted(f.match_id for f, _ in played) == sorted({f.match_id for f in schedule} - stored)


async def test_the_next_rotation_begins_when_all_workers_have_ended_their_bots(schedule: list[Fixture]) -> None:
    client = Client((ONE, OTHER))
    played = await driven(client, in_shifts(schedule, set()))
    turns = [fixture.rotation for fixture, _ in played]
    assert turns == sorted(turns), "first all of one, then all of the other"
    assert client.ends == 2


async def test_what_is_left_of_a_worker_that_is_gone_others_play(schedule: list[Fixture]) -> None:
    played = await driven(Client((ONE, OTHER), (OTHER,)), in_shifts(schedule, set()))
    assert sorted(fixture.match_id for fixture, _ in played) == sorted(fixture.match_id for fixture in schedule)
    assert {worker for _, worker in played} == {ONE, OTHER}


async def test_each_worker_is_given_what_it_plays_in_three_seconds() -> None:
    """A worker plays a hundred matches a second; before that is known, two at once."""
    for seconds, expected in ((0.01, 100), (0.0, 2)):
        job: Any = SimpleNamespace(queue=Taken())
        team: Any = SimpleNamespace(tables=2, parcel_sha256="")
        driver = Waiting(Client(()), job, team, None)
        driver._seconds = seconds
        await given_out(driver, 20)
        assert {len(batch) for batch in driver.batches} == {expected}
        assert Counter(driver.workers) == Counter({str(number): AHEAD for number in range(20)})


async def given_out(driver: Waiting, workers: int) -> None:
    await driver._give_out([str(number) for number in range(workers)])
    for task in list(driver._under_way):
        task.cancel()
    await asyncio.gather(*driver._under_way, return_exceptions=True)


async def test_a_batch_that_is_over_at_once_ends_no_night(schedule: list[Fixture]) -> None:
    """Its end comes while others are still given out."""
    played = await driven(Client((ONE,)), MatchQueue(iter(schedule), set().intersection, Secret(bytes(32))))
    assert len(played) == len(schedule) > AHEAD * 2


async def test_a_cluster_that_is_lost_between_two_shifts_ends_the_night_in_a_sentence(schedule: list[Fixture]) -> None:
    client = Client((ONE,))
    client.run = Mock(side_effect=ConnectionResetError("gone"))  # type: ignore[method-assign]
    with pytest.raises(EngineError, match="the cluster was lost: gone"):
        await driven(client, in_shifts(schedule, set()))


async def test_a_batch_that_failed_ends_the_night(schedule: list[Fixture]) -> None:
    job: Any = SimpleNamespace(queue=in_shifts(schedule, set()))
    team: Any = SimpleNamespace(tables=2, parcel_sha256="")
    with pytest.raises(EngineError, match="the cluster was lost"):
        await Failing(Client((ONE, OTHER)), job, team, None).drive()
