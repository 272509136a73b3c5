"""Arenas that are begun before their league is read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pips_tourney.arena import ahead
from pips_tourney.arena.ahead import ArenasAhead, arenas_ahead
from pips_tourney.arena.cores import allowed_cores
from pips_tourney.bots.tuning import STARTUP_MS
from pips_tourney.engines.local import LocalEngine
from tests.e2e.desk import Desk, wait_until
from tests.unmeasured import unmeasured

USUAL_S = STARTUP_MS / 1000
CORE = allowed_cores()[0]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Where the arenas' folders are, so that what is left of them is found."""
    desk = Desk()
    monkeypatch.setenv("TMPDIR", str(desk.folder))
    monkeypatch.setattr("tempfile.tempdir", str(desk.folder))
    yield desk
    desk.clear()


def league(desk: Desk, text: str = "") -> Path:
    file = desk.folder / "night.toml"
    file.write_text(text, encoding="utf-8")
    return file


def left(desk: Desk) -> list[psutil.Process]:
    return [
        process
        for process in desk.named("pips_tourney.arena.keeper") + desk.named("pips_referee.serve")
        if process.is_running()
    ]


def test_what_nobody_takes_is_ended(desk: Desk) -> None:
    with arenas_ahead(league(desk), 1):
        wait_until(lambda: bool(desk.named("pips_referee.serve")), "the referee does not start")
        assert list(desk.folder.glob("pips-*"))
    assert not left(desk)
    assert not list(desk.folder.glob("pips-*"))


def test_what_is_ended_before_it_has_begun_leaves_nothing(desk: Desk) -> None:
    with arenas_ahead(league(desk), None):
        pass
    assert not left(desk)
    assert not list(desk.folder.glob("pips-*"))


async def test_an_arena_goes_on_with_what_was_begun(desk: Desk) -> None:
    with arenas_ahead(league(desk), 1) as begun:
        engine = LocalEngine(1, 1, USUAL_S, lambda _: pytest.fail("no bot starts"), ahead=begun)
        arena = engine.new_arena(0)
        assert arena.ahead is not None
        async with arena:
            assert arena.organiser.address.startswith(f"unix:{arena.ahead.folder}")
            assert await arena.listed() == []
            assert len(desk.named("pips_tourney.arena.keeper")) == len(desk.named("pips_referee.serve")) == 1
        assert engine.new_arena(0).ahead is None, "there was one alone"
    assert not left(desk)


@pytest.mark.parametrize(
    ("text", "arenas", "startup_s"),
    [
        ("", None, [USUAL_S] * len(allowed_cores())),
        ("", 1, [USUAL_S]),
        ("arenas = 1\nstartup_ms = 2500", None, [2.5]),
        ('engine = "dask"', None, []),
        ("arenas = -1", None, []),
        ('arenas = "two"', None, []),
        ("startup_ms = [1]", 1, []),
        ("this is no = [TOML", 1, []),
    ],
)
def test_how_many_are_begun(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, text: str, arenas: int | None, startup_s: list[float]
) -> None:
    """A file that is wrong is told of by who reads it."""
    begun: list[float] = []

    def begin_all(arenas: ArenasAhead, count: int, startup_s: float) -> None:
        begun.extend([startup_s] * min(count, len(allowed_cores())))

    monkeypatch.setattr(ArenasAhead, "begin", begin_all)
    with arenas_ahead(league(desk, text), arenas):
        assert begun == startup_s


def test_no_file_begins_nothing(desk: Desk) -> None:
    with arenas_ahead(desk.folder / "nowhere.toml", 1) as begun:
        assert begun.take(CORE, USUAL_S) is None


def test_a_league_that_comes_through_a_pipe_is_not_read_twice(desk: Desk) -> None:
    pipe = desk.folder / "pipe.toml"
    os.mkfifo(pipe)
    with arenas_ahead(pipe, 1) as begun:
        assert begun.take(CORE, USUAL_S) is None


def test_one_for_other_starts_is_not_taken(desk: Desk) -> None:
    with arenas_ahead(league(desk, "startup_ms = 2500"), 1) as begun:
        assert begun.take(CORE, USUAL_S) is None
        taken = begun.take(CORE, 2.5)
        assert taken is not None
        taken.end()
        taken.keeper.wait()


def test_a_machine_that_refuses_a_keeper_is_asked_again_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(ahead, "start_keeper", refuse)
    with arenas_ahead(league(desk), 1) as begun:
        assert begun.take(CORE, USUAL_S) is None
    assert not list(desk.folder.glob("pips-*"))


@pytest.mark.parametrize("after", ["", "the referee"])
def test_a_killed_runner_leaves_nothing(desk: Desk, after: str) -> None:
    file = league(desk)
    code = (
        f"from pathlib import Path; from pips_tourney.arena.ahead import arenas_ahead\n"
        f"with arenas_ahead(Path({str(file)!r}), None):\n    print('begun', flush=True)\n    input()"
    )
    runner = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"begun\n"
        if after:
            wait_until(lambda: bool(desk.named("pips_referee.serve")), "the referee does not start")
        runner.kill()
    wait_until(lambda: not left(desk) and not list(desk.folder.glob("pips-*")), "something is left")


def test_little_is_loaded_before_they_begin() -> None:
    script = "import sys, pips_tourney.arena.ahead; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    loaded = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, check=True).stdout.split()
    assert not {"asyncio", "grpc", "google.protobuf", "numpy", "pydantic", "sqlite3"} & set(loaded)
