"""The workshop of a place: its page, its files, and what a bot's worker may reach."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from pips_tourney.place.desk.hand_ins import READY, WITHDRAWN
from pips_tourney.place.pages.hand_in import HandInPages
from pips_tourney.web.browser.workshop import _own_wheel, alone
from pips_tourney.workshop.browser.own_wheel import WHEEL, wheel
from pips_tourney.workshop.browser.runtime import FILES, STAMP, compiled_wheel, runtime_folder
from tests.pips_tourney.place.conftest import HERE, Place

LEAGUE = """
games = ["serpent", { name = "dominion", seats = 2 }]
bots = [{ name = "r", sample = "random" }, { name = "g", sample = "greedy" }]
"""


@pytest.fixture(autouse=True)
def no_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    _own_wheel.cache_clear()  # another test's may be the one that was compiled


@pytest.fixture
def runtime() -> Path:
    """The runtime's folder, with files in it that are none."""
    runtime_folder().mkdir(parents=True)
    for name in FILES:
        (runtime_folder() / name).write_text(name)
    (runtime_folder() / "codemirror.js.gz").write_bytes(gzip.compress(b"packed"))
    return runtime_folder()


def about(page: str) -> Any:
    told = re.search(r'<script type="application/json" id="about">(.*?)</script>', page, re.DOTALL)
    assert told is not None
    return json.loads(told[1])["workshop"]


def test_without_the_files_it_says_so_and_all_else_works(place: Place) -> None:
    place.desk.league.write_text(LEAGUE, encoding="utf-8")
    place.enter("ada")
    assert "Workshop" not in place.client.get("/mine").text
    refused = place.client.get("/workshop/")
    assert refused.status_code == 404 and "pips-bot workshop --install" in refused.text


def test_its_page_has_the_games_of_the_league(place: Place, runtime: Path) -> None:
    place.desk.league.write_text(LEAGUE, encoding="utf-8")
    place.client.cookies.clear()
    assert place.client.get("/workshop/").headers["location"] == "/enter"
    mark = place.enter("ada")
    HandInPages(place.site, place.desk)  # as at the place's next start
    assert '<a href="/workshop/#/workshop">Workshop</a>' in place.client.get("/mine").text
    told = about(place.client.get("/workshop/").text)
    assert [(game["name"], game["seats"]) for game in told["games"]] == [("serpent", None), ("dominion", 2)]
    assert "class MyBot(SerpentBot)" in told["games"][0]["texts"] and "greedy" in told["games"][0]["samples"]
    assert (told["form"], told["hand_in"], told["versions"]) == (mark, "/mine", [])
    assert "def test_" in told["games"][0]["tests"] and told["lock"]["packages"] == {}
    place.enter("organiser")
    assert "hand_in" not in about(place.client.get("/workshop/").text)


def test_rules_are_one_click_away(place: Place) -> None:
    place.enter("bo")
    assert place.client.get("/workshop/rules/wichita").text.startswith("# Wichita")
    assert place.client.get("/workshop/rules/chess").status_code == 404


def test_pip_pips_search_needs_numpy_and_is_not_offered(runtime: Path) -> None:
    games = about(TestClient(alone(), base_url=HERE).get("/").text)["games"]
    assert [game["name"] for game in games[:2]] == ["wichita", "serpent"], "the simplest first"
    samples = {game["name"]: game["samples"] for game in games}
    assert "search" in samples["serpent"] and "search" not in samples["pippip"]


def test_a_version_of_ones_own_can_be_opened(place: Place, runtime: Path) -> None:
    place.desk.league.write_text(LEAGUE, encoding="utf-8")
    for who, text in (("ada", "a = 1\n"), ("bo", "b = 2\n")):
        mark = place.enter(who)
        place.client.post("/mine", data={"form": mark, "text": text, "name": "bot.py"})
    [own] = about(place.client.get("/workshop/").text)["versions"]
    assert own["bot"] == "bo" and place.client.get(f"/workshop/version/{own['id']}").text == "b = 2\n"
    assert place.client.get(f"/workshop/version/{own['id'] - 1}").status_code == 404, "it is Ada's"
    (place.hand_ins.files(place.hand_ins.all()[-1]) / "more.py").touch()
    assert "has 2 files in Python" in place.client.get(f"/workshop/version/{own['id']}").text


