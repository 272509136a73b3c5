"""Circles on screen: told where the results have one, nothing where they have none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.web.public import Public
from pips_tourney.web.report import report
from tests.needs import needs
from tests.pips_tourney.web.browser import Screen, launch
from tests.pips_tourney.web.nights import circle_night, long_night


@pytest.fixture
def night(tmp_path: Path) -> Path:
    return circle_night(tmp_path)


def test_the_public_report_tells_the_circle_by_aliases(night: Path) -> None:
    aliases = {"ada": "Bot 1", "bo": "Bot 2", "cy": "Bot 3"}
    [inside] = re.findall(r'id="about">(.*?)</script>', report(night, [], Public(aliases)), re.DOTALL)
    found = json.loads(inside)["night"]["tables"][0]["circles"]
    assert found["circle"] == ["Bot 1", "Bot 2", "Bot 3"]


@pytest.mark.xdist_group("browser")
@needs("chromium")
def test_the_page_tells_the_circle(night: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with read_store(night) as store:
        found = as_json(standings(last_night(store)))["tables"][0]["circles"]
    straight = long_night(tmp_path_factory.mktemp("straight"), 60)
    for path in (night, straight):
        path.with_suffix(".html").write_text(report(path, []), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        screen = Screen(browser, night.with_suffix(".html").as_uri())
        page = screen.open("#/standings/serpent")
        section = page.locator(".circles")
        assert "ada beats bo, bo beats cy, cy beats ada" in section.inner_text()
        assert f"luck alone does as much is {100 * found['fits']:.2f} %" in section.inner_text()
        screen.assert_accessible()
        screen.keep("circles", whole=True)
        screen.assert_quiet()
        screen.close()
        screen = Screen(browser, straight.with_suffix(".html").as_uri())
        assert screen.open("#/standings/serpent").locator(".circles").count() == 0
        screen.close()
        browser.close()
