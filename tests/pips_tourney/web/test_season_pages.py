"""A season on screen: places, versions, who improved, and a night a click away."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from starlette.testclient import TestClient

from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.season import season_standings
from pips_tourney.night.table.standings import standings
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.runner import run_night
from pips_tourney.web.public import Public
from pips_tourney.web.report import bots_of, report
from pips_tourney.web.season import SeasonPages, season_json
from pips_tourney.web.server import Showing, Site
from tests.needs import needs
from tests.pips_tourney.night.table.test_season import Weeks
from tests.pips_tourney.web.browser import Screen, launch, served

pytestmark = pytest.mark.unmeasured  # other tests reach these lines


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three nights. `ada` changed before the second, `dee` came to the third."""
    with pytest.MonkeyPatch.context() as patch:
        weeks = Weeks(tmp_path_factory.mktemp("season"), patch)
        weeks.league("ada", "bo", "cy", deals=6)
        weeks.play()
        weeks.league("ada", "bo", "cy", changed="ada", deals=6)
        weeks.play()
        weeks.league("ada", "bo", "cy", "dee", changed="ada", deals=6)
        weeks.play()
        yield weeks.database


def test_every_night_is_there_with_its_own_places(season: Path) -> None:
    shown = season_json(season)
    assert [night["number"] for night in shown["nights"]] == [1, 2, 3]
    for night in shown["nights"]:
        with read_store(season.parent / night["file"]) as store:
            [own] = standings(last_night(store)).tables
        assert [(row["rank"], row["bot"]) for row in night["tables"][0]["rows"]] == [
            (own.place(place), row.bot) for place, row in enumerate(own.rows)
        ]
    assert {each["bot"]: each["versions"] for each in shown["bots"]} == {
        "ada": {1: 1, 2: 2, 3: 2},
        "bo": {1: 1, 2: 1, 3: 1},
        "cy": {1: 1, 2: 1, 3: 1},
        "dee": {3: 1},
    }


def test_improvement_is_the_last_version_against_the_first(season: Path) -> None:
    [only] = season_json(season)["improved"]
    ratings = season_standings(season).tables[0].ratings
    assert ratings is not None
    old = "ada (version 1, until night 1)"
    [wanted] = [
        each if each.a == "ada" else each.reversed() for each in ratings.differences if {each.a, each.b} == {"ada", old}
    ]
    sure = {part: getattr(wanted, part) for part in ("elo", "low", "high", "better")}
    assert only == {"bot": "ada", **sure, "from": 1, "to": 3}


def test_versions_of_a_place_are_one_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weeks = Weeks(tmp_path, monkeypatch)
    for bots in (("ada", "bo"), ("ada", "bo", "ada v2"), ("bo", "ada v3", "solo v2")):
        weeks.league(*bots, deals=4)
        weeks.play()
    shown = {each["bot"]: each["names"] for each in season_json(weeks.database)["bots"]}
    assert shown == {
        "ada": {1: "ada", 2: "ada v2", 3: "ada v3"},
        "bo": {1: "bo", 2: "bo", 3: "bo"},
        "solo v2": {3: "solo v2"},
    }


def test_reading_all_nights_is_not_done_for_every_spectator(season: Path) -> None:
    now = iter([0.0, 2.0, 101.9, 102.0, 103.0])
    pages = SeasonPages(season, lambda: next(now))
    first = pages.json()
    assert pages.json() is first
    assert pages.json() is not first


def test_a_report_has_its_season_unless_names_are_hidden(season: Path) -> None:
    def about(page: str) -> dict[str, object]:
        [inside] = re.findall(r'id="about">(.*?)</script>', page, re.DOTALL)
        found: dict[str, object] = json.loads(inside)
        return found

    assert len(about(report(season, []))["season"]["nights"]) == 3  # type: ignore[index]
    assert "season" in about(report(season, [], Public()))
    assert "season" not in about(report(season, [], Public(dict.fromkeys(bots_of(season), "Bot"))))


def test_a_night_alone_has_no_season(season: Path) -> None:
    alone = season.with_name("night.1.db")
    assert "season" not in report(alone, []).split('id="about">')[1].split("</script>")[0]
    with TestClient(Site(Showing(alone)).app(), base_url="http://127.0.0.1:8080") as client:
        assert '"season":false' in client.get("/").text


@pytest.mark.xdist_group("browser")
@needs("chromium")
def test_the_season_in_a_browser(season: Path) -> None:
    with sync_playwright() as playwright, served(Showing(season)) as base:
        browser = launch(playwright)
        for where, shape in {"desk": {}, "phone": {"width": 390, "dark": True}}.items():
            screen = Screen(browser, base, **shape)  # type: ignore[arg-type]
            page = screen.open("#/season")
            page.locator(".season tbody tr").nth(3).wait_for()
            ada = page.locator(".season tbody tr").filter(has=page.get_by_role("link", name="ada"))
            assert re.fullmatch(r"[123]", ada.locator("td").nth(0).inner_text())
            assert "version 2" in ada.locator("td").nth(1).inner_text()
            screen.assert_accessible()
            screen.keep(f"season-{where}", whole=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.locator(".nights a").first.focus()
            page.keyboard.press("Enter")
            page.locator(".standings tbody tr").nth(2).wait_for()
            assert page.locator("h1").inner_text() == "Night 1"
            screen.assert_accessible()
            screen.assert_quiet()
            screen.close()
        browser.close()


@pytest.mark.xdist_group("browser")
@needs("chromium")
def test_the_forecast_of_an_open_night_and_why_in_a_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weeks = Weeks(tmp_path, monkeypatch)
    weeks.league("ada", "bo", "cy", deals=12)
    weeks.play()
    weeks.play()
    run_night(RunConfig(tmp_path / "night.toml", weeks.database, minutes=0), weeks.watching)
    [coming] = season_json(weeks.database)["forecast"]
    with sync_playwright() as playwright, served(Showing(weeks.database)) as base:
        browser = launch(playwright)
        for where, shape in {"desk": {}, "phone": {"width": 390, "dark": True}}.items():
            screen = Screen(browser, base, **shape)  # type: ignore[arg-type]
            page = screen.open("#/season")
            bots = page.locator("table").filter(has_text="72 matches to come")
            bots.locator("tbody tr").nth(2).wait_for()
            firsts = bots.locator("tbody tr td:nth-of-type(1)").all_inner_texts()
            assert len(firsts) == len(coming["bots"]) and all("%" in first for first in firsts)
            pairs = page.locator("table").filter(has_text="Pairs: ").locator("tbody tr")
            assert pairs.count() == len(coming["pairs"])
            assert "came within the 90 % that were forecast" in page.locator("main").inner_text()
            screen.assert_accessible()
            screen.keep(f"forecast-{where}", whole=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.locator(".nights a").first.click()
            page.locator(".standings tbody tr").nth(2).wait_for()
            why = page.locator(".standings tbody span[title]").first
            if where == "desk":  # a phone has neither a pointer nor the column at once
                why.hover()
            said = why.get_attribute("title") or ""
            assert (
                said.startswith("Its ")
                and "By themselves they say" in said
                and (why.text_content() or "").endswith("%")
            )
            screen.assert_quiet()
            screen.close()
        browser.close()
