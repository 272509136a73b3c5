"""Adaptive nights of method 2: they verify, show and go on by the rounds of their time.

An earlier version (commit 010d2a6) wrote the databases: one complete, one half-played.
The league says `rate = "points"`. At that time deals went to neighbours by results all
the same, every pair was planned alone, and combinations weighed unequally in margins.
"""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from pips_tourney.night.adaptive_rounds import ROUND
from pips_tourney.night.store import read_store
from pips_tourney.play import run as run_module
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.run import run_night
from tests.pips_tourney.in_process import InProcessEngine
from tests.pips_tourney.night.test_before import BEFORE, say
from tests.pips_tourney.play.test_run import Watching

NIGHTS = BEFORE / "adaptive"
DIGEST = "cf97f73a81730de947c3d0f82967283a469af8da251b04d109e5c47837db2675"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The league, its bots and the databases."""
    shutil.copytree(BEFORE, tmp_path, dirs_exist_ok=True)
    shutil.copy(NIGHTS / "adaptive.toml", tmp_path)
    for packed in NIGHTS.glob("*.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    (tmp_path / "secret").write_text("5a" * 32, encoding="ascii")
    return tmp_path


def written(name: str) -> str:
    return (NIGHTS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["adaptive", "adaptive_half"])
def test_it_shows_as_it_did(folder: Path, name: str) -> None:
    assert say("standings", folder / f"{name}.db", "--json") == written(f"{name}.standings.json")


def test_its_plans_follow_from_the_rounds_of_its_time(folder: Path) -> None:
    assert f"the night's digest is {DIGEST}" in say("verify", folder / "adaptive.db")


def test_a_half_played_one_goes_on_to_the_same_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = folder / "adaptive_half.db"
    monkeypatch.setattr(run_module, "make_engine", lambda *_: InProcessEngine())
    ended = run_night(RunConfig(folder / "adaptive.toml", database, None, folder / "secret"), Watching())
    assert (ended.standings.complete, ended.digest) == (True, DIGEST)
    assert say("standings", database, "--json") == written("adaptive.standings.json")
    assert f"the night's digest is {DIGEST}" in say("verify", database)
    with read_store(folder / "adaptive.db") as whole, read_store(database) as pieces:
        assert [entry.payload for entry in whole.log(ROUND)] == [entry.payload for entry in pieces.log(ROUND)]
