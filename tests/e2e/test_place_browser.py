"""The story of a place in a real browser, at two sizes, with real processes.

An organiser invites three. A student hands in a broken bot, mends it, sees where it
stands, and looks at a lost match at its worst moment. The organiser annuls a match.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

from tests.lab.place.opened import SOURCES, OpenedPlace
from tests.needs import needs
from tests.pips_tourney.web.browser import Screen, launch

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]
BROKEN = "from pips_sdk.wichita import WichitaBot\n\nclass Mine(WichitaBot)\n    pass\n"
LEAGUE = """
games = ["wichita"]
bots = [{ name = "random", sample = "random" }, { name = "greedy", sample = "greedy" }]
stop = { name = "settled", deals = "adaptive", matches = 400 }

[place]
anonymous = false
"""


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def place() -> Iterator[OpenedPlace]:
    with tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), 0)
        place.prepare()
        (place.folder / "class.toml").write_text(LEAGUE, encoding="utf-8")
        try:
            place.open()
            yield place
        finally:
            place.close()


def invite_three(page: Page, place: OpenedPlace) -> list[str]:
    """The organiser enters and invites; returns the links of the invites."""
    page.goto(f"{place.address}/enter#{place.organiser}")
    page.wait_for_url("**/organiser")
    page.click(".tabs >> text=People")
    page.fill("#names", "Ada Lovelace\nBo\nCy\n")
    page.get_by_role("button", name="Invite", exact=True).click()
    page.locator("h2", has_text="New invites").wait_for()
    links = re.findall(r"http://\S+/enter#\S+", page.inner_text("main"))
    assert len(links) == 3
    return links


def hand_in_twice(page: Page) -> None:
    """A broken bot is refused with file and line, and a good one stands somewhere."""
    page.locator("#hand-in summary").click()
    page.fill("#text", BROKEN)
    page.get_by_role("button", name="Hand in", exact=True).click()
    page.locator("#card h2", has_text="Ada Lovelace: refused").wait_for()
    said = page.locator("#card pre").first.inner_text()
    assert "bot.py" in said and "line 3" in said, said
    page.set_input_files("#files", FilePayload(name="bot.py", mimeType="text/plain", buffer=SOURCES[0].encode()))
    page.get_by_role("button", name="Hand in", exact=True).click()
    page.locator("#card h2", has_text="Ada Lovelace v2: ready").wait_for()
    page.goto(f"{page.url.split('#')[0]}#more")
    while "with 95 % between" not in page.inner_text("main"):
        page.wait_for_timeout(500)
        page.reload()
    assert "round" in page.locator("#card").inner_text()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_whole_story(browser: Browser, place: OpenedPlace, size: tuple[int, int]) -> None:
    office = Screen(browser, f"{place.address}/", width=size[0], height=size[1])
    links = invite_three(office.page, place)
    desk = Screen(browser, f"{place.address}/", width=size[0], height=size[1])
    page = desk.page
    page.goto(links[0])
    page.wait_for_url("**/mine")
    hand_in_twice(page)
    desk.assert_accessible()
    desk.keep(f"place-story-{size[0]}", whole=True)
    while not page.locator('a[href*="/worst?"]').count():
        page.wait_for_timeout(500)
        page.reload()
    lost = page.locator('a[href*="/worst?"]').first
    match = str(lost.get_attribute("href")).split("/match/")[1].split("/")[0]
    lost.click()
    page.wait_for_url("**/night/#/match/**")
    page.locator(".now").wait_for()
    assert re.search(rf"#/match/{match}/worst\?seat=[01]", page.url)
    annul(office, place)
    assert desk.complaints == [] == desk.strangers == office.strangers == office.complaints
    desk.close()
    office.close()


def annul(office: Screen, place: OpenedPlace) -> None:
    """The organiser annuls a match after its preview, and takes the gradebook home."""
    page = office.page
    page.goto(f"{place.address}/organiser#corrections")
    listed = page.locator("#corrections ol li").first
    listed.locator("summary", has_text="Annul").click()
    listed.locator("[name=reason]").first.fill("a power cut")
    listed.locator("button[value=preview]").first.click()
    page.locator("h2", has_text="What would change").wait_for()
    assert "Nothing was decided" in page.inner_text("main")
    page.get_by_role("button", name="Do it").click()
    page.locator("text=is annulled").first.wait_for()
    page.locator(".tabs:visible >> text=Grades").click()
    with page.expect_download() as waiting:
        page.click("text=Download the gradebook")
    with Path(waiting.value.path()).open(encoding="utf-8") as file:
        assert "Ada Lovelace v2" in {row["bot"] for row in csv.DictReader(file)}
