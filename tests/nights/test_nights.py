"""The simulator itself: its nights are those that are played without it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pips_referee.record import Header, write_record
from pips_tourney.engines import Job
from pips_tourney.play import run as run_module
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.ledger import Ledger
from tests.nights.faults import KINDS, Fault, draw
from tests.nights.machine import steady
from tests.nights.night import Finished, Silent, finished, undisturbed, write_league
from tests.nights.story import shortened, tell


class Direct:
    """Plays match after match without referee, network or clock."""

    async def play(self, job: Job) -> None:
        while (fixture := job.queue.take()) is not None:
            header = Header.read(job.order(fixture).header)
            match = header.new_match()
            while (seat := match.to_ask) is not None:
                match.answer(steady(match.state.view(seat)))
            job.results.record(fixture, write_record(header, match))


def test_a_simulated_night_has_the_bytes_of_one_that_is_played_directly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated = undisturbed(tmp_path / "simulated")
    folder = tmp_path / "direct"
    folder.mkdir()
    monkeypatch.setattr(run_module, "make_engine", lambda *_: Direct())
    run_module.run_night(RunConfig(write_league(folder), folder / "night.db", 1, folder / "secret"), Silent())
    direct = finished(folder)
    assert len(direct.records) == 18
    assert simulated.standings == direct.standings


def test_a_night_is_the_same_whatever_the_luck_of_its_machine(tmp_path: Path) -> None:
    assert undisturbed(tmp_path / "one", seed=1).standings == undisturbed(tmp_path / "two", seed=2, arenas=1).standings


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return undisturbed(tmp_path_factory.mktemp("nights") / "calm")


@pytest.mark.parametrize("seed", [3, 102, 103, 133])
def test_what_must_hold_holds_in_nights_of_faults(seed: int, tmp_path: Path, calm: Finished) -> None:
    broken, _ = tell(tmp_path / "night", seed, draw(seed), calm)
    assert not broken, [str(fault) for fault in draw(seed)]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_fault_happens_and_nothing_breaks(kind: str, tmp_path: Path, calm: Finished) -> None:
    broken, hit = tell(tmp_path / "night", 1, [Fault(0, 0.8, kind, 0.2)], calm)
    assert (broken, hit) == ("", {kind: 1})


def test_a_story_is_drawn_from_its_seed_alone() -> None:
    assert draw(7) == draw(7) != draw(8)


async def _tells_first(self: Ledger) -> None:
    """A mistaken ledger: it tells of results before it stores them."""
    while not self._closed.is_set():
        await self._something.wait()
        self._something.clear()
        rows, self._rows = self._rows, []
        self._progress.stored(rows)
        await asyncio.sleep(0.2)
        self._store.add(rows)
        self._queue.are_stored(row.id for row in rows)


def test_a_ledger_that_tells_before_it_stores_is_found_and_its_story_shortened(
    tmp_path: Path, calm: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = draw(3)
    monkeypatch.setattr(Ledger, "keep", _tells_first)
    broken, _ = tell(tmp_path / "night", 3, story, calm)
    assert "acknowledged results are lost" in broken
    short = shortened(tmp_path / "night", 3, story, calm)
    assert 1 == len(short) < len(story)
