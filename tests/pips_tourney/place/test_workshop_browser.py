"""From the link of a place to a bot that is handed in, with a browser alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from pips_tourney.place.desk.hand_ins import READY
from tests.needs import needs
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.opened import OpenPlace, opened
from tests.pips_tourney.place.test_browser import enter, tab_to
from tests.pips_tourney.web.browser import Screen
from tests.pips_tourney.web.conftest import browser  # noqa: F401 - a fixture
from tests.pips_tourney.web.tab_series import unlike

pytestmark = [pytest.mark.xdist_group("browser"), needs("chromium", "workshop")]
STATUS = "main [role=status]"
STATE = "import('./static/state.js')"
TELLS = """import sys
        frame = sys._getframe()
        while "post" not in frame.f_locals:
            frame = frame.f_back
        post = frame.f_locals["post"]
        """
"""A bot that has found how its worker talks to the page."""
ATTACK = (
    TELLS
    + """\
post('{"kind": "begun", "line": "<img src=x onerror=window.attacked=1>", "hints": ["<script>"], "seed": ""}')
        post('{"kind": "result", "lines": ["<b>attack</b>"], "lost": 7}')
        return view.playable[0]"""
)
REACHES = """import js
        def got(address):
            request = js.XMLHttpRequest.new()
            request.open("GET", address, False)
            try:
                request.send()
            except BaseException:
                return "refused"
            return request.status
        print("page", got("/mine"), "runtime", got(PYTHON), hasattr(js, "document"), hasattr(js, "localStorage"))
        return view.playable[0]"""
BOT = """from pips_sdk.serpent import SerpentBot


class MyBot(SerpentBot):
    def lead(self, view):
        {lead}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPlace]:
    with opened(tmp_path_factory.mktemp("place")) as place:
        yield place


@pytest.fixture(scope="module")
def attacker(place: OpenPlace) -> int:
    """The version of a published bot that attacks who plays against it."""
    [bo] = [person for person in place.people.everybody() if person.bot == "bo"]
    version = place.hand_ins.keep(bo, [("bot.py", BOT.format(lead=ATTACK).encode())])
    place.hand_ins.set_state(version.id, READY)
    assert place.hand_ins.publish(bo, version.id)
    return version.id


@pytest.fixture(scope="module")
def visitor(browser: Browser, place: OpenPlace, attacker: int) -> Iterator[Screen]:  # noqa: F811
    """One for all tests: the runtime is fetched and compiled once."""
    screen = Screen(browser, place.base)
    yield screen
    screen.close()


@pytest.fixture
def screen(visitor: Screen) -> Screen:
    visitor.again()
    return visitor


@pytest.fixture
def left(visitor: Screen, place: OpenPlace) -> Page:
    """The workshop as the test before left it: every series ends with a new worker."""
    page = visitor.page
    if page.locator(".CodeMirror").count() == 0:
        page = workshop(visitor, place)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(STATUS)).to_contain_text("Ready.", timeout=1000 * PATIENCE_S)
    return page


def workshop(screen: Screen, place: OpenPlace) -> Page:
    """The page of the workshop, whose Python is there."""
    page = enter(screen, place, "ada")
    page.click("nav >> text=Workshop")
    expect(page.locator(STATUS)).to_contain_text("Ready.", timeout=1000 * PATIENCE_S)
    return page


def write(page: Page, lead: str) -> None:
    page.evaluate("(text) => document.querySelector('.CodeMirror').CodeMirror.setValue(text)", BOT.format(lead=lead))


def play(page: Page, matches: str = "20") -> str:
    """Play, and return what the page shows in the end."""
    page.get_by_label("Matches").select_option(matches)
    page.click("#play")
    expect(page.locator("#play")).to_have_text("Play", timeout=1000 * PATIENCE_S)
    expect(page.locator(STATUS)).to_contain_text("Ready.", timeout=1000 * PATIENCE_S)
    return page.inner_text("main")


@pytest.mark.parametrize("size", [(1280, 800), pytest.param((390, 844), marks=pytest.mark.long)])
def test_from_the_link_to_a_bot_that_is_handed_in(screen: Screen, place: OpenPlace, size: tuple[int, int]) -> None:
    """By the keyboard alone: write, play, look at a lost match, mend, hand in."""
    screen.page.set_viewport_size({"width": size[0], "height": size[1]})
    page = workshop(screen, place)
    page.get_by_label("Against").select_option("random")  # against another it may lose all, and has no interval
    page.get_by_label("Matches").select_option("20")
    tab_to(page, ".CodeMirror-code")
    page.keyboard.press("Control+a")
    page.keyboard.type("from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n")
    page.keyboard.type("def lead(self, view):\nreturn view.nothing\n")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".outcome pre").first).to_contain_text("What to do: ", timeout=1000 * PATIENCE_S)
    assert "AttributeError: " in page.inner_text("main") and "(at my_bot.py:5)" in page.inner_text("main")
    screen.assert_accessible()
    page.keyboard.press("Escape")
    tab_to(page, ".lost button")
    page.keyboard.press("Enter")
    page.locator(".now.fault").wait_for()
    assert "It failed at question" in page.inner_text(".explained")
    screen.keep(f"workshop-{size[0]}-replay", whole=True)
    page.go_back()
    assert "return view.nothing" in page.inner_text(".CodeMirror"), "nothing is lost"
    page.evaluate(
        "document.querySelector('.CodeMirror').CodeMirror.replaceRange('playable[0]', {line: 4, ch: 20}, {line: 4})"
    )
    tab_to(page, "#play")
    page.keyboard.press("Enter")
    expect(page.locator("svg.interval")).to_be_visible(timeout=1000 * PATIENCE_S)
    expect(page.locator("#play")).to_have_text("Play", timeout=1000 * PATIENCE_S)
    screen.assert_accessible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    screen.keep(f"workshop-{size[0]}", whole=True)
    hand_in(page, place)
    page.click("nav >> text=Workshop")
    page.locator(".CodeMirror").wait_for()
    assert "view.playable[0]" in page.inner_text(".CodeMirror")
    screen.assert_quiet()


