"""Engines' reports of a match beside its record; the arena keeps nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from pips.v1 import referee_pb2
from pips_referee.match import FaultKind
from pips_referee.records.record import Header, write_record
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import VoidMatch
from pips_tourney.engines import Job, PlayedMatch
from pips_tourney.engines.dask import worker
from pips_tourney.engines.dask.driver import _Driver
from pips_tourney.engines.dask.parcel import Parcel, pack
from pips_tourney.engines.dask.worker import Team, end_arena
from pips_tourney.engines.local import LocalEngine
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import Tier
from pips_tourney.secret import Secret
from tests.pips_tourney.arena.test_alone import no_program
from tests.pips_tourney.in_process import write_league

SECRET = Secret(bytes(32))
ARENAS: list[Stage] = []


class Stage(Arena):
    """An arena whose first match is void.

    In the others seat 1 is late and has used 7 us out of turn. The record of the second
    match says what it printed.
    """

    async def __aenter__(self) -> Self:
        ARENAS.append(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.why_lost = "the arena was closed"

    async def _play(self, order: referee_pb2.MatchOrder) -> bytes:
        self.played += 1
        if self.played == 1:
            raise VoidMatch("the machine sneezed")
        self._exchange._out_of_turn_us[order.header.match_id] = [0, 7]  # the referee's report
        header = Header.read(order.header)
        match = header.new_match()
        match.fault(1, FaultKind.TIMEOUT, "late", evidence="a clock" if self.played == 2 else "")
        return write_record(header, match)

    async def output(self, process: str) -> str:
        return f"{process} says goodbye"


class Told:
    """A job that notes what it learns of its matches."""

    def __init__(self, folder: Path) -> None:
        schedule = fixtures(make_programme(read_league(write_league(folder, "ada", "bo"))))
        self.matches = sorted(schedule, key=lambda fixture: SECRET.play_order(fixture.match_id))
        self.voids: list[str] = []
        self.records: list[str] = []
        self.outputs: dict[str, dict[str, str]] = {}
        self.burnt_us: dict[str, dict[str, int]] = {}
        queue = MatchQueue(iter(self.matches), lambda _: set(), SECRET)
        self.job = Job(queue, lambda fixture: fixture.order(SECRET, {}), self.hear, ())

    def hear(self, fixture: Fixture, played: PlayedMatch) -> None:
        if not played.record:
            self.voids.append(fixture.match_id)
            return
        self.records.append(fixture.match_id)
        self.burnt_us[fixture.match_id] = dict(played.out_of_turn_us)
        if played.output:
            self.outputs[fixture.match_id] = dict(played.output)

    def assert_all_of_it(self) -> None:
        first, second, *others = self.matches
        assert self.voids == [first.match_id]
        assert sorted(self.records) == sorted(match.match_id for match in (second, *others))
        assert self.burnt_us == {
            match.match_id: dict(zip(match.seating, (0, 7), strict=True)) for match in (second, *others)
        }
        assert self.outputs == {
            match.match_id: {match.seating[1]: f"{match.processes[1]} says goodbye"} for match in others
        }
        assert [arena._exchange._out_of_turn_us for arena in ARENAS] == [{}]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    ARENAS.clear()
    return Told(tmp_path)


class Local(LocalEngine):
    def new_arena(self, number: int) -> Arena:
        return Stage(0, self.program_of, self.startup_s)


async def test_on_this_machine(told: Told) -> None:
    await Local(1, 1, 1.0, no_program).play(told.job)
    told.assert_all_of_it()


class Driver(_Driver):
    """A driver whose worker is this process."""

    async def _submit(self, task: Callable[..., Any], what: Any, worker: str) -> Any:
        return task(self.team, self.parcel, what)


@pytest.fixture
def as_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Team, Parcel]]:
    """Let a worker's tasks run here; yields its team and its parcel."""
    monkeypatch.setattr(worker, "Arena", Stage)
    monkeypatch.setattr(worker, "get_worker", lambda: SimpleNamespace(local_directory=tmp_path, name="here"))
    monkeypatch.setattr(worker, "secede", lambda: None)
    parcel, programs = pack({})
    yield Team(version("pips-tourney"), parcel.sha256, programs, 1.0, 1, False, Tier.NONE, Limits()), parcel
    end_arena()


async def test_on_a_worker(told: Told, as_worker: tuple[Team, Parcel]) -> None:
    await Driver(None, told.job, *as_worker)._play(told.matches, "here")
    told.assert_all_of_it()
