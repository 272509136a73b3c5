"""The simulator itself: its nights are those that are played without it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pips_referee.records.record import Header, write_record
from pips_tourney.arena.arena import Arena
from pips_tourney.engines import Job, PlayedMatch
from pips_tourney.play import crew as crew_module
from pips_tourney.play.runner import run_night
from tests.lab.nights.bots import steady
from tests.lab.nights.faults import KINDS, Fault, Story, draw
from tests.lab.nights.leagues import LEAGUES
from tests.lab.nights.machine import CLOCK, POINTS, Machine
from tests.lab.nights.mutants import MUTANTS, changed
from tests.lab.nights.night import Silent, config_of, finished
from tests.lab.nights.story import Calm, Told, tell
from tests.lab.nights.virtual import Time
from tests.lab.nights.witness import Broken

pytestmark = pytest.mark.unmeasured  # the same lines again and again


class Direct:
    """Plays match after match without referee, network or clock."""

    async def play(self, job: Job) -> None:
        shift = 0
        while await job.queue.begin(shift):
            if (fixture := job.queue.take()) is None:
                shift += 1
                continue
            header = Header.read(job.order(fixture).header)
            match = header.new_match()
            while (seat := match.to_ask) is not None:
                match.answer(steady(match.state.view(seat)))
            job.results(fixture, PlayedMatch(write_record(header, match)))


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    return Calm(tmp_path_factory.mktemp("nights"))


def test_a_simulated_night_has_the_bytes_of_one_that_is_played_directly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calm: Calm
) -> None:
    simulated, kind = calm("league"), LEAGUES["league"]
    path, _ = kind.write(tmp_path)
    machine = Machine(Time(), Random(0), tmp_path)
    monkeypatch.setattr(crew_module, "make_engine", lambda *_: Direct())
    with config_of(kind, path, machine, 1) as config:
        run_night(config, Silent(machine))
    direct = finished(tmp_path)
    assert len(direct.records) == 18
    assert simulated.standings == direct.standings


@pytest.mark.parametrize("league", sorted(LEAGUES))
def test_a_night_is_the_same_whatever_the_luck_of_its_machine(league: str, tmp_path: Path, calm: Calm) -> None:
    if LEAGUES[league].is_place:
        pytest.skip("who plays depends on when it was handed in")
    other = Told(tmp_path / "other", Story(league, 2, ())).play()
    assert other.standings == calm(league).standings
    assert other.records.keys() == calm(league).records.keys()


async def nothing(_: object) -> None:
    """Leave all processes alive."""


@pytest.mark.parametrize("league", ["league", "settled", "cluster"])
def test_rotations_that_are_not_kept_apart_are_seen(
    league: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All nights here are looked at so."""
    monkeypatch.setattr(Arena, "end_bots", nothing)
    with pytest.raises(Broken, match="play one deal and live together"):
        Told(tmp_path / "night", Story(league, 1, ())).play()


def test_an_undisturbed_night_passes_every_point_of_the_seams(calm: Calm) -> None:
    assert calm.passed("league").keys() == {*POINTS, CLOCK}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_fault_happens_and_nothing_breaks(kind: str, tmp_path: Path, calm: Calm) -> None:
    point, number = (CLOCK, 800) if CLOCK in KINDS[kind].points else ("write", 60)
    story = Story(KINDS[kind].league or "league", 1, (Fault(0, point, number, kind, 0.2),))
    broken, told = tell(tmp_path / "night", story, calm)
    assert (broken, told.hit) == ("", {kind: 1})


def test_what_must_hold_holds_in_nights_of_faults(tmp_path: Path, calm: Calm) -> None:
    for seed in range(1, 6):
        story = draw(seed, calm.passed)
        broken, _ = tell(tmp_path / "night", story, calm)
        assert not broken, f"seed {seed}: {story}"