def test_what_an_author_publishes_can_be_met_by_all(place: Place, runtime: Path) -> None:
    place.desk.league.write_text(LEAGUE, encoding="utf-8")

    def publish(mark: str, **more: str) -> int:
        return place.client.post("/workshop/publish", data={"form": mark, **more}).status_code

    mark = place.enter("ada")
    place.client.post("/mine", data={"form": mark, "text": "a = 1\n", "name": "bot.py"})
    [ada] = place.hand_ins.all()
    assert publish(mark, version=str(ada.id)) == 404, "it is not checked yet"
    place.hand_ins.set_state(ada.id, READY)
    assert publish("0" * 64, version=str(ada.id)) == 403
    assert publish(mark, version=str(ada.id)) == 303
    mark = place.enter("bo")
    assert publish(mark, version=str(ada.id)) == publish(mark, version=str(ada.id), off="yes") == 404, "it is Ada's"
    assert about(place.client.get("/workshop/").text)["published"] == [{"id": ada.id, "bot": "ada", "own": False}]
    assert place.client.get(f"/workshop/version/{ada.id}").text == "a = 1\n"
    mark = place.enter("organiser")
    assert publish(mark, version=str(ada.id)) == 404, "that is its author's to say"
    assert publish(mark, version=str(ada.id), off="yes") == 303
    place.enter("bo")
    assert place.client.get(f"/workshop/version/{ada.id}").status_code == 404
    mark = place.enter("ada")
    assert publish(mark, version=str(ada.id)) == 303
    place.hand_ins.set_state(ada.id, WITHDRAWN)
    assert about(place.client.get("/workshop/").text)["published"] == []


def test_only_one_file_is_published(place: Place, runtime: Path) -> None:
    mark = place.enter("ada")
    place.client.post("/mine", data={"form": mark, "text": "a = 1\n", "name": "bot.py"})
    [version] = place.hand_ins.all()
    place.hand_ins.set_state(version.id, READY)
    (place.hand_ins.files(version) / "more.py").touch()
    refused = place.client.post("/workshop/publish", data={"form": mark, "version": str(version.id)})
    assert refused.status_code == 422 and place.hand_ins.published() == []
    assert place.hand_ins.publish(place.people.everybody()[0], version.id)
    back = {"form": mark, "version": str(version.id), "off": "yes"}
    assert place.client.post("/workshop/publish", data=back).status_code == 303 and place.hand_ins.published() == []


def test_the_files_are_kept_by_browsers_and_no_others_are_there(place: Place, runtime: Path) -> None:
    got = place.client.get(f"/workshop/runtime/{STAMP}/pyodide.asm.wasm")
    assert got.headers["content-type"] == "application/wasm" and "immutable" in got.headers["cache-control"]
    assert place.client.get(f"/workshop/runtime/{STAMP}/codemirror.js").text == "packed"
    plain = place.client.get(f"/workshop/runtime/{STAMP}/codemirror.js", headers={"accept-encoding": "identity"})
    assert plain.text == "codemirror.js" and plain.headers["vary"] == "accept-encoding"
    place.desk.league.write_text(LEAGUE, encoding="utf-8")
    place.enter("ada")
    address = about(place.client.get("/workshop/").text)["wheels"][0]
    is_same = place.client.get(f"/workshop/{address}").content == wheel()
    assert is_same, "compared before the assertion, which would show a difference of megabytes"
    compiled_wheel(wheel()).write_bytes(b"compiled")
    _own_wheel.cache_clear()
    address = about(place.client.get("/workshop/").text)["wheels"][0]
    assert place.client.get(f"/workshop/{address}").content == b"compiled"
    _own_wheel.cache_clear()
    (runtime / "secret").touch()
    for path in (f"{STAMP}/secret", f"{STAMP}/{WHEEL}", "old/pyodide.mjs", f"{STAMP}/..%2Fsecret", f"{STAMP}/"):
        assert place.client.get(f"/workshop/runtime/{path}").status_code == 404, path


def test_a_bots_worker_reaches_the_runtime_alone(place: Place, runtime: Path) -> None:
    """A classmate's bot, pasted and played, reads no page of the visitor's."""
    policy = place.client.get("/workshop/static/tab.js").headers["content-security-policy"]
    here = HERE.removeprefix("http://") + "/workshop/"
    scripts = f"script-src {here}static/tab.js {here}runtime/ 'wasm-unsafe-eval'"
    assert policy == f"default-src 'none'; {scripts}; connect-src {here}runtime/"
    page = place.client.get("/workshop/static/workshop.js").headers["content-security-policy"]
    assert "wasm" not in page and "eval" not in page
    assert place.client.get("/workshop/static/tab.js", headers={"host": "a; script-src *"}).status_code == 400
