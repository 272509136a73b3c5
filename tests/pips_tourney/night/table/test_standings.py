"""Standings and their reports: what is folded, and how it is shown."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import validate
from rich.console import Console

from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin, changes
from pips_tourney.night.log.kinds import BROKEN
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.night import Night
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Programme, load_programme
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.night.table.tables import Standings
from pips_tourney.ratings.margins import rate_margins
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.reports import details
from pips_tourney.reports.details import chance
from pips_tourney.reports.exports import SCHEMA
from pips_tourney.reports.tables import print_standings, to_csv, to_json, upset_lines
from pips_tourney.secret import Secret
from tests.lab.simulate.better import ADA_AND_BO, ROCK_PAPER_SCISSORS, circle
from tests.pips_tourney.in_process import play, write_league

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

SECRET = Secret(b"\x01" * 32)


def played(folder: Path, league: Path, *, crash_of: str = "", leave: int = 0) -> Standings:
    """The standings of a night in which one bot crashes whenever it is asked first."""
    with open_store(folder / "night.db") as store:
        night: Night = begin(store, make_programme(read_league(league)), SECRET)
        rows = []
        for fixture in fixtures(night.programme):
            crash_at = next((n for n in (1, 2) if crash_of in fixture.seating and fixture.seating[0] == crash_of), None)
            rows.append(row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0), crash_at)))
        store.add(rows[: len(rows) - leave])
        return standings(night)


@pytest.fixture
def night(tmp_path: Path) -> Standings:
    return played(tmp_path, write_league(tmp_path, "ada", "bo", "cy", deals=12), crash_of="cy")


def rows_of(of: Standings) -> dict[str, dict[str, Any]]:
    return {row["bot"]: row for row in as_json(of)["tables"][0]["rows"]}


def test_a_table_says_who_is_how_good_and_what_went_wrong(night: Standings) -> None:
    (table,) = as_json(night)["tables"]
    assert (table["label"], table["game"], table["seats"]) == ("serpent", "serpent", 2)
    assert table["scheduled"] == table["played"] == table["counted"] == 3 * 12 * 2
    rows = rows_of(night)
    assert [row["rank"] for row in table["rows"]] == [1, 1, 1]  # all are one sample bot
    assert table["rows"][-1]["bot"] == "cy"
    assert rows["cy"]["faults"] == {"crash": 24}
    assert rows["ada"]["faults"] == rows["bo"]["faults"] == {}
    assert rows["cy"]["points_by_seat"][0] == 0
    assert all(row["matches"] == 48 for row in rows.values())
    assert sum(row["points"] for row in rows.values()) == 72
    assert 0.5 < table["rows"][1]["better_than_next"] <= 1
    assert table["rows"][2]["better_than_next"] is None
    assert (
        table["rows"][0]["elo"] is None or table["rows"][0]["low"] < table["rows"][0]["elo"] < table["rows"][0]["high"]
    )


def test_json_is_the_same_bytes_every_time_and_has_timings_only_when_asked(night: Standings) -> None:
    text = to_json(night, timings=False)
    assert text == to_json(night, timings=False)
    assert json.loads(text) == as_json(night)
    assert "_ms" not in text
    timed = json.loads(to_json(night, timings=True))["tables"][0]["rows"][0]
    assert 0 < timed["median_ms"] <= timed["p99_ms"]


def test_csv_has_a_line_a_bot(night: Standings) -> None:
    lines = list(csv.DictReader(io.StringIO(to_csv(night, timings=False))))
    assert {line["bot"] for line in lines} == {"ada", "bo", "cy"}
    assert lines[-1]["faults"] == "crash:24"
    assert len(lines[0]["points_by_seat"].split()) == 2
    assert "median_ms" not in lines[0]
    assert "median_ms" in next(csv.DictReader(io.StringIO(to_csv(night, timings=True))))


def shown(of: Standings, *, full: bool = False, width: int = 150) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_standings(of, console, full=full)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_people_see_the_same(night: Standings) -> None:
    text = shown(night)
    assert "Test night: serpent" in text
    assert "72 matches" in text
    (cy,) = (line for line in text.splitlines() if "│ cy " in line)
    assert "24 crash" in cy
    assert "cy, crash, first in match " in text and ": exit status 3" in text
    assert "ms" in cy
    assert "none" in text


@pytest.mark.parametrize("league", ["week [/3]", "[red] week", ":moon: week", "[link=x]week"])
def test_the_name_of_a_league_is_no_markup(night: Standings, league: str) -> None:
    text = shown(replace(night, league=league), full=True)
    assert f"{league}: serpent" in text


def test_what_bots_said_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    with open_store(tmp_path / "night.db") as store:
        night = begin(store, make_programme(read_league(write_league(tmp_path, "ada", "bo"))), SECRET)
        rows = [row_of(play(fixture.header(SECRET), bytes(32), 1)) for fixture in night.fixtures()]
        faults = json.dumps([[0, "crash", "\x1b[2Jboom\nbo is the best"]])
        store.add([row._replace(faults=faults) for row in rows])
        store.append(BROKEN, {"bots": {"cy": "it cannot be installed:\npip said \x1b[31mno"}})
        of = standings(night)
    text = shown(of)
    assert ": \\x1b[2Jboom\\nbo is the best\n" in text
    assert "cy was left out: it cannot be installed:\npip said \\x1b[31mno\n" in text
    assert "\x1b" not in text
    assert json.loads(to_json(of, timings=False))["decisions"][0]["why"].endswith("\x1b[31mno")


def cells(text: str, title: str) -> list[list[str]]:
    """The lines of a grid."""
    lines = text[text.index(title) :].splitlines()[4:]
    end = next(at for at, line in enumerate(lines) if line.startswith("└"))
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines[:end]]


@pytest.mark.parametrize(
    ("width", "left_out"), [(150, ""), (100, "No room for: p99"), (80, "No room for: p99 | median | by seat")]
)
def test_a_narrow_terminal_goes_without_what_matters_least(night: Standings, width: int, left_out: str) -> None:
    text = shown(night, width=width)
    assert left_out in text and ("No room" in text) == (width < 150)
    assert "…" not in text and max(map(len, text.splitlines())) <= width
    for line in cells(text, "Test night: serpent"):
        assert line[1] in ("ada", "bo", "cy") and any(cell.endswith("%") for cell in line[5:])


def test_the_short_table_says_that_there_is_more(night: Standings) -> None:
    assert shown(night).splitlines()[-1].endswith("pips-tourney standings --full")
    assert "probability" not in shown(night)
    assert "--full" not in shown(night, full=True)


def test_in_full_people_see_what_the_json_has(night: Standings) -> None:
    text = shown(night, full=True)
    (table,) = as_json(night)["tables"]
    bots = [row["bot"] for row in table["rows"]]
    better = {(pair["a"], pair["b"]): pair["better"] for pair in table["differences"]}
    better |= {(b, a): 1 - share for (a, b), share in better.items()}
    matrix = cells(text, "serpent: probability that the row's bot is better")
    assert matrix == [
        [str(place), a, *("-" if a == b else chance(better[a, b]) for b in bots)] for place, a in enumerate(bots, 1)
    ]
    assert cells(text, "serpent: the chance to be the strongest") == [
        [str(row["rank"]), row["bot"], chance(row["first"])] for row in table["rows"]
    ]
    assert cells(text, "serpent: tie-breaks") == [
        [
            str(row["rank"]),
            row["bot"],
            line.text,
            *(f"{row[mark]:.2f}" for mark in ("direct", "points")),
        ]
        for row, line in zip(table["rows"], night.tables[0].rows, strict=True)
    ]
    assert cells(text, "serpent: what a seat is worth") == [
        [
            "2", str(seat["seat"]), f"{seat['points']:.1%}", f"{seat['elo']:+.0f}",
            f"{seat['low']:+.0f} to {seat['high']:+.0f}",
        ]
        for seat in table["seat_advantage"]
    ]  # fmt: skip
    assert f"draws: {table['draw'] / (2 + table['draw']):.1%} between equals" in text
    assert f"share of the variance of results: {table['deal_share']:.1%}" in text


def test_head_to_head_is_in_all_forms(night: Standings) -> None:
    (table,) = as_json(night)["tables"]
    bots = [row["bot"] for row in table["rows"]]
    score = {(met["a"], met["b"]): met["score"] for met in table["head_to_head"]}
    assert list(score) == [(a, b) for at, a in enumerate(bots) for b in bots[at + 1 :]]
    assert {met["matches"] for met in table["head_to_head"]} == {24}
    score |= {(b, a): 1 - share for (a, b), share in score.items()}
    assert cells(shown(night, full=True), "serpent: head to head") == [
        [str(place), a, *("-" if a == b else f"{100 * score[a, b]:.1f}" for b in bots)]
        for place, a in enumerate(bots, 1)
    ]
    for line, row in zip(csv.DictReader(io.StringIO(to_csv(night, timings=False))), table["rows"], strict=True):
        assert [int(line["place_from"]), int(line["place_to"])] == row["ranks"]


def test_a_table_that_an_own_result_contradicts_says_so(night: Standings) -> None:
    ratings = rate(circle(ADA_AND_BO, 100, np.random.default_rng(3)))
    rated = frozenset(row.bot for row in ratings.rows)
    text = shown(replace(night, tables=(replace(night.tables[0], ratings=ratings, rated=rated),)))
    met = next(met for met in ratings.meetings if {met.a, met.b} == {"bot0", "bot1"})
    line = f"bot1 stands above bot0, but against each other bot0 has {1 - met.score:.1%} of 200 matches"
    assert text.count("stands above") == 1 and line in text
    assert "1 to 2" not in text.split("bot0")[0]


def test_a_circle_is_told_in_a_line_and_in_full(night: Standings) -> None:
    ratings = rate(circle(ROCK_PAPER_SCISSORS, 300, np.random.default_rng(3)))
    rated = frozenset(row.bot for row in ratings.rows)
    of = replace(night, tables=(replace(night.tables[0], ratings=ratings, rated=rated),))
    validate(as_json(of), json.loads(SCHEMA.read_text(encoding="utf-8")))
    found = as_json(of)["tables"][0]["circles"]
    assert found["circle"] == ["bot0", "bot1", "bot2"]
    line = "bot0 beats bot1, bot1 beats bot2, bot2 beats bot0: no order of these three is the whole story"
    assert line in shown(of)
    text = shown(of, full=True)
    assert "luck alone makes them with a chance of 0.00" in text
    assert "beats" not in shown(night)


def test_margins_stand_beside_elos_in_all_forms(night: Standings) -> None:
    (table,) = as_json(night)["tables"]
    margins = {row["bot"]: row["margin"] for row in table["rows"]}
    assert sum(margin["mean"] for margin in margins.values()) == pytest.approx(0, abs=0.05)
    assert all(margin["low"] < margin["mean"] < margin["high"] for margin in margins.values())
    short = next(line for line in shown(night, width=180).splitlines() if "│ cy " in line)
    assert f"{margins['cy']['mean']:+.1f}" in short
    order = sorted(margins, key=lambda bot: -margins[bot]["mean"])
    full = cells(shown(night, full=True), "serpent: margins")
    assert [line[:4] for line in full] == [
        [str(place), bot, f"{won['mean']:+.1f}", f"{won['low']:+.1f} to {won['high']:+.1f}"]
        for place, (bot, won) in enumerate(((bot, margins[bot]) for bot in order), 1)
    ]
    assert full[-1][4] == "" and full[0][4].endswith("%")
    for line in csv.DictReader(io.StringIO(to_csv(night, timings=False))):
        assert float(line["margin"]) == margins[line["bot"]]["mean"]
        assert float(line["margin_low"]) == margins[line["bot"]]["low"]


def test_a_fault_is_one_scale_of_the_margin(tmp_path: Path) -> None:
    """Cy crashes in half of its matches.

    They are lost by 20 points each, whatever the score was.
    """
    (folder := tmp_path / "one").mkdir()
    with open_store(folder / "night.db") as store:
        night = begin(store, make_programme(read_league(write_league(folder, "ada", "cy", deals=10))), SECRET)
        rows = [row_of(play(fixture.header(SECRET), bytes(32), None)) for fixture in night.fixtures()]
        at_fault = [json.dumps([[json.loads(row.seats).index("cy"), "crash", "boom"]]) for row in rows]
        store.add([row._replace(faults=faults) for row, faults in zip(rows, at_fault, strict=True)])
        of = standings(night)
    assert of.tables[0].margin("ada") == (10.0, 6.61, 13.39)
    assert of.tables[0].margin("nobody") is None


def test_who_wins_by_more_and_who_wins_oftener_is_told(night: Standings) -> None:
    rng = np.random.default_rng(1)
    results = []
    for deal in range(60):
        for turn in (0, 1):
            often = rng.random() < 0.7  # bo wins rarely, and then by much
            scores = (1.0, 0.0) if often else (0.0, 9.0)
            places = (1, 2) if often else (2, 1)
            bots = ("ada", "bo")
            results.append(Result(str(deal), bots[::-1], places[::-1], scores[::-1]) if turn else
                           Result(str(deal), bots, places, scores))  # fmt: skip
    table = replace(night.tables[0], ratings=rate(results), margins=rate_margins(results, 10.0))
    assert "bo wins by more, ada wins oftener" in shown(replace(night, tables=(table,)))
    assert "wins oftener" not in shown(night)


def test_a_league_may_be_decided_by_points(night: Standings) -> None:
    """Bo wins rarely and by much: by margin it is first, by Elo last."""
    results = []
    for deal in range(120):
        scores, places = ((1.0, 0.0), (1, 2)) if deal % 3 else ((0.0, 9.0), (2, 1))
        results.append(Result(str(deal), ("ada", "bo"), places, scores))
        results.append(Result(str(deal), ("bo", "ada"), places[::-1], scores[::-1]))
    table = replace(night.tables[0], ratings=rate(results), margins=rate_margins(results, 10.0))
    points = replace(table, rate="points")
    assert [row.bot for row in table.rows] == ["ada", "bo"]
    assert [row.bot for row in points.rows] == ["bo", "ada"]
    assert points.margins is not None
    assert points.better_chance(0) == points.margins.better["bo"]["ada"] > 0.9
    assert points.better_chance(1) is None
    of = replace(night, tables=(points,))
    assert "Test night: serpent, in the order of margins" in shown(of)
    assert "bo wins by more, ada wins oftener" in shown(of)
    assert "order of margins" not in shown(night)
    shape = json.loads(SCHEMA.read_text(encoding="utf-8"))
    validate(as_json(of), shape)
    assert as_json(of)["tables"][0]["ordered_by"] == "points"
    assert "ordered_by" not in as_json(night)["tables"][0]
    lines = list(csv.DictReader(io.StringIO(to_csv(of, timings=False))))
    assert [(line["bot"], line["ordered_by"]) for line in lines] == [("bo", "points"), ("ada", "points")]
    few = replace(points, ratings=rate(results[:8]), margins=rate_margins(results[:8], 10.0))
    assert few.better_chance(0) is None


def test_the_league_file_says_what_decides(tmp_path: Path) -> None:
    def programme(more: str) -> Programme:
        return make_programme(read_league(write_league(tmp_path, "ada", "bo", more=more)))

    by_results, by_points = programme(""), programme('rate = "points"\n')
    assert by_points.dump() == by_results.dump() | {"rate": "points"}
    assert load_programme(by_points.dump()) == by_points
    assert changes(by_results, by_points) == ["rate: results, now points"]
    with open_store(tmp_path / "night.db") as store:
        night = begin(store, by_points, SECRET)
        store.add([row_of(play(fixture.header(SECRET), bytes(32))) for fixture in night.fixtures()])
        (table,) = standings(night).tables
    assert table.margins is not None
    assert [row.bot for row in table.rows] == [row.bot for row in table.margins.rows]


def test_many_contradictions_are_told_in_a_few_lines() -> None:
    chance = np.full((9, 9), 0.5)
    for a in range(9):
        for step in range(1, 5):
            chance[a, (a + step) % 9], chance[(a + step) % 9, a] = 0.65, 0.35
    ratings = rate(circle(chance, 100, np.random.default_rng(3)))
    lines = upset_lines(ratings, [row.bot for row in ratings.rows])
    assert len(lines) == 6
    assert lines[-1].startswith("so it is with ") and "more pairs" in lines[-1]
    turned = upset_lines(ratings, [row.bot for row in reversed(ratings.rows)])
    assert not {line.split(",")[0] for line in lines[:-1]} & {line.split(",")[0] for line in turned}


def test_of_a_seat_people_see_that_it_has_no_number_or_too_few_deals(night: Standings) -> None:
    def seats(*won: tuple[int, int]) -> list[list[str]]:
        turns = (("ada", "bo"), ("bo", "ada"))
        results = [Result(str(n // 2), turns[n % 2], places) for n, places in enumerate(won)]
        of = replace(night, tables=(replace(night.tables[0], ratings=rate(results)),))
        validate(as_json(of), json.loads(SCHEMA.read_text(encoding="utf-8")))
        return [line[2:] for line in cells(shown(of, full=True), "serpent: what a seat is worth")]

    assert seats(*[(1, 2)] * 200) == [["100.0%", "?", ""], ["0.0%", "?", ""]]
    assert seats(*[(1, 2), (1, 2), (2, 1), (2, 1)] * 3) == [["50.0%", "+0", "too few deals"]] * 2


def test_a_chance_is_never_rounded_to_a_certainty() -> None:
    assert [chance(share) for share in (None, 0.0, 0.5, 1.0)] == ["", "< 0.1 %", "50.0 %", "> 99.9 %"]


def test_a_wide_matrix_goes_on_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(details, "ABREAST", 2)
    text = shown(played(tmp_path, write_league(tmp_path, "ada", "bo", "cy", deals=1)), full=True)
    assert text.count("probability that the row's bot") == 2
    few = cells(text, "serpent: probability")
    assert [row[2:] for row in few] == [["-", ""], ["", "-"], ["", ""]]


def test_in_full_before_anything_counts(tmp_path: Path) -> None:
    of = played(tmp_path, write_league(tmp_path, "ada", "bo", deals=1), leave=2)
    assert "probability" not in shown(of, full=True)
    assert "--full" not in shown(of)


def test_a_night_that_goes_on_says_what_does_not_count_yet(tmp_path: Path) -> None:
    of = played(tmp_path, write_league(tmp_path, "ada", "bo", deals=6), leave=3)
    assert not of.complete
    table = of.tables[0]
    assert (table.scheduled, table.played, table.counted) == (12, 9, 8)
    text = shown(of)
    assert "8 of 12 matches counted" in text
    assert "1 more were played and count when their deals are complete" in text
    assert "too few deals" in text


def test_house_bots_are_not_in_the_table(tmp_path: Path) -> None:
    of = played(tmp_path, write_league(tmp_path, "ada", deals=12, more='fill = "random"'))
    assert set(rows_of(of)) == {"ada"}
    assert as_json(of)["tables"][0]["differences"] == []


def test_the_anchor_stands_where_it_was_put(tmp_path: Path) -> None:
    of = played(tmp_path, write_league(tmp_path, "ada", "bo", deals=12, more='anchor = { name = "bo", elo = 1000 }'))
    assert rows_of(of)["bo"]["elo"] == 1000


def test_several_contests_have_a_table_each_and_one_over_all(tmp_path: Path) -> None:
    path = write_league(tmp_path, "ada", "bo", deals=12)
    two = 'games = ["serpent", { name = "serpent", label = "short", options = { max_tiebreaks = 0 } }]'
    path.write_text(path.read_text(encoding="utf-8").replace('game = "serpent"', two), encoding="utf-8")
    of = played(tmp_path, path)
    assert [table.label for table in of.all_tables] == ["serpent", "short", "overall"]
    long, short, overall = as_json(of)["tables"]
    assert overall["counted"] == long["counted"] + short["counted"] == 48
    assert {row["bot"]: row["points"] for row in overall["rows"]} == {
        row["bot"]: row["points"] + next(r["points"] for r in short["rows"] if r["bot"] == row["bot"])
        for row in long["rows"]
    }
    assert not {"game", "draw", "seat_advantage", "deal_share"} & set(overall)
    assert (overall["games"], overall["missing"]) == (["serpent", "short"], {})
    for row in overall["rows"]:
        parts = [next(r for r in table["rows"] if r["bot"] == row["bot"]) for table in (long, short)]
        assert row["elo"] == pytest.approx(sum(part["elo"] for part in parts) / 2, abs=0.01)
        assert row["points_by_seat"] == []
    assert overall["differences"][0]["low"] is not None
    text = shown(of, full=True)
    assert text.count("24 matches") == 2
    assert "the mean of the Elo in serpent, short, each with the same weight" in text
    assert "overall: probability that the row's bot" in text
    assert "overall: what a seat is worth" not in text


def test_who_does_not_play_all_games_has_no_overall_rating(tmp_path: Path) -> None:
    path = write_league(tmp_path, "ada", "bo", "cy", deals=12)
    text = path.read_text(encoding="utf-8").replace('game = "serpent"', 'games = ["serpent", "wichita"]')
    path.write_text(text.replace('name = "cy"', 'name = "cy", games = ["serpent"]'), encoding="utf-8")
    of = played(tmp_path, path)
    overall = as_json(of)["tables"][-1]
    rows = {row["bot"]: row for row in overall["rows"]}
    assert overall["rows"][-1]["bot"] == "cy"
    assert (rows["cy"]["elo"], rows["cy"]["note"]) == (None, "not in every game")
    assert rows["ada"]["elo"] is not None
    assert overall["missing"] == {"cy": ["wichita"]}
    assert "cy has no overall rating: it has none in wichita" in shown(of)


def test_a_game_in_which_nothing_counts_yet_has_no_part_in_the_overall_rating(tmp_path: Path) -> None:
    path = write_league(tmp_path, "ada", "bo", deals=12)
    path.write_text(
        path.read_text(encoding="utf-8").replace('game = "serpent"', 'games = ["serpent", "wichita"]'), encoding="utf-8"
    )
    overall = as_json(played(tmp_path, path, leave=24))["tables"][-1]
    assert overall["games"] == ["serpent"]
    assert (overall["counted"], overall["scheduled"]) == (24, 48)
    assert all(row["elo"] is not None for row in overall["rows"])
    (tmp_path / "night.db").unlink()
    assert as_json(played(tmp_path, path, leave=48))["tables"][-1]["rows"] == []


def test_the_game_that_leaves_the_overall_rating_without_an_interval_is_named(tmp_path: Path) -> None:
    path = write_league(tmp_path, "ada", "bo", deals=12)
    two = 'games = ["serpent", { name = "serpent", label = "short", deals = 4, options = { max_tiebreaks = 0 } }]'
    path.write_text(path.read_text(encoding="utf-8").replace('game = "serpent"', two), encoding="utf-8")
    of = played(tmp_path, path)
    wanted = "short has too few deals yet for an interval of any bot here: it takes 6 more deals of each"
    assert wanted in shown(of)
    assert {row["note"] for row in as_json(of)["tables"][-1]["rows"]} == {"too few deals"}
