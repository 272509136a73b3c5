"""A class's night as its director sees it: folders of which some are broken, and a runner that hears decisions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from tests.e2e.desk import Desk, finish, wait_for_results, wait_until

pytestmark = pytest.mark.unmeasured  # night after night of what the other nights run

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


def test_broken_submissions_stop_nobody_and_are_told(desk: Desk) -> None:
    a_class(desk, deals=2)
    out, err = finish(desk.play())
    whole = json.loads(out)
    (table,) = whole["tables"]
    assert {row["bot"]: row["matches"] for row in table["rows"]} == {"ada": 8, "bo": 8, "greedy": 8}
    assert "No module named 'nothing_of_this_name'" in table["withdrawn"]["crash"]
    assert table["withdrawn"]["lost"] == "left out: it plays wichita, not serpent"
    assert "submissions/empty" in [note["about"] for note in whole["decisions"]]
    assert "crash is left out" in err
    again, _ = finish(desk.play())
    assert again == out
    finish(desk.begin("verify", "night.db"))
    _, err = finish(desk.play("--new", "--strict"), 2)
    assert "submissions/empty" in err
    desk.assert_nothing_is_left()


def test_a_runner_hears_what_its_director_decides(desk: Desk) -> None:
    a_class(desk, deals=40)
    runner = desk.play("--arenas", "1")
    wait_for_results(desk, 0)
    out, _ = finish(desk.begin("pause", "--reason", "a break"))
    assert f"process {runner.pid}" in out
    wait_until(lambda: not desk.named("submissions"), "bots go on in the break")  # its arenas are closed
    status = json.loads(finish(desk.begin("status", "--json"))[0])
    assert status["state"] == "paused" and 0 < status["played"] < status["scheduled"]
    finish(desk.begin("withdraw", "greedy", "--reason", "the course's own", "--from-start"))
    finish(desk.begin("add", "serpent/random", "--name", "newcomer"))
    finish(desk.begin("resume"))
    out, err = finish(runner)
    assert "Paused: a break" in err
    rows = {row["bot"]: row["matches"] for row in json.loads(out)["tables"][0]["rows"]}
    assert rows == dict.fromkeys(["ada", "bo", "newcomer"], 160)
    with closing(sqlite3.connect(desk.folder / "night.db")) as connection:
        assert connection.execute("SELECT count(DISTINCT arena), count(at) >= 240 FROM played").fetchone() == (1, 1)
    finish(desk.begin("verify", "night.db"))
    desk.assert_nothing_is_left()
