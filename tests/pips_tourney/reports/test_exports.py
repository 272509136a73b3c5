"""A night for other programs: what they read is what was played."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pips_tourney.cli.tourney import main
from pips_tourney.league.collected import Participant, participant
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.handed_in import HandedIn, handed_in, note_handed_in
from pips_tourney.night.log.kinds import HANDED_IN
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.night import Night, last_night
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.tables import Standings
from pips_tourney.play.absence import note_broken
from pips_tourney.reports.exports import SCHEMA, NightColumn, gradebook, pgn
from pips_tourney.reports.tables import to_json
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

SECRET = Secret(b"\x01" * 32)
STORES = ExitStack()
LEAGUE = """
name = 'The "quoted" night'
games = [%(games)s]
deals = { count = 12 }
%(more)s
bots = [%(bots)s]
"""


@pytest.fixture(autouse=True)
def closed_stores() -> Iterator[None]:
    with STORES:
        yield


def league(folder: Path, games: str, more: str = "") -> Path:
    bots = ", ".join(f'{{ name = "{bot}", sample = "random" }}' for bot in ("ada", "bo", "random"))
    path = folder / "night.toml"
    path.write_text(LEAGUE % {"games": games, "bots": bots, "more": more}, encoding="utf-8")
    return path


def played(path: Path, *, leave: int = 0) -> tuple[Night, Standings]:
    """A night in which `bo` crashes whenever it plays first."""
    with open_store(path.with_suffix(".db")) as store:
        night = begin(store, make_programme(read_league(path)), SECRET)
        rows = []
        for fixture in fixtures(night.programme):
            crash_at = 1 if fixture.seating[0] == "bo" else None
            record = play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0), crash_at)
            rows.append(row_of(record))
        store.add(rows[: len(rows) - leave])
        of = standings(night)
    return last_night(STORES.enter_context(read_store(path.with_suffix(".db")))), of


def as_ordo_reads(text: str) -> list[tuple[str, str, str]]:
    """Read line by line. A game is whole once White, Black and Result were seen."""
    games, found = [], {}
    for line in text.splitlines():
        for tag in ("White", "Black", "Result"):
            if f'[{tag} "' in line:
                found[tag] = line.split(f'[{tag} "')[1].split('"]')[0]
        if len(found) == 3:
            games.append((found["White"], found["Black"], found["Result"]))
            found = {}
    return games


def as_bayeselo_reads(text: str) -> list[tuple[str, str, str]]:
    """Read token by token: tags, then what ends the game."""
    tokens = re.findall(r'\[\w+ "(?:[^"\\]|\\.)*"\]|1-0|0-1|1/2-1/2|\S+', text)
    games, tags = [], {}
    for token in tokens:
        if token.startswith("["):
            name, value = token[1:-2].split(' "', 1)
            tags[name] = value
        else:
            assert token == tags["Result"]
            games.append((tags["White"], tags["Black"], tags["Result"]))
            tags = {}
    assert not tags
    return games


def test_two_seats_are_games_of_white_and_black(tmp_path: Path) -> None:
    night, of = played(league(tmp_path, '"serpent"'), leave=1)
    text = "".join(pgn(night, of))
    games = as_ordo_reads(text)
    assert games == as_bayeselo_reads(text)
    assert len(games) == of.tables[0].counted == 70
    points = dict.fromkeys(["ada", "bo", "random"], 0.0)
    for white, black, result in games:
        points[white] += {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[result]
        points[black] += {"1-0": 0.0, "0-1": 1.0, "1/2-1/2": 0.5}[result]
    assert points == {row.bot: row.points for row in of.tables[0].rows}
    assert text.startswith('[Event "The \\"quoted\\" night: serpent"]\n[Site ')


def as_pgn_says(game: str) -> dict[str, str]:
    """The tags of a game, by the grammar of the PGN standard."""
    tags = re.findall(r'^\[(\w+) "((?:[^"\\\n]|\\["\\])*)"\]$', game, re.MULTILINE)
    assert len(tags) == game.count("\n[") + 1
    return {name: re.sub(r"\\(.)", r"\1", value) for name, value in tags}


def test_a_game_says_which_deal_it_was(tmp_path: Path) -> None:
    night, of = played(league(tmp_path, '"serpent"'))
    fixtures = night.seatings()
    for game in "".join(pgn(night, of)).strip().split("\n\n")[::2]:
        tags = as_pgn_says(game)
        fixture = fixtures[tags["Match"]]
        assert (tags["Deal"], tags["Rotation"]) == (fixture.deal.name, str(fixture.rotation))
        assert (tags["Contest"], tags["Seats"].split(",")) == ("serpent", list(fixture.seating))


def test_any_name_of_a_league_makes_games_that_readers_take(tmp_path: Path) -> None:
    night, of = played(league(tmp_path, '{ name = "serpent", deals = 1 }'))

    @settings(max_examples=60, deadline=None)
    @given(st.text(max_size=12))
    @example("A \\C")
    @example("A\nB")
    @example('"]')
    def check(name: str) -> None:
        games = "".join(pgn(night, replace(of, league=name)))
        assert len(as_ordo_reads(games)) == len(as_bayeselo_reads(games)) == of.tables[0].counted
        tags = as_pgn_says(games.split("\n\n")[0])
        assert tags["Event"].endswith(": serpent") and tags["Event"].isprintable()

    check()


def test_larger_tables_are_a_game_of_every_pair(tmp_path: Path) -> None:
    night, of = played(league(tmp_path, '{ name = "wichita", seats = 3, deals = 2 }'))
    text = "".join(pgn(night, of))
    assert len(as_ordo_reads(text)) == 3 * of.tables[0].counted == 3 * 2 * 3
    assert "wichita, pairs of a table of 3" in text


def test_a_gradebook_has_a_line_for_everybody(tmp_path: Path) -> None:
    night, of = played(
        league(tmp_path, '"serpent", { name = "serpent", label = "short", options = { max_tiebreaks = 0 } }')
    )
    lines = list(csv.DictReader(io.StringIO(gradebook(night, of))))
    assert [(line["bot"], line["table"]) for line in lines] == [
        (bot, table) for table in ("serpent", "short") for bot in ("ada", "bo", "random")
    ]
    ada, bo, random = lines[:3]
    assert bo["faults"] == "24" and bo["fault_kinds"] == "crash:24" and ada["faults"] == "0"
    assert random["points_percent_against_random"] == ""
    rows = [
        row for row in night.store.results(of.tables[0].ids).values() if set(json.loads(row.seats)) == {"bo", "random"}
    ]
    won = sum(
        places[seats.index("bo")] < places[seats.index("random")]
        for seats, places in ((json.loads(row.seats), json.loads(row.places)) for row in rows)
    )
    assert float(bo["points_percent_against_random"]) == pytest.approx(100 * won / 24, abs=0.01)
    assert 0 <= float(bo["better_than_random"]) < 0.5
    assert "points_percent_against_ada" in gradebook(night, of, ["ada"]).splitlines()[0]


@pytest.mark.parametrize(
    ("place", "whose"),
    [
        ("submissions/Jürgen Müller_1234567_assignsubmission_file_", Participant("Jürgen Müller", "1234567")),
        ("submissions/Jürgen Müller_1234567_assignsubmission_file_/bot", Participant("Jürgen Müller", "1234567")),
        ("submissions/muellerjuergen_12345_67890_bot.py", Participant("muellerjuergen", "12345")),
        ("submissions/muellerjuergen_LATE_12345_67890_bot.py", Participant("muellerjuergen", "12345")),
        ("submissions/ada", None),
        ("", None),
    ],
)
def test_whose_submission_it_is_is_read_from_the_course_systems_folders(place: str, whose: Participant | None) -> None:
    assert participant(place) == whose


def test_a_gradebook_can_be_joined_with_the_class_list(tmp_path: Path) -> None:
    night, _ = played(league(tmp_path, '"serpent"'))
    place = "submissions/Ada Lovelace_77_assignsubmission_file_"
    handed = HandedIn({"ada": place, "late": "=HYPERLINK(1)"}, frozenset({"bo"}))
    with open_store(tmp_path / "night.db") as store:
        note_handed_in(store, handed)
        note_handed_in(store, handed)  # no news
        assert len(store.log(HANDED_IN)) == 1
        note_broken(last_night(store), {"late": "=1+1 is no bot"})
    with read_store(tmp_path / "night.db") as store:
        kept = handed_in(store)
    assert kept == handed
    ada, _, random, late = csv.DictReader(io.StringIO(gradebook(night, standings(night), handed=kept)))
    assert (ada["submission"], ada["participant"], ada["participant_number"]) == (place, "Ada Lovelace", "77")
    assert "points_percent_against_bo" in ada
    assert "points_percent_against_random" not in ada  # it is called like a sample bot, and is a student's
    assert random["submission"] == ""
    assert late["submission"] == "'=HYPERLINK(1)"  # no spreadsheet takes it for a formula


def test_a_gradebook_of_a_season_has_columns_of_every_night(tmp_path: Path) -> None:
    night, of = played(league(tmp_path, '"serpent"'))
    names = {"ada": "ada", "random": "random", "bo": "bo (version 1, until night 1)"}
    nights = [NightColumn(1, names, of), NightColumn(2, {bot: bot for bot in names}, of)]
    lines = {line["bot"]: line for line in csv.DictReader(io.StringIO(gradebook(night, of, nights=nights)))}
    for line in lines.values():
        assert line["points_percent_night_1"] == line["points_percent_night_2"] == line["points_percent"]
        assert line["rank_night_1"] == line["rank"]


def test_a_gradebook_of_a_season_has_a_line_for_what_was_left_out_of_its_last_night(tmp_path: Path) -> None:
    """A season's standings have no decisions; the submission must not be missing."""
    night, of = played(league(tmp_path, '"serpent"'))
    with open_store(tmp_path / "night.db") as store:
        note_broken(last_night(store), {"vera": "submissions/vera.zip is an archive"})
    with read_store(tmp_path / "night.db") as store:
        last = standings(last_night(store))
    whole = replace(of, decisions=())
    nights = [NightColumn(number, {bot: bot for bot in ("ada", "random", "bo")}, last) for number in (1, 2)]
    lines = {line["bot"]: line for line in csv.DictReader(io.StringIO(gradebook(night, whole, nights=nights)))}
    assert "vera.zip is an archive" in lines["vera"]["status"]


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(league(tmp_path, '"serpent"'), leave=70)
    monkeypatch.chdir(tmp_path)
    for place, why in (
        ("/dev/full", "No space left on device"),
        ("gone/x", "there is no folder gone"),
        ("night.toml/x", "there is no folder night.toml"),
        ("x" * 300, "File name too long"),
    ):
        ended = CliRunner().invoke(main, ["export", "--as", "csv", "night.db", "-o", place])
        assert isinstance(ended.exception, SystemExit) and ended.exit_code == 2
        assert ended.stderr == f"Error: {place} cannot be written: {why}; name another file with -o\n"


