"""A worker's arena: one at a time, whichever task needs it and whenever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Self

import pytest

from pips_tourney.arena.arena import Arena
from pips_tourney.engines.dask import worker
from pips_tourney.engines.dask.parcel import pack
from pips_tourney.engines.dask.worker import Crew, Team
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import Tier
from tests.patience import PATIENCE_S

LOG: list[str] = []


class Slow(Arena):
    """Lets others run while it begins and while it ends."""

    async def __aenter__(self) -> Self:
        LOG.append("begins")
        await asyncio.sleep(0)
        LOG.append("is there")
        return self

    async def __aexit__(self, *_: object) -> None:
        LOG.append("ends")
        await asyncio.sleep(0)
        LOG.append("is gone")


BEGUN, ENDED = ["begins", "is there"], ["ends", "is gone"]


@pytest.fixture
def crew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crew]:
    LOG.clear()
    monkeypatch.setattr(worker, "Arena", Slow)
    monkeypatch.setattr(worker, "get_worker", lambda: SimpleNamespace(local_directory=tmp_path))
    parcel, programs = pack({})
    team = Team(version("pips-tourney"), parcel.sha256, programs, 1.0, 1, False, Tier.NONE, Limits())
    crew = Crew(team, parcel)
    yield crew
    crew.end()
    assert LOG[-2:] == ENDED


async def both(crew: Crew) -> None:
    """Have two tasks need the arena at once."""
    assert len(set(await asyncio.gather(crew._open(), crew._open()))) == 1


async def lost(crew: Crew) -> None:
    (await crew._open()).why_lost = "the referee ended"
    await both(crew)


async def closed(crew: Crew) -> None:
    await asyncio.gather(crew._open(), crew._close())


async def lost_in_a_shift(crew: Crew) -> None:
    (await crew._open()).why_lost = "the referee ended"
    await crew.end_bots()
    assert LOG == BEGUN + ENDED
    await crew._open()


def test_two_tasks_have_one_arena(crew: Crew) -> None:
    crew.begin(both(crew)).result(PATIENCE_S)
    assert LOG == BEGUN


def test_two_tasks_replace_a_lost_one_by_one(crew: Crew) -> None:
    crew.begin(lost(crew)).result(PATIENCE_S)
    assert LOG == BEGUN + ENDED + BEGUN


def test_one_that_just_begins_is_ended_too(crew: Crew) -> None:
    crew.begin(closed(crew)).result(PATIENCE_S)
    assert LOG == BEGUN + ENDED


def test_no_bot_of_a_lost_one_outlives_its_shift(crew: Crew) -> None:
    crew.begin(lost_in_a_shift(crew)).result(PATIENCE_S)
    assert LOG == BEGUN + ENDED + BEGUN
