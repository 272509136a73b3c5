"""Nights older than the chain, the key and the beacon: they verify, show and go on.

An earlier version (commit ba8b97e) wrote the databases in `before`, with what it then
showed of them: two complete nights, and both half-played. In the round-robin one match
was annulled, another was replayed, and the machine spoilt one. The Swiss tournament has
three rounds.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.night.store import read_store
from pips_tourney.play import run as run_module
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.run import run_night
from tests.pips_tourney.in_process import InProcessEngine
from tests.pips_tourney.play.test_run import Watching

BEFORE = Path(__file__).parent / "before"
DIGESTS = {
    "robin": "f4f771d52400e7921e0e1f683d38cfa9b53f685202a3e1d04e64daa7f392bad0",
    "robin_half": "d2aaf36ceb589366bbedee15b6a1ef4c7af790dad14a75f92662edbc6d118fe9",
    "swiss": "f4b5dd7264756504b1829eba58f6d634fccf26a786a92b292948f0991589f234",
    "swiss_half": "180d9cf722875dff9becb5995b419867d5a0d859d3562238cb0be652ddb08bce",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The leagues, their bots and the databases."""
    shutil.copytree(BEFORE, tmp_path, dirs_exist_ok=True)
    for packed in BEFORE.glob("*.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    (tmp_path / "secret").write_text("5a" * 32, encoding="ascii")
    return tmp_path


def say(*words: str | Path) -> str:
    ended = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def written(name: str) -> str:
    return (BEFORE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DIGESTS)
def test_it_verifies_and_shows_as_it_did(folder: Path, name: str) -> None:
    database = folder / f"{name}.db"
    before = database.read_bytes()
    assert f"results verified; the night's digest is {DIGESTS[name]}" in say("verify", database)
    assert say("standings", database, "--json") == written(f"{name}.standings.json")
    assert database.read_bytes() == before


@pytest.mark.parametrize("name", DIGESTS)
def test_its_report_has_the_same_data(folder: Path, name: str) -> None:
    say("report", folder / f"{name}.db", "-o", folder / "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    found = re.search(r'id="about">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    assert_holds(json.loads(found[1]), json.loads(written(f"{name}.report.json")))


def assert_holds(now: Any, then: Any) -> None:
    """Everything in `then` is in `now` with the same value; `now` may have more."""
    if isinstance(then, dict):
        for name, value in then.items():
            assert_holds(now[name], value)
    elif isinstance(then, list) and then and isinstance(then[0], dict):
        assert len(now) == len(then)
        for new, old in zip(now, then, strict=True):
            assert_holds(new, old)
    elif isinstance(then, list) and then and isinstance(then[0], list):  # rows: columns are added at their end
        assert [new[: len(old)] for new, old in zip(now, then, strict=True)] == then
    else:
        assert now == then


@pytest.mark.parametrize("name", ["robin", "swiss"])
def test_a_half_played_one_goes_on_to_the_same_end(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = folder / f"{name}_half.db"
    with read_store(database) as store:
        assert (store.chain(), len(list(store.ids())) in (8, 9)) == (None, True)
    monkeypatch.setattr(run_module, "make_engine", lambda *_: InProcessEngine())
    ended = run_night(RunConfig(folder / f"{name}.toml", database, None, folder / "secret"), Watching())
    assert (ended.standings.complete, ended.digest) == (True, DIGESTS[name])
    assert say("standings", database, "--json") == written(f"{name}.standings.json")
    assert f"the night's digest is {DIGESTS[name]}" in say("verify", database)
    with read_store(database) as store:
        chain = store.chain()
        assert chain is not None and chain.problems == []
        assert store.head() == ended.head == chain.links[-1].head.hex()


@pytest.mark.parametrize("name", ["robin", "swiss"])
def test_a_complete_one_is_complete(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    idle = InProcessEngine()
    monkeypatch.setattr(run_module, "make_engine", lambda *_: idle)
    ended = run_night(RunConfig(folder / f"{name}.toml", folder / f"{name}.db"), Watching())
    assert (idle.played, ended.played_now, ended.digest) == ([], 0, DIGESTS[name])
    assert f"the night's digest is {DIGESTS[name]}" in say("verify", folder / f"{name}.db")