FOUND = {
    "a keeper was killed in the middle of an event: the run ended with an error": Story(
        "league", 1, (Fault(0, "ordered", 12, "keeper-dies", 0.0939),)
    ),
    "a guest was charged for the time for which its host stood still": Story(
        "hosted", 52, (Fault(0, "result", 11, "suspended", 0.0694),)
    ),
    "a bot was charged for the time for which its machine stood still while it slept": Story(
        "cluster", 95, (Fault(0, CLOCK, 550, "suspended", 0.3916), Fault(0, CLOCK, 560, "slow-network", 0.3966))
    ),
    "a bot whose machine stood still while it started was absent": Story(
        "settled", 938, (Fault(0, "command", 8, "suspended", 0.2653),)
    ),
    "a guest was charged for a standstill that followed on the loss of its stream": Story(
        "hosted", 767, (Fault(0, "answered", 772, "guest-cut", 0.7927), Fault(0, "answered", 772, "suspended", 0.9664))
    ),
    "a guest paid for the stream that it lost while its host stood still": Story(
        "hosted", 1, (Fault(0, "answered", 300, "suspended", 0.9),)
    ),
    "a guest's grace ran on while its host stood still": Story(
        "hosted",
        1007,
        (
            Fault(0, "called", 42, "guest-cut", 0.3328),
            Fault(0, "dialled", 7, "suspended", 0.853),
            Fault(0, "ordered", 8, "keeper-hangs", 0.558),
        ),
    ),
    "a database that could not be opened stayed open": Story("swiss", 41, (Fault(0, "write", 1, "read-only", 0.4326),)),
    "a lobby whose arena was lost waited for ever": Story("hosted", 329, (Fault(0, "ordered", 3, "keeper-dies", 0.5),)),
    "a place that was closed left its night running": Story("place", 6, ()),
    "a place did nothing more when its disk had failed once": Story(
        "place", 1, (Fault(0, "write", 112, "disk-full", 0.9999),)
    ),
    "a signal that came while an arena was closed left its keeper": Story(
        "place",
        110,
        (
            Fault(0, "dialled", 1, "keeper-dies", 0.1163),
            Fault(0, "dialled", 5, "power-fails", 0.1943),
            Fault(1, "result", 2, "keeper-hangs", 0.6888),
        ),
    ),
}
"""The mistakes that simulated nights have found, each with its shortest story."""

FALSE_ALARMS = {
    "what a bot heard in a void match was held against the next playing, in which it was absent": Story(
        "settled",
        3026,
        (
            Fault(0, "write", 68, "read-only", 0.2043),
            Fault(1, "write", 138, "read-only", 0.6765),
            Fault(2, CLOCK, 672, "hangs", 0.8328),
        ),
    ),
}
"""The mistakes of the simulator itself."""


@pytest.mark.parametrize("story", [*FOUND.values(), *FALSE_ALARMS.values()], ids=[*FOUND, *FALSE_ALARMS])
def test_a_mistake_that_was_found_is_gone(story: Story, tmp_path: Path, calm: Calm) -> None:
    broken, told = tell(tmp_path / "night", story, calm)
    assert not broken
    assert told.hit.total() == len(story.faults)


def test_a_story_is_drawn_from_its_seed_alone(calm: Calm) -> None:
    assert draw(7, calm.passed) == draw(7, calm.passed) != draw(8, calm.passed)


def test_a_story_is_told_the_same_twice_to_the_microsecond(tmp_path: Path, calm: Calm) -> None:
    faults = (Fault(0, "result", 5, "killed", 0.1), Fault(1, "event", 4, "keeper-dies", 0.7))
    told = [tell(tmp_path / "night", Story("league", 5, faults), calm)[1] for _ in range(2)]
    first, second = ((one.machine.now(), one.passed, one.hit, one.watcher.lines) for one in told)
    assert first == second


def test_a_story_is_told_in_words() -> None:
    story = Story("hosted", 5, (Fault(0, "sync", 3, "killed", 0.1), Fault(1, CLOCK, 250, "guest-cut", 0.7)))
    assert str(story).splitlines() == [
        "two guests on machines of their own, and a lobby (hosted)",
        "  run 1, at sync of a database 3: the runner is killed (0.1)",
        "  run 2, at 0.25 s: a guest's stream is cut (0.7)",
    ]


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_planted_mistake_is_in_one_place(name: str) -> None:
    compile(changed(MUTANTS[name]), name, "exec")


def test_every_area_has_planted_mistakes() -> None:
    areas = Counter(name.partition(":")[0] for name in MUTANTS)
    assert areas.keys() == {"session", "keeper", "ledger", "store", "queue", "schedule", "clock", "lobby"}
    assert min(areas.values()) >= 2
