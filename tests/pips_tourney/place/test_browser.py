"""The pages in a browser, at two sizes: axe, the keyboard, and without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, FilePayload, Page, expect

from pips_tourney.people.presence import GuestNote
from pips_tourney.people.store import Invited
from pips_tourney.web.match.courses import Courses
from tests.needs import needs
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.opened import OpenHost, OpenPlace, opened
from tests.pips_tourney.place.test_seat import publish
from tests.pips_tourney.web.browser import Screen
from tests.pips_tourney.web.conftest import browser  # noqa: F401 - a fixture
from tests.pips_tourney.web.test_browser import answer
from tests.pips_tourney.web.test_course_page import found_at_once

pytestmark = [
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]
SIZES = [(390, 844), pytest.param((1280, 800), marks=pytest.mark.long)]
BROKEN = "import nothing\n"
PLAYS = "from pips_sdk import run\nfrom pips_sdk.serpent import SerpentBot\n\n\nclass Mine(SerpentBot):\n    pass\n\n\n"
PLAYS += "if __name__ == '__main__':\n    run(Mine)\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPlace]:
    with opened(tmp_path_factory.mktemp("place")) as place:
        yield place


def enter(screen: Screen, place: OpenPlace, who: str) -> Page:
    """Open the link of an invite; its code leaves the address at once."""
    page = screen.page
    page.context.clear_cookies()
    page.goto(f"{place.base}enter#{place.codes[who]}")
    page.wait_for_url("**/organiser" if who == "organiser" else "**/mine")
    assert "#" not in page.url
    return page


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_serious_on_any_page(browser: Browser, place: OpenPlace, size: tuple[int, int]) -> None:  # noqa: F811
    screen = Screen(browser, place.base, width=size[0], height=size[1])
    page = screen.page
    page.goto(f"{place.base}enter")
    screen.assert_accessible()
    enter(screen, place, "ada")
    paste(page, BROKEN)
    page.locator("#card h2", has_text="waiting").first.wait_for()
    (newest, *_) = reversed(place.hand_ins.all())
    place.hand_ins.set_state(newest.id, "refused", "bot.py, line 1: No module named 'nothing'")
    page.locator("#card h2", has_text="refused").first.wait_for()
    for address in ("mine", "poster", "nowhere"):
        page.goto(place.base + address)
        screen.assert_accessible()
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, (address, wide)
        screen.keep(f"place-{size[0]}-{address.split('/')[0]}", whole=True)
    enter(screen, place, "organiser")
    page.goto(f"{place.base}organiser#corrections")
    page.locator("#corrections ol details", has_text="Annul").first.locator("summary").click()
    page.locator("#corrections ol [name=reason]").first.fill("a power cut")
    page.locator("#corrections ol button[value=preview]").first.click()
    page.locator("h2", has_text="What would change").wait_for()
    screen.assert_accessible()
    screen.keep(f"place-{size[0]}-organiser", whole=True)
    page.goto(f"{place.base}night/")
    page.locator("h1").first.wait_for()
    screen.assert_accessible()
    assert [text for text in screen.complaints if "404" not in text] == [] == screen.strangers
    screen.close()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPlace]:
    with opened(tmp_path_factory.mktemp("host"), OpenHost) as host:
        yield host


@pytest.mark.parametrize("size", SIZES)
def test_the_pages_of_a_hosted_night(browser: Browser, host: OpenHost, size: tuple[int, int]) -> None:  # noqa: F811
    """The code with which a bot joins opens them, as link or typed; axe agrees."""
    screen = Screen(browser, host.base, width=size[0], height=size[1])
    page = screen.page
    host.note(GuestNote("ada", False, "", None, 0))
    page.goto(f"{host.base}enter")
    screen.assert_accessible()
    page.fill("#code", host.codes["ada"].lower().replace("-", " "))
    page.keyboard.press("Enter")
    page.wait_for_url("**/mine")
    assert "It has not dialled in." in page.inner_text("#guest")
    host.note(GuestNote("ada", True, "2026-11-25T19:02:11+00:00", "", 3))
    page.locator("#guest", has_text="It is connected since").wait_for()  # without a reload
    for address, who in (("mine", "ada"), ("organiser", "organiser")):
        enter(screen, host, who)
        page.goto(host.base + address)
        screen.assert_accessible()
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, (address, wide)
        screen.keep(f"host-{size[0]}-{address}", whole=True)
    screen.assert_quiet()
    screen.close()


def test_the_page_of_a_void_invite_says_so_by_itself(browser: Browser, host: OpenHost) -> None:  # noqa: F811
    screen = Screen(browser, host.base)
    page = enter(screen, host, "bo")
    page.locator("#guest").wait_for()
    host.people.revoke(next(person.id for person in host.people.everybody() if person.bot == "bo"))
    page.get_by_text("Enter with your invite first.").wait_for()
    screen.close()


def test_a_page_of_the_night_is_no_code(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    screen = Screen(browser, place.base)
    screen.page.goto(f"{place.base}night/#/matches")
    screen.page.wait_for_timeout(300)
    assert screen.page.url == f"{place.base}enter#/matches" and screen.page.input_value("#code") == ""
    screen.assert_quiet()
    screen.close()


def test_a_link_makes_nobody_another(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    """A visitor who is logged in sees as whom, and presses the button or not."""
    screen = Screen(browser, place.base)
    page = enter(screen, place, "bo")
    page.goto(f"{place.base}enter#{place.codes['ada']}")
    page.wait_for_function("document.getElementById('code').value !== ''")
    page.wait_for_timeout(300)
    assert page.url.endswith("/enter") and "You are Bo here" in page.inner_text("main")
    page.goto(f"{place.base}mine")
    assert "My bot: bo" in page.title() + page.inner_text("body")


def test_what_is_typed_outlives_a_check(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    screen = Screen(browser, place.base)
    page = enter(screen, place, "bo")
    paste(page, "a = 1\n")
    page.locator("#card h2", has_text="waiting").first.wait_for()
    page.locator("#hand-in summary").click()
    page.fill("#text", "b = 2\n")
    page.evaluate("location.hash = 'versions'")
    place.hand_ins.set_state(place.hand_ins.all()[-1].id, "ready", "fine")
    page.locator("#card h2", has_text="ready").wait_for()
    assert page.input_value("#text") == "b = 2\n"
    assert page.locator("#versions").is_visible() and not page.locator("#matches").is_visible(), "the tab stays open"
    assert page.locator("#versions article h2").first.text_content() == "bo: ready", "the other parts know it, too"
    page.fill("#text", "")


def test_the_keyboard_alone_is_enough(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    screen = Screen(browser, place.base)
    page = screen.page
    page.goto(f"{place.base}enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    tab_to(page, "#code")
    page.keyboard.type(place.codes["bo"])
    page.keyboard.press("Enter")
    page.wait_for_url("**/mine")
    tab_to(page, "#hand-in summary")
    page.keyboard.press("Enter")
    tab_to(page, "#text")
    page.keyboard.type("a = 1")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "name"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#card h2", has_text="waiting").first.wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'main'")
    screen.close()


def paste(page: Page, text: str) -> None:
    """Hand in a text."""
    page.locator("#hand-in summary").click()
    page.fill("#text", text)
    page.get_by_role("button", name="Hand in", exact=True).click()


def tab_to(page: Page, where: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(where) => document.activeElement.matches(where)", where):
            return
    raise AssertionError(f"{where} cannot be reached")


def test_without_javascript_standings_and_hand_in_work(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{place.base}enter")
    page.fill("#code", place.codes["cy"].upper())
    page.click("button")
    page.wait_for_url("**/mine")
    paste(page, "a = 1\n")
    assert "cy: waiting" in page.inner_text("main")
    page.set_input_files("#files", FilePayload(name="bot.py", mimeType="text/plain", buffer=b"b = 2\n"))
    page.get_by_role("button", name="Hand in", exact=True).click()
    assert "cy v2: waiting" in page.inner_text("main")
    page.click("nav >> text=Standings")
    assert "Elo" in page.inner_text("main") and "ada" in page.inner_text("main")
    context.close()


def test_a_lost_match_opens_at_its_worst_moment(
    browser: Browser,  # noqa: F811
    place: OpenPlace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Courses, "_find", found_at_once)
    screen = Screen(browser, place.base)
    page = enter(screen, place, "ada")
    person = next(each for each in place.people.everybody() if each.bot == "ada")
    if not place.hand_ins.of(person):
        place.hand_ins.keep(person, [("bot.py", b"a = 1")])
    page.goto(f"{place.base}mine")
    page.locator('a[href*="/worst?seat="]').first.click()
    page.wait_for_url("**/night/#/match/*/worst?seat=*")
    page.locator("svg.course").wait_for()
    assert page.get_by_text("Analyse this match").count() == 0
    costly = page.locator(".stage .costly")
    if costly.count():
        costly.first.get_by_role("button").first.click()
        assert "Better: " in costly.first.inner_text() and "It cost" in costly.first.inner_text()
    else:
        page.get_by_text("at this moment luck cost it most").wait_for()
    page.keyboard.press("ArrowRight")
    expect(page).not_to_have_url(re.compile("worst"), timeout=1000 * PATIENCE_S)
    screen.close()


def test_ones_own_row_is_marked_on_a_phone_and_a_bot_above_the_boss(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    ada = next(each for each in place.people.everybody() if each.bot == "ada")
    if not place.hand_ins.of(ada):
        place.hand_ins.keep(ada, [("bot.py", b"a = 1")])
    screen = Screen(browser, place.base, width=390, height=844)
    page = enter(screen, place, "ada")
    page.goto(f"{place.base}night/#/standings/serpent")
    own = page.locator("tr:has(> th .own)")
    own.wait_for()
    looks = own.evaluate("(row) => [...row.children].map((cell) => getComputedStyle(cell).backgroundColor)")
    assert len(set(looks)) == 1, looks
    for is_above in (True, False):
        page.evaluate(
            "async (above) => { const { about, redraw } = await import('./static/state.js');"
            " for (const one of about.night.tables)"
            " one.rows.find((row) => row.bot === 'ada').above_boss = above; redraw(); }",
            is_above,
        )
        assert ("★ above greedy" in own.inner_text()) is is_above
    screen.assert_quiet()
    screen.close()


def test_names_that_are_marks_stay_names(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    evil = "<img src=x onerror=alert(1)>"
    place.people.invite([Invited(evil, evil)])
    screen = Screen(browser, place.base)
    shown: list[str] = []

    def note(dialog: Dialog) -> None:
        shown.append(dialog.message)
        dialog.dismiss()

    screen.page.on("dialog", note)
    page = enter(screen, place, "organiser")
    page.click(".tabs >> text=People")
    assert evil in page.inner_text("main") and page.locator("img[src=x]").count() == 0
    assert "Class <1>" in page.inner_text("header")
    assert shown == [] == screen.complaints
    screen.close()


@pytest.mark.long
@needs("bwrap")
def test_a_published_bot_is_played_by_hand_and_by_ones_own(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    with opened(tmp_path) as place:
        for author in ("ada", "bo"):
            publish(place, PLAYS, author)
        screen = Screen(browser, place.base)
        page = enter(screen, place, "ada")
        page.goto(f"{place.base}night/#/bots/bo")
        screen.assert_accessible()
        page.get_by_role("link", name="Play against it").click()
        expect(page.get_by_label("Against")).to_have_value("bo")
        page.get_by_role("button", name="Sit down").click()
        over, ask, seen = page.locator(".ask.over"), page.locator(".ask[data-number]"), ""
        while True:
            page.locator(f".ask.over, .ask[data-number]:not([data-number='{seen}'])").first.wait_for()
            if over.count():
                break
            seen = str(ask.get_attribute("data-number"))
            answer(page, ask, str(ask.get_attribute("data-kind")))
        assert int(seen) > 5 and re.match(r"You (have won|have lost|are first)", over.locator("h2").inner_text())
        page.goto(f"{place.base}night/#/bots/bo")
        page.get_by_role("button", name="20 deals of my bot").click()
        page.locator("#scrimmage", has_text=re.compile("20 deals against bo")).wait_for()
        screen.assert_quiet()
        screen.close()
