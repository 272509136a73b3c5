"""From the link of a place to a rated bot, in a browser alone, at a person's pace."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from pips_tourney.bots.interpreter import cache_folder
from tests.lab.place.opened import OpenedPlace
from tests.needs import needs
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.test_browser import tab_to
from tests.pips_tourney.web.browser import Screen, launch

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("browser"), needs("chromium", "workshop")]
LEAGUE = """
games = ["serpent"]
bots = [{ name = "random", sample = "random" }, { name = "greedy", sample = "greedy" }]
deals = 20
"""
LINES = """from pips_sdk.serpent import SerpentBot

class MyBot(SerpentBot):
def lead(self, view):
return view.playable[len(view.playable)]
"""
KEY_MS = 100
"""How long a person takes to type a letter."""
READING_S = 60
"""How long a person reads and thinks, on top of what the page takes."""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenedPlace]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_folder().parent))
    with tempfile.TemporaryDirectory(prefix="pw-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), 3, league=LEAGUE)
        place.prepare()
        try:
            place.open()
            yield place
        finally:
            place.close()


def test_three_minutes_by_the_keyboard(place: OpenedPlace) -> None:
    with sync_playwright() as playwright, launch(playwright) as browser:
        screen = Screen(browser, f"{place.address}/")
        began = monotonic()
        story(screen, f"{place.address}/enter#{place.codes['s00']}")
        took = monotonic() - began
        print(f"from the link to the first interval: {took:.0f} s, of which a person types for {typing_s():.0f} s")
        assert took + READING_S <= 180
        screen.assert_accessible()
        screen.keep("workshop-rated", whole=True)
        screen.assert_quiet()


def typing_s() -> float:
    return len(LINES) * KEY_MS / 1000


def story(screen: Screen, link: str) -> None:
    """Enter, write, play, see a lost match, mend, hand in, see the first interval."""
    page = screen.page
    page.goto(link)
    page.wait_for_url("**/mine")
    tab_to(page, "a[href*='/workshop/']")
    page.keyboard.press("Enter")
    page.locator(".CodeMirror-code").wait_for()
    tab_to(page, ".CodeMirror-code")
    page.keyboard.press("Control+a")
    page.keyboard.type(LINES, delay=KEY_MS)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".outcome pre").first).to_contain_text("IndexError", timeout=1000 * PATIENCE_S)
    page.keyboard.press("Escape")
    tab_to(page, ".lost button")
    page.keyboard.press("Enter")
    page.locator(".now.fault").wait_for()
    page.go_back()
    page.locator(".CodeMirror-code").wait_for()
    mend(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".outcome")).to_contain_text("200 matches", timeout=1000 * PATIENCE_S)
    expect(page.locator("#state")).to_contain_text("Ready.", timeout=1000 * PATIENCE_S)
    page.keyboard.press("Escape")
    tab_to(page, "main form button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/mine")
    page.goto(f"{page.url}#more")
    while "with 95 % between" not in page.inner_text("main"):
        page.wait_for_timeout(500)
        page.reload()


def mend(page: Page) -> None:
    """Back in the editor, the last line is written anew."""
    tab_to(page, ".CodeMirror-code")
    for keys in ("Control+End", "ArrowUp", "End", "Shift+Home"):
        page.keyboard.press(keys)
    page.keyboard.type("return view.playable[0]", delay=KEY_MS)