def hand_in(page: Page, place: OpenPlace) -> None:
    """Hand in from the workshop, by the keyboard; the page then shows the check."""
    tab_to(page, ".CodeMirror-code")
    page.keyboard.press("Escape")
    tab_to(page, "main form button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/mine")
    page.locator("#card h2", has_text="waiting").first.wait_for()
    version = place.hand_ins.all()[-1]
    [file] = place.hand_ins.files(version).iterdir()
    assert file.read_text().rstrip().endswith("return view.playable[0]")


def assert_told(page: Page, screen: Screen, lead: str, *said: str) -> None:
    write(page, lead)
    if "while" in lead:  # all else has its time on a busy machine
        page.evaluate(f"{STATE}.then(({{ about }}) => (about.workshop.patience_s = 1))")
    shown = play(page)
    assert [each for each in said if each not in shown] == [], lead
    page.evaluate(f"{STATE}.then(({{ about }}) => delete about.workshop.patience_s)")
    screen.keep(f"workshop-{lead.split(maxsplit=1)[0]}", whole=True)


def test_what_goes_wrong_is_explained_and_nothing_is_lost(left: Page, visitor: Screen) -> None:
    page = left
    assert_told(page, visitor, "while True: pass", "Is there a loop in it that never ends?")
    assert_told(
        page, visitor, "print('x' * 10**7)\n        import js\n        js.eval('1')", "This is the end of ", "EvalError"
    )
    assert_told(page, visitor, "kept = []\n        while True: kept.append(bytes(10**8))", "There is too little memory")
    write(page, "sum(range(10**12))")
    page.click("#play")
    expect(page.locator(STATUS)).to_contain_text("of 20 matches are played", timeout=1000 * PATIENCE_S)
    page.click("#play")
    expect(page.locator(STATUS)).to_have_text("Stopped. 0 of 20 matches were played. Ready.", timeout=1000 * PATIENCE_S)
    page.reload()
    assert "sum(range(10**12))" in page.inner_text(".CodeMirror")


@pytest.mark.long
def test_what_cannot_be_read_here_is_explained(left: Page, visitor: Screen) -> None:
    """The words of a tab's Python; tests of `tab.py` read them without a browser."""
    assert_told(left, visitor, "retrn view", "line 6: Python cannot read this: invalid syntax")
    assert_told(left, visitor, "import numpy", "No module named 'numpy' (at my_bot.py:6)")


@pytest.mark.long
def test_a_tab_plays_what_the_server_plays(screen: Screen, place: OpenPlace, tmp_path: Path) -> None:
    """50 matches of every game are compared by `make lab WHAT=tab`."""
    assert unlike(workshop(screen, place), tmp_path, 6) == []


def test_a_bot_reaches_no_page_of_the_visitor(left: Page) -> None:
    """Its worker may fetch the files of the runtime, and no more."""
    page = left
    python = page.evaluate(
        f"{STATE}.then(({{ about }}) => new URL(about.workshop.runtime + 'pyodide.mjs', document.baseURI).pathname)"
    )
    write(page, REACHES.replace("PYTHON", repr(python)))
    assert "page refused runtime 200 False False" in play(page)


@pytest.mark.parametrize(
    "told",
    [
        '{"kind": "replay", "id": "own-x", "views": [{"explained": []}]}',
        pytest.param('{"kind": "course", "course": {}}', marks=pytest.mark.long),
        pytest.param('{"kind": "ready"}', marks=pytest.mark.long),
    ],
)
def test_a_match_that_nobody_asked_for_is_not_shown(left: Page, told: str) -> None:
    """Nor does a bot end the page's own watch by what it tells."""
    page = left
    replays = f"{STATE}.then(({{ about }}) => Object.keys(about.replays))"
    shown = page.evaluate(replays)
    write(page, f"{TELLS}post('{told}')\n        sum(range(10**12))")
    page.click("#play")
    expect(page.locator(STATUS)).to_contain_text("nobody asked for that", timeout=1000 * PATIENCE_S)
    expect(page.locator(STATUS)).to_contain_text("Ready.", timeout=1000 * PATIENCE_S)
    assert page.url.endswith("#/workshop") and page.evaluate(replays) == shown


