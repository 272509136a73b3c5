"""Games of other wheels on the pages: their nights, and a person at their tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page

from pips_tourney.web.server import Showing
from tests.games.conftest import wheels  # noqa: F401 - a fixture
from tests.needs import needs
from tests.pips_tourney.web.browser import Screen, served
from tests.pips_tourney.web.gallery import OVER
from tests.pips_tourney.web.nights import FOUR, small_night

pytestmark = [pytest.mark.xdist_group("browser"), needs("chromium")]
GAMES: Final = (
    '[{ name = "pig", seats = 3, options = { goal = 50 } }, "kuhn", { name = "hearts", options = { hands = 1 } }]'
)
WIDTHS: Final = (pytest.param(1280, marks=pytest.mark.long), 390)


def assert_fits(screen: Screen, name: str, width: int) -> None:
    """Nothing is too wide, serious, or complained of. A picture is kept."""
    screen.keep(f"other-{name}-{width}", whole=True)
    assert screen.page.evaluate(OVER) <= 0, f"{name} is wider than the screen at {width}"
    screen.assert_accessible()
    screen.assert_quiet()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_night_of_them_is_shown(browser: Browser, tmp_path: Path, width: int) -> None:
    night = small_night(tmp_path, deals=1, games=GAMES, names=FOUR)
    with served(Showing(night)) as base:
        look_at_a_night(browser, base, width)


def look_at_a_night(browser: Browser, base: str, width: int) -> None:
    screen = Screen(browser, base, width=width)
    for name in ("standings/hearts", "standings/overall", "cross/kuhn", "matches", "play"):
        screen.open(f"#/{name}")
        assert_fits(screen, name.replace("/", "-"), width)
    for game in ("pig", "kuhn", "hearts"):
        page = screen.open("#/matches")
        page.get_by_label("Game").select_option(game)
        page.locator("tbody tr").first.get_by_role("link").last.click()
        page.locator(".now").wait_for()
        for _ in range(12):
            page.keyboard.press("ArrowRight")
        assert_fits(screen, f"match-{game}", width)
        page.keyboard.press("End")
        assert page.locator(".now").inner_text().startswith("The match is over: 1. ")
    screen.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_person_plays_hearts_to_its_end(browser: Browser, width: int) -> None:
    with served(Showing(None)) as base:
        play_hearts(browser, base, width)


def play_hearts(browser: Browser, base: str, width: int) -> None:
    screen = Screen(browser, base, width=width)
    page = screen.open("#/play?wait=0")
    page.get_by_role("radio", name="Hearts").check()
    page.get_by_label("Against").select_option("greedy")
    page.get_by_label("Hands").fill("1")
    page.get_by_label("Deal").fill("hearts")
    page.get_by_role("button", name="Sit down").click()
    ask, over, answered = page.locator(".ask[data-number]"), page.locator(".ask.over"), 0
    while True:
        page.locator(f".ask.over, .ask[data-number='{answered + 1}']").first.wait_for()
        if over.count():
            break
        if answered in (0, 5):
            assert_fits(screen, f"play-hearts-{answered}", width)
        answer(page, ask)
        answered += 1
    assert answered > 8
    assert re.match(r"You (have won|have lost|are first)", over.locator("h2").inner_text())
    page.get_by_role("link", name="Watch it with all cards").click()
    page.locator(".now").wait_for()
    page.keyboard.press("End")
    assert_fits(screen, "play-hearts-replay", width)
    screen.close()


def answer(page: Page, ask: Locator) -> None:
    """Pass three cards that are chosen one by one, and play the first that may be."""
    if ask.get_attribute("data-kind") == "play":
        ask.locator(".choice").first.click()
        return
    for place, left in ((0, 66), (2, 11), (4, 1)):
        ask.locator(".slot.pick").nth(place).click()
        page.wait_for_function("n => document.querySelectorAll('.ask .choice').length === n", arg=min(left, 12))
    assert "286" not in ask.inner_text()
    ask.get_by_role("button", name=re.compile("^pass ")).click()
