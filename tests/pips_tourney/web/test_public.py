"""The report for everybody.

It has nothing of the organiser's machine, no reasons and, if wished, no names.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from pips_tourney.cli.tourney import main
from pips_tourney.night.director import office
from pips_tourney.night.log.store import StoreError
from pips_tourney.web.public import Public, drawn_aliases
from pips_tourney.web.report import bots_of, report
from pips_tourney.web.server import Showing, Site
from tests.pips_tourney.web.nights import small_night

pytestmark = pytest.mark.unmeasured  # other tests reach these lines


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With crashes in it, and a bot that was withdrawn for a reason."""
    path = small_night(tmp_path_factory.mktemp("night"), deals=1)
    with office(path) as at:
        at.withdraw("cy", "copied from ada, see /home/teacher/notes", from_start=False)
    return path


def about(page: str) -> dict[str, Any]:
    [inside] = re.findall(r'id="about">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(inside)
    return found


def test_nothing_of_the_organisers_is_in_it(night: Path) -> None:
    whole, public = report(night, []), report(night, [], Public())
    private = ("/home/teacher", "copied from ada", str(night.parent), "Traceback", "pips-bot ask")
    assert [text for text in private if text in whole and text in public] == []
    assert [text for text in private if text in whole][:2] == ["/home/teacher", "copied from ada"]
    assert [
        view["explained"] for views in about(public)["replays"].values() for view in views if view["explained"]
    ] == []
    assert about(public)["night"]["tables"][0]["rows"] == about(whole)["night"]["tables"][0]["rows"]
    assert about(public)["night"]["bots"] == ["ada", "bo", "cy"]


@pytest.mark.parametrize("token", [None, "let-me-in"])
def test_nothing_of_the_organisers_is_served_to_others(night: Path, token: str | None) -> None:
    private = ("/home/teacher", "copied from ada", "it crashed", "pips-bot ask")
    with TestClient(Site(Showing(night, token)).app(), base_url="http://127.0.0.1:8080") as client:
        page = client.get("/" if token is None else f"/?token={token}").text
        rows = client.get("/api/matches").json()
        faulty = next(row for row in rows if row[6])
        served = "\n".join([page, json.dumps(rows), client.get(f"/api/match/{faulty[1]}").text])
        assert client.get("/api/match/ffff").json() == {"error": "there is no match ffff yet"}
    assert about(page)["night"]["bots"] == ["ada", "bo", "cy"]
    assert ([text for text in private if text in served] == []) is (token is not None)
    assert ("/home/teacher" in served) is (token is None)
    assert "Traceback" not in served or token is None


def test_with_aliases_no_name_is_left_anywhere(night: Path) -> None:
    aliases = {"ada": "Bot 1", "bo": "Bot 2", "cy": "Bot 3"}
    page = report(night, [], Public(aliases))
    inside = json.dumps(about(page))
    for name in aliases:
        assert not re.search(rf"\b{name}\b", inside), name
    noscript = re.findall(r"<noscript>(.*?)</noscript>", page, re.DOTALL)[0]
    assert not re.search(r"\b(ada|bo|cy)\b", noscript)
    assert {view["names"][0] for views in about(page)["replays"].values() for view in views} <= {*aliases.values()}


def test_no_sentence_and_no_earlier_page_names_a_bot_beside_aliases(tmp_path: Path) -> None:
    path = small_night(tmp_path, deals=20, games='["serpent"]')
    assert "why" in about(report(path, []))["night"]["tables"][0]["rows"][0]
    words = ["report", str(path), "-o", str(tmp_path / "out")]
    (tmp_path / "out" / "site").mkdir(parents=True)
    left = tmp_path / "out" / "site" / "night-7.html"
    left.write_text("<!doctype html>\nada\n", encoding="utf-8")
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    told = CliRunner().invoke(main, [*words, "--aliases"], catch_exceptions=False)
    assert told.exit_code != 0 and "night-7.html is there from an earlier report" in told.output
    left.unlink()
    assert CliRunner().invoke(main, [*words, "--aliases"], catch_exceptions=False).exit_code == 0
    for page in (tmp_path / "out" / "site").glob("*.json"):
        assert not re.search(r"\b(ada|bo|cy)\b", page.read_text(encoding="utf-8")), page
    assert not re.search(r"\b(ada|bo|cy)\b", json.dumps(about((left.with_name("night-1.html")).read_text("utf-8"))))


def test_aliases_are_drawn_for_everybody() -> None:
    drawn = drawn_aliases(["ada", "bo", "cy"])
    assert sorted(drawn.values()) == ["Bot 1", "Bot 2", "Bot 3"]
    assert len({tuple(drawn_aliases([*"abcdefgh"])) for _ in range(20)}) > 1


def test_who_is_who_is_told_to_the_organiser_alone(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(night.parent)
    told = CliRunner().invoke(main, ["report", "--aliases", "-o", "out"], catch_exceptions=False)
    assert told.exit_code == 0
    assert sorted(line.split(" is ")[1] for line in told.stdout.splitlines() if " is " in line) == bots_of(night)
    for page in Path("out/site").iterdir():
        text = page.read_text(encoding="utf-8")
        told_there = json.dumps(about(text)) if page.name.startswith("night-") and page.suffix == ".html" else text
        assert not re.search(r"\b(ada|bo|cy)\b", told_there), page


def test_without_javascript_there_is_the_table_and_the_date(night: Path) -> None:
    page = report(night, [])
    noscript = re.findall(r"<noscript>(.*?)</noscript>", page, re.DOTALL)[0]
    assert re.search(r"\d{4}-\d\d-\d\d", noscript)
    assert noscript.count("<tr>") == 1 + len(about(page)["night"]["tables"][-1]["rows"])
    assert "<script" not in noscript


@pytest.mark.parametrize("name", ["class", 'of "b": [1] / \\x'])
def test_an_error_that_others_read_has_no_path(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir(parents=True)
    small_night(folder, played=1)
    for token in (None, "let-me-in"):
        with TestClient(Site(Showing(folder / "small.db", token)).app(), base_url="http://127.0.0.1:8080") as client:
            client.get("/" if token is None else f"/?token={token}")
            answer = client.get("/api/luck")
            assert answer.status_code == 422 and "small.db: no deal was played in every seating yet" in answer.text
            assert (str(tmp_path) in answer.text) is (token is None)


def test_others_do_not_read_what_is_wrong_with_the_file(night: Path, caplog: pytest.LogCaptureFixture) -> None:
    site = Site(Showing(night, public=True, play=False))

    def fails(after: int) -> str:
        raise StoreError(f"{night}: disk I/O error")

    with TestClient(site.app(), base_url="http://127.0.0.1:8080") as client:
        assert site.live is not None
        site.live.watch.matches = fails  # type: ignore[method-assign]
        answer = client.get("/api/matches")
    assert answer.json() == {"error": "the night cannot be read now: try again in a moment"}
    assert f"{night}: disk I/O error" in caplog.text
