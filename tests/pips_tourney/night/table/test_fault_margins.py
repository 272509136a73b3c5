"""What a match with a fault counts in margins is the league's to say."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from jsonschema import validate
from rich.console import Console

from pips_referee.game import get_game
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin, changes
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import load_programme
from pips_tourney.night.plan.results import scaled
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json, standings_sha256
from pips_tourney.night.table.tables import Standings
from pips_tourney.reports.exports import SCHEMA
from pips_tourney.reports.tables import print_standings
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x01" * 32)
DEALS = 10
CAP_POINTS = get_game("serpent").margin.cap * get_game("serpent").margin.points


@pytest.mark.parametrize(
    ("said", "found"),
    [(1.0, (-1.0, 0.0)), (2.5, (-2.5, 0.0)), (0.0, (0.0, 0.0)), ("played", (3.0, 1.0)), ("unrated", None)],
)
def test_a_fault_counts_as_the_league_says(said: float | str, found: tuple[float, ...] | None) -> None:
    faults = '[[0, "crash", "boom"]]'
    assert scaled("serpent", "[60, 20]", faults, said) == found
    assert scaled("serpent", "[60, 20]", "[]", said) == (3.0, 1.0)


def faulty(folder: Path, more: str) -> tuple[Standings, list[str]]:
    """A verified night in which cy crashes whenever it begins, and its problems."""
    folder.mkdir()
    with open_store(folder / "night.db") as store:
        programme = make_programme(read_league(write_league(folder, "ada", "cy", deals=DEALS, more=more)))
        night = begin(store, programme, SECRET)
        for fixture in night.fixtures():
            crash_at = 1 if fixture.seating[0] == "cy" else None
            store.add([row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0), crash_at))])
        of = standings(night)
        said = {"digest": night.digest(), "standings_sha256": standings_sha256(of)}
        store.append(ENDED, {"secret": SECRET.key.hex(), **said})
        return of, [str(problem) for problem in verify_night(store).problems]


def shown(of: Standings) -> str:
    console = Console(file=(out := io.StringIO()), width=400)
    print_standings(of, console, full=True)
    return out.getvalue()


def test_every_policy_is_in_the_table_in_json_and_verified(tmp_path: Path) -> None:
    leads = {}
    for name, more, line in (
        ("usual", "", "counts as lost by 20 points"),
        ("dear", "fault_margin = 3", "counts as lost by 60 points"),
        ("capped", "fault_margin = 100", f"counts as lost by {CAP_POINTS:g} points"),
        ("played", 'fault_margin = "played"', "counts as it ended"),
        ("unrated", 'fault_margin = "unrated"', "does not count"),
        ("out", 'forfeits = "unrated"', "does not count"),
    ):
        of, problems = faulty(tmp_path / name, more)
        assert not problems
        assert f"margins: a match with a fault {line}" in shown(of)
        table = as_json(of)["tables"][0]
        validate(as_json(of), json.loads(SCHEMA.read_text(encoding="utf-8")))
        assert ("fault_margin" in table) == (name in ("dear", "capped", "played", "unrated"))
        (met,) = table["margins_head_to_head"]
        leads[name] = met["mean"] if met["a"] == "ada" else -met["mean"]
    # Half of the matches have a fault: each costs two scales of 20 points more.
    assert leads["dear"] - leads["usual"] == pytest.approx(20, abs=0.02)
    assert leads["unrated"] == leads["out"]
    assert len({leads[name] for name in ("usual", "dear", "played", "unrated")}) == 4


def test_a_margin_head_to_head_is_in_json_and_in_the_details(tmp_path: Path) -> None:
    of, _ = faulty(tmp_path / "night", "")
    (met,) = as_json(of)["tables"][0]["margins_head_to_head"]
    assert met["a"] == "ada" and met["deals"] == DEALS
    assert met["low"] < met["mean"] < met["high"]
    assert f"{met['mean']:+.1f} ({met['low']:+.1f} to {met['high']:+.1f})" in shown(of)
    assert f"{-met['mean']:+.1f} ({-met['high']:+.1f} to {-met['low']:+.1f})" in shown(of)
    assert "margins_head_to_head" not in as_json(of, brackets=False)["tables"][0]  # what logs have always hashed


def test_the_programme_is_the_old_one_where_nothing_is_said(tmp_path: Path) -> None:
    usual = make_programme(read_league(write_league(tmp_path, "ada", "bo")))
    dear = make_programme(read_league(write_league(tmp_path, "ada", "bo", more="fault_margin = 2")))
    assert dear.dump() == usual.dump() | {"fault_margin": 2.0}
    assert load_programme(dear.dump()) == dear
    assert changes(usual, dear) == ["fault_margin: 1.0, now 2.0"]


@pytest.mark.parametrize("value", ['"lots"', "-1", "true", "nan", "101"])
def test_another_value_is_refused_with_what_there_is(tmp_path: Path, value: str) -> None:
    with pytest.raises(LeagueError) as caught:
        read_league(write_league(tmp_path, "ada", "bo", more=f"fault_margin = {value}"))
    (mistake,) = caught.value.mistakes
    assert mistake.where == "fault_margin"
    assert 'should be "played", "unrated" or a number of scales from 0 to 100' in mistake.what
