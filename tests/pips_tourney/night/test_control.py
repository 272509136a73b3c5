"""Controls of deals that are played once: stored, shown, and verified."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from types import FrameType

import pytest

from pips_referee.game import REGISTRY, AnyGame, get_game
from pips_referee.record import read_record
from pips_sdk import own_modules
from pips_tourney.bots.samples import sample_file
from pips_tourney.league.read import read_league
from pips_tourney.night.control import (
    PLAYER,
    _policy,
    control_of,
    control_scores,
    player_sha256,
    sources,
    sources_sha256,
)
from pips_tourney.night.controls_checked import CheckedControls
from pips_tourney.night.night import BEGUN, last_night
from pips_tourney.night.programme import Contest, make_programme
from pips_tourney.night.standings import standings
from pips_tourney.night.standings_json import as_json
from pips_tourney.night.store import read_store
from pips_tourney.night.verify import verify_night
from pips_tourney.play import run as run_module
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.run import run_night
from pips_tourney.reports.controls import control_lines
from tests.pips_tourney.in_process import InProcessEngine, shuffled, write_league
from tests.pips_tourney.play.test_run import Watching

ONCE = "duplicate = false\n"
DEALS = 12


def league(folder: Path, more: str = ONCE) -> Path:
    path = write_league(folder, "ada", "bo", "cy", deals=DEALS)
    path.write_text(more + path.read_text(encoding="utf-8"), encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A complete night of three random bots, every deal played once."""
    file = league(tmp_path)
    monkeypatch.setattr(run_module, "make_engine", lambda *_: InProcessEngine(mix=shuffled))
    run_night(RunConfig(file, tmp_path / "night.db"), Watching())
    return tmp_path / "night.db"


def contest_of(file: Path) -> Contest:
    (contest,) = make_programme(read_league(file)).contests
    return contest


def problems(path: Path) -> list[str]:
    with read_store(path) as store:
        return [problem.what for problem in verify_night(store).problems]


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_every_match_has_the_control_of_its_deal(path: Path) -> None:
    with read_store(path) as store:
        rows = store.rows(list(store.ids()))
        assert len(rows) == 3 * DEALS
        played = {match: control_of(read_record(row.record).header) for match, row in rows.items()}
        assert store.controls(list(rows)) == played
        (table,) = standings(last_night(store)).tables
        (shown,) = as_json(standings(last_night(store)), timings=False)["tables"]
    (line,) = control_lines(table)
    assert line.endswith(f"{shown['control_width']:.2f} times as wide")
    assert problems(path) == []


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DELETE FROM controls WHERE rowid = 3", "its control is missing"),
        ("UPDATE controls SET scores = '[99, 0]' WHERE rowid = 3", "its control is not what the deal gives"),
        ("UPDATE controls SET scores = 'none' WHERE rowid = 3", "its control is missing"),
        ("UPDATE controls SET scores = '[\"9\", null]' WHERE rowid = 3", "its control is missing"),
        ("UPDATE controls SET scores = '[9, 0, 4]' WHERE rowid = 3", "its control is missing"),
        (f"UPDATE controls SET scores = '[{10**30}, 0]' WHERE rowid = 3", "its control is missing"),
        pytest.param(
            f"UPDATE controls SET scores = '{'[' * 100_000}' WHERE rowid = 3", "its control is missing", id="deep"
        ),
    ],
)
def test_a_control_that_was_changed_does_not_verify(path: Path, statement: str, what: str) -> None:
    change(path, statement)
    assert what in problems(path)
    with read_store(path) as store:
        assert standings(last_night(store)).tables, "its table is there all the same"


def test_a_control_hangs_on_the_room_too(tmp_path: Path) -> None:
    files = sources("wichita")
    (best,) = (file for file in files if file.name == "best.py")
    assert {"greedy_bot.py", "rules.py", "playouts.py", "wichita.py"} < {file.name for file in files}
    before = sources_sha256(files)
    assert sources_sha256(reversed(files)) == before == player_sha256("wichita")
    (tmp_path / "wichita").mkdir()
    changed = tmp_path / "wichita" / "best.py"
    others = [file for file in files if file != best]
    changed.write_bytes(best.read_bytes())
    assert sources_sha256([*others, changed]) == before
    changed.write_bytes(best.read_bytes() + b"\n")
    assert sources_sha256([*others, changed]) != before


@pytest.mark.parametrize("game", [get_game(name) for name in REGISTRY], ids=lambda game: game.name)
def test_all_that_runs_in_a_control_is_hashed_and_the_rest_is_not(game: AnyGame) -> None:
    hashed, ran = set(sources(game.name)), set[str]()  # all is imported by now

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.add(frame.f_code.co_filename)

    options, before = game.options(), sys.getprofile()
    _policy.cache_clear()
    sys.setprofile(note)
    try:
        control_scores(game, options, game.seats(options)[0], bytes(32))
    finally:
        sys.setprofile(before)
    ours = {Path(file) for file in ran if "/pips_" in file and Path(file).suffix == ".py"}
    ours -= {Path(own_modules.__file__)}  # watches imports once a test has played in this process
    assert ours <= hashed
    made_of = {
        "cards.py",
        "value.py",
        "view.py",
        f"{game.name}.py",
    }  # the last hands on what the player is written with
    assert {file.name for file in hashed - ours} <= made_of, "what ran is made of them"


def test_a_night_that_logged_the_bot_alone_is_of_another_version(path: Path) -> None:
    bot = sha256(sample_file("serpent", PLAYER).read_bytes()).hexdigest()
    with read_store(path) as store:
        logged = store.log(BEGUN)
        payload = logged[0].payload | {"controls": {"serpent": bot}}
        store.log = lambda *_: [logged[0]._replace(payload=payload)]  # type: ignore[method-assign]
        (note,) = CheckedControls(store, None).notes()
    assert "another version" in note


def test_controls_of_another_player_are_not_checked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.night.controls_checked.player_sha256", lambda game: "another")
    with read_store(path) as store:
        found = verify_night(store)
    assert not found.problems
    assert any("another version of Pips" in note for note in found.notes)


def test_only_deals_that_are_played_once_are_controlled(tmp_path: Path) -> None:
    assert contest_of(league(tmp_path)).form.control
    assert not contest_of(league(tmp_path, "")).form.control
    assert not contest_of(league(tmp_path, ONCE + "control = false\n")).form.control
    dominion = league(tmp_path)
    dominion.write_text(dominion.read_text(encoding="utf-8").replace("serpent", "dominion"), encoding="utf-8")
    assert not contest_of(dominion).form.control, "there the deal decides too little"
