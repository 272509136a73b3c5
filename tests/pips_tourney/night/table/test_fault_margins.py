"""What a match with a fault counts in margins."""

from __future__ import annotations

import io
import json
from pathlib import Path

from jsonschema import validate
from rich.console import Console

from pips_referee.game import get_game
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.plan.from_league import make_programme
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


def test_a_bot_at_fault_is_one_scale_behind() -> None:
    faults = '[[0, "crash", "boom"]]'
    assert scaled("serpent", "[60, 20]", faults) == (-1.0, 0.0)
    assert scaled("serpent", "[60, 20]", "[]") == (3.0, 1.0)


def faulty(folder: Path) -> Standings:
    """A verified night in which cy crashes whenever it begins."""
    folder.mkdir()
    with open_store(folder / "night.db") as store:
        programme = make_programme(read_league(write_league(folder, "ada", "cy", deals=DEALS)))
        night = begin(store, programme, SECRET)
        for fixture in night.fixtures():
            crash_at = 1 if fixture.seating[0] == "cy" else None
            store.add([row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0), crash_at))])
        of = standings(night)
        said = {"digest": night.digest(), "standings_sha256": standings_sha256(of)}
        store.append(ENDED, {"secret": SECRET.key.hex(), **said})
        assert not verify_night(store).problems
        return of


def shown(of: Standings) -> str:
    console = Console(file=(out := io.StringIO()), width=400)
    print_standings(of, console, full=True)
    return out.getvalue()


def test_what_a_fault_costs_is_in_the_details(tmp_path: Path) -> None:
    of = faulty(tmp_path / "night")
    assert "margins: a match with a fault counts as lost by 20 points" in shown(of)
    validate(as_json(of), json.loads(SCHEMA.read_text(encoding="utf-8")))
