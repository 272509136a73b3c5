"""JavaScript bots from the user's side: created, checked, played, and in a league.

Every record of the league is verified.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pips_referee.game import REGISTRY
from pips_tourney.workshop.begin.new_bot import js_sdk
from tests.e2e import test_pips_bot
from tests.e2e.desk import Desk, finish
from tests.needs import needs

pytestmark = needs("node")
SAMPLES = js_sdk().parents[1] / "sample_bots" / "js"
LEAGUE = """
games = ["serpent", "wichita", "pippip", {{ name = "dominion", options = {{ size = 3, max_rounds = 12 }} }}]
deals = {{ suite = "quick", count = 2 }}
clock = {{ answer_ms = 0 }}
[[bots]]
name = "js"
command = "node random_bot.js"
cwd = "{samples}"
trusted = true
[[bots]]
name = "careful-js"
command = "node cautious_bot.js"
cwd = "{samples}"
trusted = true
games = ["serpent", "pippip"]
[[bots]]
name = "random"
sample = "random"
"""


@pytest.mark.long
def test_a_league_in_all_games_with_every_record_verified(desk: Desk) -> None:
    (desk.folder / "night.toml").write_text(LEAGUE.format(samples=SAMPLES), encoding="utf-8")
    out, err = finish(desk.play())
    tables = {table["label"]: table for table in json.loads(out)["tables"]}
    assert set(tables) == {*REGISTRY, "overall"}
    for game in REGISTRY:
        table = tables[game]
        assert table["scheduled"] == table["counted"]
        rows = {row["bot"]: row for row in table["rows"]}
        assert set(rows) == {"js", "random"} | ({"careful-js"} if game in ("serpent", "pippip") else set())
        assert {name: row["faults"] for name, row in rows.items()} == {name: {} for name in rows}
    verified = desk.tell("verify", "night.db")
    matches = sum(tables[game]["scheduled"] for game in REGISTRY)
    assert verified.startswith(f"{matches} results verified")
    assert verified.split()[-1] in err
    desk.assert_nothing_is_left()


CLUMSY = """
import { run, SerpentBot } from "pips-sdk";

class Clumsy extends SerpentBot {
  lead(view) {
    if (view.handNumber === 2 && view.seat === 1) throw new Error("out of my depth");
    return view.playable[0];
  }
}
run(Clumsy);
"""


def test_what_a_bot_throws_costs_that_match_and_is_told(desk: Desk) -> None:
    modules = desk.folder / "node_modules"
    modules.mkdir()
    (modules / "pips-sdk").symlink_to(js_sdk())
    (desk.folder / "clumsy.mjs").write_text(CLUMSY, encoding="utf-8")
    desk.league("ada=random", f"bo=node {desk.folder}/clumsy.mjs", deals=4)
    out, _ = finish(desk.play())
    rows = {row["bot"]: row for row in json.loads(out)["tables"][0]["rows"]}
    assert rows["bo"]["faults"] == {"crash": 4}
    with closing(sqlite3.connect(desk.folder / "night.db")) as connection:
        records = [record for (record,) in connection.execute("SELECT record FROM results WHERE faults != '[]'")]
    assert all(b"Error: out of my depth" in record for record in records)
    desk.assert_nothing_is_left()


def test_begun_checked_and_played_with_pips_bot(tmp_path: Path) -> None:
    desk = test_pips_bot.Desk(tmp_path)
    desk.run(0, "new", "my_bot", "--game", "serpent", "--language", "js")
    report = desk.checked(0, "my_bot")
    [game] = report["games"]
    assert (game["game"], game["matches"], game["faults"]) == ("serpent", 4, 0)
    assert [note for note in report["notes"] if not note.startswith("No fence: ")] == []
    assert "my_bot won " in desk.run(0, "play", "my_bot", "random", "-n", "2")


TALKATIVE = """
import { run, SerpentBot } from "pips-sdk";

const helper = (view) => view.nothing.x;

class Talkative extends SerpentBot {
  lead(view) {
    console.error("I lead one of", view.playable.length);
    return HELPER;
  }
}
await run(Talkative);
"""


def test_an_author_is_told_the_line_the_stack_and_what_the_bot_printed(tmp_path: Path) -> None:
    desk = test_pips_bot.Desk(tmp_path)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "pips-sdk").symlink_to(js_sdk())
    desk.write("mine.mjs", TALKATIVE.replace("HELPER", "helper(view)"))
    [problem] = desk.checked(1, "mine.mjs")["problems"]
    played = desk.run(0, "play", "mine.mjs", "greedy", "-n", "2")
    for told in (problem["where"], played):
        assert "TypeError: Cannot read properties of undefined (reading 'x') (at mine.mjs:4)\n" in told
        assert "It had printed:\n" in told
        assert "| I lead one of " in told
        assert "|     at Talkative.lead (file:" in told
    desk.write("mine.mjs", TALKATIVE.replace("HELPER", "99"))
    [problem] = desk.checked(1, "mine.mjs")["problems"]
    sentence = "TypeError: Talkative.lead() must return a card (0 to 51), but it returned 99\n"
    assert problem["where"].startswith(sentence), "no line of the SDK or of Node is named"