def test_where_a_file_is_to_be_is_looked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["export", "no.db", "--as", "csv"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").write_text("<!doctype html>\nas it was", encoding="utf-8")
    assert "there is no folder gone" in CliRunner().invoke(main, [*words, "-o", "gone/x"]).stderr
    assert "no.db" in CliRunner().invoke(main, [*words, "-o", "kept"]).stderr
    assert "as it was" in (tmp_path / "kept").read_text(encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    assert "kept cannot be written: Permission denied" in CliRunner().invoke(main, [*words, "-o", "kept"]).stderr


def test_who_was_left_out_has_a_line_for_every_game_too(tmp_path: Path) -> None:
    night, _ = played(league(tmp_path, '"serpent", { name = "serpent", label = "short" }'), leave=140)
    with open_store(tmp_path / "night.db") as store:
        note_broken(last_night(store), {"empty": "submissions/empty: which file?", "bo": "it was mended and added"})
    lines = list(csv.DictReader(io.StringIO(gradebook(night, standings(night)))))
    left_out = [(line["table"], line["status"], line["points"]) for line in lines if line["bot"] == "empty"]
    assert left_out == [(table, "left out: submissions/empty: which file?", "") for table in ("serpent", "short")]
    assert len(lines) == 2 * (3 + 1)


@pytest.mark.parametrize("games", ['"serpent"', '"serpent", { name = "wichita", seats = 3, deals = 10 }'])
@pytest.mark.parametrize("timings", [False, True])
def test_the_schema_says_what_the_json_holds(tmp_path: Path, games: str, timings: bool) -> None:
    _, of = played(league(tmp_path, games))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(to_json(of, timings=timings)), schema)
    broken = json.loads(to_json(of, timings=timings)) | {"more": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = league(tmp_path, '"serpent"')
    played(path)
    monkeypatch.chdir(tmp_path)

    def export(*words: str, status: int = 0) -> str:
        ended = CliRunner().invoke(main, ["export", *words])
        assert ended.exit_code == status, ended.output
        return ended.output

    assert json.loads(export("--as", "json"))["complete"]
    assert export("night.db", "--as", "csv").startswith("table,rank,bot,")
    assert export("--as", "schema") == SCHEMA.read_text(encoding="utf-8")
    assert export("--as", "gradebook", "--baseline", "ada").startswith("\ufeffbot,submission,participant,")
    assert "no bot zoe" in export("--as", "gradebook", "--baseline", "zoe", status=2)
    assert export("--as", "csv", "-o", "-") == export("--as", "csv")
    export("--as", "pgn", "-o", "night.pgn")
    assert len(as_ordo_reads((tmp_path / "night.pgn").read_text(encoding="utf-8"))) == 72
