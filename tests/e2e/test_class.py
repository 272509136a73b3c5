"""A class's night for its director: broken folders, and decisions that arrive."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing

import pytest

from tests.e2e.desk import Desk, finish, wait_for_results, wait_until
from tests.needs import needs
from tests.pips_tourney.league.test_collected import MOODLE, SHAPES, a_zip

GOOD = "from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n"
OTHER_GAME = "from pips_sdk.wichita import WichitaBot\n\nclass MyBot(WichitaBot):\n    pass\n"
BOTS = {"ada": GOOD, "bo": GOOD, "crash": "import nothing_of_this_name\n" + GOOD, "lost": OTHER_GAME}


def a_class(desk: Desk, deals: int) -> None:
    for name, text in BOTS.items():
        (desk.folder / "submissions" / name).mkdir(parents=True)
        (desk.folder / "submissions" / name / "bot.py").write_text(text, encoding="utf-8")
    (desk.folder / "submissions" / "empty").mkdir()
    lines = ['game = "serpent"', 'bots = ["submissions/*", { name = "greedy", sample = "greedy" }]', "tables = 2"]
    lines += [f"deals = {{ count = {deals} }}"]
    (desk.folder / "night.toml").write_text("\n".join(lines), encoding="utf-8")


@needs("bwrap")
def test_broken_submissions_stop_nobody_and_are_told(desk: Desk) -> None:
    a_class(desk, deals=2)
    out, err = finish(desk.play())
    whole = json.loads(out)
    (table,) = whole["tables"]
    assert {row["bot"]: row["matches"] for row in table["rows"]} == {"ada": 8, "bo": 8, "greedy": 8}
    assert "No module named 'nothing_of_this_name'" in table["withdrawn"]["crash"]
    assert table["withdrawn"]["lost"] == "left out: it plays wichita, not serpent"
    assert "empty" in [note["about"] for note in whole["decisions"]]
    shown = desk.tell("standings", "night.db")
    assert "empty was left out: submissions/empty: which file is the bot?" in " ".join(shown.split())
    assert "crash is left out" in err
    again, _ = finish(desk.play())
    assert again == out
    desk.tell("verify", "night.db")
    desk.assert_nothing_is_left()


@needs("bwrap")
@pytest.mark.long
def test_moodles_zip_plays_and_its_own_worksheet_comes_back(desk: Desk) -> None:
    """29 people, one command, nothing is moved by hand, and a line for each of them."""
    numbers = {f"Student {number:02}": 1000100 + number for number in range(29)}
    shapes = [files for shape, files in SHAPES.items() if "Canvas" not in shape]
    prefix = {name: f"{name}_{number}_assignsubmission_file_" for name, number in numbers.items()}
    files = {
        path.replace(MOODLE, prefix[name]).replace(MOODLE[:-5], prefix[name][:-5]): content
        for at, name in enumerate([*numbers][:26])
        for path, content in shapes[at % len(shapes)].items()
    }
    files |= {f"{prefix['Student 26']}/notes.md": b"Nearly done.", f"{prefix['Student 27']}/bot.rar": b"Rar!"}
    (desk.folder / "moodle.zip").write_bytes(a_zip(files))
    bots = 'bots = ["moodle.zip", { name = "baseline", sample = "random" }]'
    (desk.folder / "night.toml").write_text(
        f'game = "serpent"\n{bots}\ndeals = 1\nschedule = {{ name = "gauntlet", hero = "baseline" }}\n'
    )
    head = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Feedback comments"
    rows = [f"Participant {number},{name},,Submitted,,20.00,Yes," for name, number in numbers.items()]
    (desk.folder / "Grades.csv").write_text("\n".join([head, *rows, ""]))
    finish(desk.play())
    desk.tell("export", "night.db", "--as", "moodle", "--worksheet", "Grades.csv", "-o", "graded.csv")
    was, filled = (
        list(csv.DictReader((desk.folder / name).read_text(encoding="utf-8").splitlines()))
        for name in ("Grades.csv", "graded.csv")
    )
    graded = [row["Full name"] for row in filled if row["Grade"]]
    assert len(filled) == 29 and graded == [*numbers][:26]
    own = ("Grade", "Feedback comments")
    assert [{**row, **dict.fromkeys(own, "")} for row in filled] == was


@needs("bwrap")
def test_a_bot_may_be_called_in_any_script(desk: Desk) -> None:
    for name in ("Мария", "李明", "Zoë", "a,b", "a;b"):
        (desk.folder / "submissions" / name).mkdir(parents=True)
        (desk.folder / "submissions" / name / "bot.py").write_text(GOOD, encoding="utf-8")
    lines = ['game = "serpent"', 'bots = ["submissions/*", { name = "Ольга", sample = "greedy" }]', "deals = 2"]
    (desk.folder / "night.toml").write_text("\n".join(lines), encoding="utf-8")
    misspelt = f"{GOOD}\n    def leed(self, view):\n        return view.playable[0]\n"
    (desk.folder / "submissions" / "Zoë" / "bot.py").write_text(misspelt, encoding="utf-8")
    out, err = finish(desk.play())
    assert err.count("Zoë: MyBot has `leed` (bot.py:6), which no question calls. Did you mean `lead`?") == 1
    names = {"Мария", "李明", "Zoë", "a_b", "a_b 2", "Ольга"}
    assert {row["bot"]: row["matches"] for row in json.loads(out)["tables"][0]["rows"]} == dict.fromkeys(names, 20)
    shown = desk.tell("standings", "night.db", "--full")
    desk.tell("verify", "night.db")
    desk.tell("audit", "night.db")
    exported = {}
    for form in ("csv", "pgn", "gradebook"):
        desk.tell("export", "night.db", "--as", form, "--baseline", "Ольга", "-o", form)
        exported[form] = (desk.folder / form).read_text(encoding="utf-8")
    desk.tell("report", "night.db")
    page = (desk.folder / "night-report" / "night.html").read_text(encoding="utf-8")
    for name in names:
        assert name in shown and f'[White "{name}"]' in exported["pgn"] and f'"{name}"' in page
    assert {row["bot"] for row in csv.DictReader(io.StringIO(exported["csv"]))} == names
    assert "points_percent_against_Ольга" in exported["gradebook"].splitlines()[0]
    out = desk.tell("withdraw", "night.db", "李明", "--reason", "it copied")
    assert "李明 is withdrawn" in out
    desk.assert_nothing_is_left()


def test_a_terminal_that_cannot_show_a_name_shows_its_number(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.league("李明=random", "bo=random")
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    out, _ = finish(desk.begin("run", "night.toml"))
    assert "\\u674e\\u660e" in out
    assert "李明" in finish(desk.begin("export", "night.db", "--as", "csv"))[0]  # for programs: UTF-8


@needs("bwrap")
def test_a_runner_hears_what_its_director_decides(desk: Desk) -> None:
    a_class(desk, deals=40)
    runner = desk.play()
    wait_for_results(desk, 0)
    out = desk.tell("pause", "--reason", "a break")
    assert f"process {runner.pid}" in out
    wait_until(lambda: not desk.named("pips_tourney.arena.keeper"), "bots go on in the break")  # its arenas are closed
    status = json.loads(desk.tell("status", "--json"))
    assert status["state"] == "paused" and 0 < status["played"] < status["scheduled"]
    desk.tell("withdraw", "greedy", "--reason", "the course's own", "--from-start")
    desk.tell("add", "serpent/random", "--name", "newcomer")
    desk.tell("resume")
    out, _ = finish(runner)
    rows = {row["bot"]: row["matches"] for row in json.loads(out)["tables"][0]["rows"]}
    assert rows == dict.fromkeys(["ada", "bo", "newcomer"], 160)
    with closing(sqlite3.connect(desk.folder / "night.db")) as connection:
        assert connection.execute("SELECT count(DISTINCT arena), count(at) >= 240 FROM played").fetchone() == (1, 1)
    desk.tell("verify", "night.db")
    desk.assert_nothing_is_left()
