"""Which cluster worker is given which matches: all are given, whichever workers go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pips_tourney.engines.dask.driver import _Driver
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league import read_league
from pips_tourney.night.programme import Fixture, fixtures, make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import write_league

ONE, OTHER = "tls://1", "tls://2"


class Client:
    """A cluster of these workers; after the first batch some are `left`."""

    def __init__(self, workers: Sequence[str], left: Sequence[str] = ()) -> None:
        self.workers = dict.fromkeys(workers, 1)
        self.left = dict.fromkeys(left or workers, 1)

    async def nthreads(self) -> dict[str, int]:
        return self.workers


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
            self.played.append((fixture, worker))


@pytest.fixture
def schedule(tmp_path: Path) -> list[Fixture]:
    return list(fixtures(make_programme(read_league(write_league(tmp_path, "ada", "bo", deals=20)))))


async def driven(client: Client, feed: MatchQueue) -> list[tuple[Fixture, str]]:
    job: Any = SimpleNamespace(queue=feed)
    team: Any = SimpleNamespace(tables=2, parcel_sha256="")
    driver = Driver(client, job, team, None).begun()
    await driver.drive()
    return driver.played


def apart(schedule: list[Fixture], stored: set[str]) -> MatchQueue:
    """Return a queue in which nothing left is worth another worker's help."""
    return MatchQueue(iter(schedule), stored.intersection, Secret(bytes(32)), apart=True, clock=lambda: 0.0)


async def test_a_worker_that_has_nothing_to_do_ends_no_night(schedule: list[Fixture]) -> None:
    """Eight matches of a rotation are left; one worker is done earlier."""
    first = [fixture for fixture in schedule if not fixture.rotation]
    stored = {fixture.match_id for fixture in first[8:]}
    played = await driven(Client((ONE, OTHER)), apart(schedule, stored))
    assert sorted(f.match_id for f, _ in played) == sorted({f.match_id for f in schedule} - stored)


async def test_what_is_left_of_a_worker_that_is_gone_others_play(schedule: list[Fixture]) -> None:
    played = await driven(Client((ONE, OTHER), (OTHER,)), apart(schedule, set()))
    assert sorted(fixture.match_id for fixture, _ in played) == sorted(fixture.match_id for fixture in schedule)
    assert {worker for _, worker in played} == {ONE, OTHER}