def test_a_published_bot_plays_here_when_one_clicks(left: Page, place: OpenPlace, attacker: int) -> None:
    """Its text is not even fetched before; what it tells the page by itself is text."""
    page, asked = left, list[str]()
    page.on("request", lambda request: asked.append(request.url.removeprefix(place.base)))
    write(page, "return view.playable[0]")
    page.get_by_label("Against").select_option(label="bo (published)")
    assert asked == []
    page.click("#play")
    expect(page.locator(STATUS)).to_contain_text("cannot be shown, so it was stopped", timeout=1000 * PATIENCE_S)
    own_files = ("workshop/runtime/", "workshop/static/")
    assert [url for url in asked if not url.startswith(own_files)] == [f"workshop/version/{attacker}"]
    assert page.evaluate("window.attacked") is None and page.locator("main img").count() == 0
    assert "view.playable[0]" in page.inner_text(".CodeMirror"), "nothing is lost"
    page.get_by_label("Against").select_option("greedy")


@pytest.mark.long
def test_a_bot_spoils_no_reader(screen: Screen, place: OpenPlace) -> None:
    """A match is read by a worker in which no bot has run."""
    page = workshop(screen, place)
    write(
        page,
        "import pips_tourney.web.browser.tab as tab\n        tab._views = lambda _: sum(range(10**12))\n"
        "        return view.playable[-1]",
    )
    play(page)
    page.locator(".lost button").first.click()
    page.locator(".now").wait_for()


@pytest.mark.long
def test_who_waits_for_a_match_to_be_read_can_play_on(browser: Browser, place: OpenPlace) -> None:  # noqa: F811
    """Reading has a limit, too, and Play ends it."""
    screen = Screen(browser, place.base)  # whose clock is its own
    page = screen.page
    page.clock.install()
    page.add_init_script(
        "const post = Worker.prototype.postMessage;"
        "Worker.prototype.postMessage = function (asked) { if (asked.kind !== 'replay') post.call(this, asked); };"
    )
    workshop(screen, place)
    write(page, "return view.playable[-1]")
    play(page)
    page.locator(".lost button").first.click()
    expect(page.locator(STATUS)).to_contain_text("The match is being read", timeout=1000 * PATIENCE_S)
    assert "20 matches" in play(page)
    page.locator(".lost button").first.click()
    expect(page.locator(STATUS)).to_contain_text("The match is being read", timeout=1000 * PATIENCE_S)
    page.clock.fast_forward(61_000)
    expect(page.locator(STATUS)).to_contain_text("The match was not read within 60 s", timeout=1000 * PATIENCE_S)
    expect(page.locator(STATUS)).to_contain_text("Ready.", timeout=1000 * PATIENCE_S)
    screen.close()


@pytest.mark.long
def test_publishing_says_what_it_means(screen: Screen, place: OpenPlace) -> None:
    [ada] = [person for person in place.people.everybody() if person.bot == "ada"]
    version = place.hand_ins.keep(ada, [("bot.py", BOT.format(lead="return view.playable[0]").encode())])
    place.hand_ins.set_state(version.id, READY)
    page = workshop(screen, place)
    said: list[str] = []

    def refuse(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", refuse)
    page.click("text=Publish ada")
    assert "Everybody in this place can then read" in said[0] and "You can take it back" in said[0]
    assert "ada" not in [each.bot for each in place.hand_ins.published()]
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("text=Publish ada")
    page.get_by_text(re.compile("^Take ada")).click()
    page.get_by_text("Publish ada").wait_for()
    assert "ada" not in [each.bot for each in place.hand_ins.published()]


@pytest.mark.long
def test_every_series_gets_a_worker_of_its_own(screen: Screen, place: OpenPlace) -> None:
    """What a bot does to Python and to Pips ends with it."""
    page = workshop(screen, place)
    write(page, "import random\n        random.mark = 1\n        return view.playable[0]")
    play(page)
    write(page, "import random\n        return view.nothing if hasattr(random, 'mark') else view.playable[0]")
    assert "fault" not in play(page)


@pytest.mark.long
def test_tests_and_what_decisions_cost(screen: Screen, place: OpenPlace) -> None:
    page = workshop(screen, place)
    page.click("text=Run the tests")
    expect(page.locator("h2", has_text="3 of 3 tests passed")).to_be_visible(timeout=1000 * PATIENCE_S)
    page.get_by_label(re.compile("^File")).select_option("tests")
    assert "def test_it_plays_by_the_rules" in page.inner_text(".CodeMirror")
    screen.assert_accessible()
    page.get_by_label(re.compile("^File")).select_option("texts")
    write(page, "return view.playable[-1]")
    play(page)
    page.locator(".lost button").first.click()
    page.locator(".now").wait_for()
    page.click("text=Analyse this match")
    page.locator("h3", has_text="Costly answers").wait_for(timeout=1000 * PATIENCE_S)
    screen.assert_accessible()
    screen.keep("workshop-course", whole=True)
    screen.assert_quiet()
