"""Bots with the same files are one bot in truth; and why one is better than another."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from jsonschema import validate
from rich.console import Console

from pips_tourney.audit.checks import look
from pips_tourney.audit.evidence import Evidence, gather
from pips_tourney.bots.executable import REMOTE
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Entrant
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json, standings_sha256
from pips_tourney.night.table.tables import Standings
from pips_tourney.night.table.why import _field, why_better
from pips_tourney.ratings.table import Difference, Margins, Ratings
from pips_tourney.reports.exports import SCHEMA, grade_lines
from pips_tourney.reports.feedback import feedback
from pips_tourney.reports.feedback_pages import as_text
from pips_tourney.reports.tables import print_standings, to_csv
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x07" * 32)


def night(folder: Path, more: str = "") -> tuple[Standings, Evidence]:
    """Ada and bo are the same sample bot; cy has another environment."""
    league = write_league(folder, "ada", "bo", "cy", deals=12, more=more)
    text = league.read_text(encoding="utf-8")
    league.write_text(text.replace('"cy", ', '"cy", env = { OTHER = "1" }, '), encoding="utf-8")
    with open_store(folder / "night.db") as store:
        of = begin(store, make_programme(read_league(league)), SECRET)
        store.add(
            [row_of(play(each.header(SECRET), SECRET.rng_seed(each.match_id, 0), None)) for each in of.fixtures()]
        )
        found = standings(of)
        return found, gather(of, found)


def test_copies_share_a_place_and_say_so(tmp_path: Path) -> None:
    of, evidence = night(tmp_path)
    (table,), shown = of.tables, as_json(of)
    assert table.copies == (("ada", "bo"),)
    rows = {row["bot"]: row for row in shown["tables"][0]["rows"]}
    first, second = sorted(("ada", "bo"), key=[row.bot for row in table.rows].index)
    assert rows[first]["rank"] == rows[second]["rank"] != rows["cy"]["rank"]
    assert rows[second]["same_files_as"] == first
    assert "same_files_as" not in rows[first] and "same_files_as" not in rows["cy"]
    validate(shown, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert f",{first}\n" in to_csv(of, timings=False)
    [(contest, parted, p)] = evidence.copies
    assert contest == "serpent" and {parted.a, parted.b} == {"ada", "bo"} and 0 < p <= 1
    assert standings_sha256(of) == standings_sha256(replace(of, tables=(replace(table, copies=()),)))


@pytest.mark.parametrize("more", ["", 'rate = "points"\n'])
def test_bots_that_only_their_names_put_in_order_share_a_place(tmp_path: Path, more: str) -> None:
    of, _ = night(tmp_path, more)
    (table,) = of.tables
    first, second, third = (row.bot for row in table.rows)
    ratings, margins = cast(Ratings, table.ratings), cast(Margins, table.margins)
    best = ratings[first]
    rows = [replace(best, bot=second) if row.bot == second else row for row in ratings.rows]
    alike = [replace(each, margin=margins.rows[0].margin) if each.bot == second else each for each in margins.rows]
    table = replace(
        table, copies=(), ratings=replace(ratings, rows=tuple(rows)), margins=replace(margins, rows=tuple(alike))
    )
    of = replace(of, tables=(table,))
    places = {first: 1, second: 1, third: 3}
    assert {row["bot"]: row["rank"] for row in as_json(of)["tables"][0]["rows"]} == places
    assert {row["bot"]: int(row["rank"]) for row in csv.DictReader(io.StringIO(to_csv(of, timings=False)))} == places
    console = Console(file=io.StringIO(), width=200)
    print_standings(of, console, full=True)
    told = cast(io.StringIO, console.file).getvalue()
    assert len(re.findall(rf"1 +│? *{second}", told)) >= 2, "the table, and its tie-breaks"
    with read_store(tmp_path / "night.db") as store:
        found = last_night(store)
        assert {line["bot"]: line["rank"] for line in grade_lines(found, of)[1]} == places
        texts = {page.bot: as_text(page) for page in feedback(found, of)}
    assert all(f"Place {place} of 3" in texts[bot] for bot, place in places.items())
    assert "The next one above" not in texts[second] and "The next one above is" in texts[third]
    if not more:
        ahead = replace(best, direct=best.direct + 1)
        table = replace(table, ratings=replace(ratings, rows=(ahead, *rows[1:])))
        assert [table.place(at) for at in range(3)] == [1, 2, 3], "the direct encounter decides"


def test_bots_of_which_nothing_is_known_are_no_copies(tmp_path: Path) -> None:
    programme = make_programme(read_league(write_league(tmp_path, "ada", "bo")))
    for mark in (REMOTE, ""):
        entrants = tuple(Entrant(name, {"serpent": mark}) for name in ("bo", "cy"))
        assert replace(programme, entrants=entrants).copies("serpent") == ()
    entrants = (
        Entrant("bo", {"serpent": "2:1", "wichita": "2:1"}),
        Entrant("cy", {"serpent": "2:1", "wichita": "2:2"}),
    )
    both = replace(programme, entrants=entrants)
    assert both.copies("serpent") == (("bo", "cy"),) and both.copies("serpent", "wichita") == ()


def test_copies_are_known_whatever_their_files_are_called(tmp_path: Path) -> None:
    files = {
        "ada/ada.py": "1", "ada/README.md": "by Ada", "bo/bo.py": "1", "bo/test_bo.py": "2", "cy.py": "1",
        "dee/dee.py": "1", "dee/weights.json": "[]", "eve/eve.py": "1", "eve/data/w.json": "[]",
        "flo/bot.py": "1", "flo/bot.toml": 'command = ["python", "bot.py", "--deep"]', "gil/gil.py": "2",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / "class" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / name).write_text(text, encoding="utf-8")
    league = tmp_path / "class.toml"
    league.write_text('games = ["wichita", "serpent"]\nbots = ["class/*"]\n', encoding="utf-8")
    programme = make_programme(read_league(league))
    assert programme.all_copies == (("ada", "bo", "cy"), ("dee", "eve"))
    assert len({entrant.fingerprints["wichita"] for entrant in programme.entrants}) == len(programme.entrants)


@pytest.mark.parametrize(("p", "alarms"), [(1e-4, 1), (0.02, 0)])
def test_copies_that_intervals_tell_apart_are_an_alarm(p: float, alarms: int) -> None:
    apart = Difference("ada", "bo", 80.0, 30.0, 130.0, "", "", 0.9, 40)
    findings, tests = look(Evidence(copies=[("serpent", apart, p)]))
    assert tests["copies"] == 1 and len(findings) == alarms
    assert all(finding.trouble and "the same files" in finding.text for finding in findings)


@pytest.mark.parametrize("more", ["", 'rate = "points"\n'])
def test_a_chance_is_explained_in_two_sentences(tmp_path: Path, more: str) -> None:
    of, _ = night(tmp_path, more)
    (table,) = of.tables
    for place, row in enumerate(as_json(of)["tables"][0]["rows"][:-1]):
        why = why_better(table, place)
        assert why is not None and row["why"] == why
        assert len(re.findall(r"\.(?: |$)", why)) == 2
        assert f"Its {row['deals']} deals, 12 of them against each other, put {row['bot']}" in why
        assert ("points a match" in why) == bool(more)
        assert f"{row['better_than_next']:.0%}" in why or "changes nothing" in why
    assert why_better(table, len(table.rows) - 1) is None


def test_a_wide_field_makes_no_lead_less_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then only the pair itself is in doubt."""
    monkeypatch.setattr("pips_tourney.night.table.why._spread", lambda _: 50.0)
    ratings = cast(Ratings, None)
    unsure, sure = (Difference("ada", "bo", 80.0, 80.0 - half, 80.0 + half, "", "", 0.9, 40) for half in (51.0, 49.0))
    assert "some 50 Elo apart such leads are often luck: 91%" in _field(ratings, unsure, 0.97, 0.91)
    assert _field(ratings, sure, 0.97, 0.91).endswith("than their Elos say: 91%.")
    assert "seldom luck" in _field(ratings, sure, 0.91, 0.97)


def test_a_copy_is_not_the_next_one_above(tmp_path: Path) -> None:
    of, _ = night(tmp_path)
    (table,) = of.tables
    first, second, third = (row.bot for row in table.rows)
    of = replace(of, tables=(replace(table, copies=((first, second),)),))
    with read_store(tmp_path / "night.db") as store:
        pages = feedback(last_night(store), of)
        texts = {page.bot: " ".join(line for part in page.sections for line in part.lines) for page in pages}
    assert f"The next one above is {second}" in texts[third]
    assert "The next one above" not in texts[second]
