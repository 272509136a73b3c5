"""Databases that cannot be written, read or trusted: a sentence, no lost result."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, finish, wait_for_results
from tests.needs import need
from tests.patience import PATIENCE_S

RUN = f"{sys.executable} -m pips_tourney run night.toml --secret-file secret --json --arenas 1"


def in_a_machine(desk: Desk, *mounts: str, script: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in the desk's folder, on a machine with other mounts."""
    need("bwrap")
    bwrap = ["bwrap", "--dev-bind", "/", "/", *mounts, "--chdir", str(desk.folder)]
    return subprocess.run(
        [*bwrap, "sh", "-c", script], env={**os.environ, "TMPDIR": str(desk.folder)}, capture_output=True, text=True,
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def test_a_full_disk_ends_the_night_and_loses_nothing(desk: Desk) -> None:
    desk.league("ada=random", "bo=greedy", deals=20, more='sandbox = "none"')
    whole, _ = finish(desk.play("--db", "whole.db"))
    full = str(desk.folder / "full")
    Path(full).mkdir()
    script = f"{RUN} --db full/night.db; code=$?; cp full/night.db* .; exit $code"
    ended = in_a_machine(desk, "--size", "180000", "--tmpfs", full, script=script)
    assert ended.returncode == 2, ended.stderr
    assert "full/night.db: database or disk is full; what was stored is kept: make room" in ended.stderr
    stored = desk.results()
    assert 0 < stored < 40
    pieces, err = finish(desk.play())
    assert f"{40 - stored} of 40 matches to play" in err
    assert pieces == whole
    desk.tell("verify", "night.db")


@pytest.mark.parametrize("how", ["removed", "renamed"])
def test_a_database_that_goes_away_ends_the_night(desk: Desk, how: str) -> None:
    desk.league("ada=random", "bo=greedy", deals=20, more='sandbox = "none"')
    night, database = desk.play(), desk.folder / "night.db"
    wait_for_results(desk, 0)
    if how == "removed":
        database.unlink()
    else:
        database.rename(desk.folder / "kept.db")
    out, err = finish(night, 2)
    assert "night.db was removed or renamed while the night was played" in err
    assert "Played" not in out + err and not database.exists()
    if how == "renamed":
        with closing(sqlite3.connect(desk.folder / "kept.db")) as connection:
            assert connection.execute("SELECT count(*) FROM results").fetchone()[0] > 0


def test_a_database_that_cannot_be_written_is_said_to_be_so(desk: Desk) -> None:
    desk.league("ada=random", "bo=greedy", deals=1, more='sandbox = "none"')
    finish(desk.play())
    database = str(desk.folder / "night.db")
    ended = in_a_machine(desk, "--ro-bind", database, database, script=RUN)
    assert ended.returncode == 2
    assert "night.db: Read-only file system" in ended.stderr
    assert desk.results() == 2
