"""A night with a final on screen.

The final is a table of its own, wherever tables are shown and looked up.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from starlette.testclient import TestClient

from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.reports.exports import gradebook
from pips_tourney.reports.tables import print_standings
from pips_tourney.web.live.updates import Watch
from pips_tourney.web.report import report
from pips_tourney.web.server import Showing, Site
from tests.pips_tourney.web.nights import final_night, play_round

FORMS = {
    "swiss": 'schedule = { name = "swiss", rounds = 2 }\nfinal = { name = "knockout", bots = 4, deals = 2 }',
    "gauntlet": 'schedule = { name = "gauntlet", hero = "ada" }\nfinal = "knockout"',
}
LABELS = ["serpent", "serpent, final"]


@pytest.fixture(params=FORMS)
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The file of a night in which nothing was played."""
    return final_night(tmp_path, FORMS[request.param])


@pytest.fixture
def played(path: Path) -> Path:
    """The same when it is complete."""
    with open_store(path) as store:
        while play_round(store):
            pass
    return path


def about(page: str) -> dict[str, Any]:
    [inside] = re.findall(r'id="about">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(inside)
    return found


def agrees(night: dict[str, Any]) -> None:
    """Every table shows what its own matches were."""
    assert [table["label"] for table in night["tables"]] == LABELS
    assert night["games"] == dict.fromkeys(LABELS, "serpent")
    for table in night["tables"]:
        met = {bot: sum(map(sum, of.values())) for bot, of in table["against"].items()}
        assert met == {row["bot"]: row["matches"] for row in table["rows"]}
        assert {bot: sum(count for _, count in seats) for bot, seats in table["seat_points"].items()} == met
        assert table["counted"] == table["scheduled"]


def test_it_is_reported(played: Path) -> None:
    shown = about(report(played, []))
    agrees(shown["night"])
    of = {row[1]: row[2] for row in shown["matches"]}
    assert list(dict.fromkeys(of.values())) == LABELS
    assert {of[match] for match in shown["replays"]} == set(LABELS)


def test_it_is_served(played: Path) -> None:
    with TestClient(Site(Showing(played)).app(), base_url="http://127.0.0.1:8080") as client:
        shown = about(client.get("/").text)
        agrees(shown["night"])
        rows = client.get("/api/matches").json()
        for label, count, scheduled in shown["progress"]["contests"]:
            assert count == scheduled == sum(row[2] == label for row in rows) > 0
        assert client.get(f"/api/match/{rows[-1][1]}").json()["game"] == "serpent"


def test_it_is_followed_round_by_round(path: Path) -> None:
    watch = Watch(path)
    with open_store(path) as store:
        while ahead := play_round(store):
            told = {name: json.loads(text) for name, text in watch.look(at_once=True)}
            assert {row[1]: row[2] for row in told["matches"]}.items() >= {
                each.match_id: each.part for each in ahead
            }.items()
            assert [table["label"] for table in told["night"]["tables"]] == LABELS
    agrees(json.loads(watch.night))
    watch.close()


def test_a_finals_table_is_in_the_order_of_its_bracket_everywhere(played: Path, tmp_path: Path) -> None:
    with read_store(played) as store:
        night = last_night(store)
        found = standings(night)
        final = found.tables[1]
        last = final.rounds[-1]
        [winner], [pair] = last.through, last.round.tables
        order = [row.bot for row in final.rows]
        assert final.winner == winner
        assert order[:2] == [winner, *(bot for bot in pair if bot != winner)]
        before = [bot for past in final.rounds[:-1] for table in past.round.tables for bot in table]
        assert {bot for bot in order if final.bracket_places[bot] == 3} <= set(before) - set(pair)
        shown = as_json(found)["tables"][1]["rows"]
        assert [row["bot"] for row in shown] == order
        assert [row["rank"] for row in shown] == [final.bracket_places[bot] for bot in order]
        ended = as_json(found, brackets=False)["tables"][1]["rows"]  # as the logs of ended nights have hashed it
        assert [row["bot"] for row in ended] == [row.bot for row in final.rated_rows]
        assert [row["rank"] for row in ended] == list(range(1, len(ended) + 1))
        graded = list(csv.DictReader(io.StringIO(gradebook(night, found))))
        assert {row["bot"]: row["rank"] for row in graded if row["table"] == "serpent, final" and row["rank"]} == {
            bot: str(final.bracket_places[bot]) for bot in order
        }
        console = Console(file=io.StringIO(), width=140)
        print_standings(found, console)
        assert f"{winner} has won it" in console.file.getvalue()  # type: ignore[attr-defined]
    inside = about(report(played, []))["night"]["tables"][1]
    assert [row["bot"] for row in inside["rows"]] == order
    assert len(inside["rounds"]) == len(final.rounds)


def test_before_a_bracket_is_decided_nobody_has_won(path: Path) -> None:
    with open_store(path) as store:
        final = None
        while final is None or not final.bracket_places:
            assert final is None or final.winner is None
            assert play_round(store)
            final = next((table for table in standings(last_night(store)).tables if table.label == LABELS[1]), None)
        assert final.winner is None
        assert sorted(final.bracket_places.values())[:2] == [1, 1]
