"""A league of all four games with bots that ask a model, in the default sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pips_tourney.night.log.store import read_store
from pips_tourney.reports.exports import SCHEMA
from tests.e2e.desk import Desk, finish, kill, wait_for_results, wait_until
from tests.lab.behaviours import bot_name, payer, play
from tests.model_stub import KEY, Stub, model_stub, one_of_them
from tests.pips_sdk.model.test_behaviours import ENDPOINT, PLAYS

pytestmark = pytest.mark.measured

GAMES = ("dominion", "pippip", "serpent", "wichita")


def unsure(asked: str, attempt: int) -> str:
    """Some first replies are no answers; of the model `mute` some second ones too."""
    return "hm" if attempt == 1 and len(asked) % 5 == 0 else one_of_them(asked, attempt)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with model_stub(unsure) as serving:
        yield serving


def write_league(desk: Desk, stub: Stub, games: str, deals: int = 1, tables: int = 32) -> None:
    common = f'endpoint = "{stub.url}"'
    (desk.folder / "night.toml").write_text(
        f"""
games = [{games}]
deals = {{ count = {deals} }}
tables = {tables}
clock = {{ answer_ms = 30000 }}
[[bots]]
name = "gpt"
model = {{ {common}, name = "one", key_env = "MODEL_KEY", price_in = 1.0, price_out = 2.0 }}
[[bots]]
name = "mute"
model = {{ {common}, name = "two", legal = false, rethinks = 0, unreadable = "legal" }}
""",
        encoding="utf-8",
    )


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)


def voids(desk: Desk) -> int:
    with read_store(desk.folder / "night.db") as store:
        return len(store.log("void"))


def tokens(out: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(asked["bot"], asked["contest"]): asked for asked in json.loads(out)["models"]}


@pytest.mark.usefixtures("_key")
def test_a_league_of_all_games_is_played_from_text_and_its_tokens_are_known(desk: Desk, stub: Stub) -> None:
    pippip = '{ name = "pippip", seats = 2, options = { rules = "hervey" } }'
    write_league(desk, stub, f'"serpent", "wichita", {pippip}, {{ name = "dominion", options = {{ size = 3 }} }}')
    _, err = finish(desk.play())
    out = desk.tell("export", "night.db", "--as", "json", "--timings")
    read = json.loads(out)
    assert read["complete"]
    jsonschema.validate(read, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert [row["faults"] for table in read["tables"] for row in table["rows"]] == [{}] * 10
    used = tokens(out)
    assert set(used) == {(bot, game) for bot in ("gpt", "mute") for game in GAMES}
    assert sum(each["prompt_tokens"] for each in used.values()) == 100 * len(stub.bodies)
    assert sum(each["rethought"] for (bot, _), each in used.items() if bot == "gpt") > 0
    assert sum(each["defaults"] for (bot, _), each in used.items() if bot == "mute") > 0
    assert "gpt asks one at http://127.0.0.1" in err
    table = desk.tell("standings", "night.db")
    assert f"gpt asked its model {used['gpt', 'serpent']['questions']} questions" in " ".join(table.split())
    assert "legal answers not listed; no second try, then the legal default" in " ".join(table.split())
    desk.tell("verify", "night.db")
    desk.assert_nothing_is_left()
    assert {f"Bearer {KEY}", ""} == set(stub.keys)
    for file in desk.folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    assert KEY not in out + err + table


@pytest.mark.usefixtures("_key")
def test_a_night_that_was_killed_or_lost_its_endpoint_asks_nothing_twice(desk: Desk, stub: Stub) -> None:
    write_league(desk, stub, '"serpent"', deals=4, tables=2)  # most is still to be played after the first result
    runner = desk.play()
    wait_for_results(desk, 0)
    kill(runner)
    before = len(stub.bodies)
    runner = desk.play()
    wait_until(lambda: len(stub.bodies) > before + 2, "no model was asked again")
    stub.down = 401, "who are you?"
    wait_until(lambda: voids(desk) > 0, "no match was void")
    stub.down = None
    finish(runner)
    out = desk.tell("export", "night.db", "--as", "json", "--timings")
    assert [row["faults"] for row in json.loads(out)["tables"][0]["rows"]] == [{}, {}]
    assert len(stub.bodies) > before
    replies = sum(each["replies"] for each in tokens(out).values())
    # Four processes, two a bot, may have had a request under way each.
    assert replies <= len(stub.bodies) <= replies + 4, "only what was under way is asked again, one a process"
    with read_store(desk.folder / "night.db") as store:
        void, *_ = store.log("void")
        assert len(store.log("void")) == len(store.log("redeal"))
    assert "no reply from its model: " in void.payload["why"] and "status 401: who are you?" in void.payload["why"]
    desk.assert_nothing_is_left()


def test_a_night_ends_where_an_endpoint_stays_down(tmp_path: Path) -> None:
    """Before deals afresh no model is asked again. A short form of lab `behaviours`."""
    behaviours = ["an answer", "400"]
    read = play(behaviours, tmp_path)
    assert read["complete"]
    assert [payer(bot_name(behaviour), read) for behaviour in behaviours] == [PLAYS, ENDPOINT]
