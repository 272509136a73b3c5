"""Every page of a place at 1920, 1280 and 390 pixels, light and dark (gallery.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from tests.needs import needs
from tests.pips_tourney.place.opened import OpenPlace, opened
from tests.pips_tourney.place.test_browser import enter
from tests.pips_tourney.web.browser import Screen
from tests.pips_tourney.web.conftest import browser  # noqa: F401 - a fixture
from tests.pips_tourney.web.gallery import in_all_shapes

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]
REFUSED: Final = """my_bot.py, line 3: No module named 'serpant'

  1  from pips_sdk.serpent import SerpentBot
  2
> 3  import serpant
"""


class Scene(NamedTuple):
    """A page: who looks at it, at which address, and what is done before it is seen."""

    name: str
    who: str
    at: str = ""
    act: Callable[[Page], object] = lambda _: None


def _guess(page: Page) -> None:
    page.fill("#code", "no code")
    page.locator("main button").click()


def _preview(page: Page) -> None:
    corrections = page.locator("#corrections")
    corrections.locator("summary", has_text="Withdraw ada").click()
    corrections.locator("form[action^='/organiser/withdraw'] [name=reason]").fill("it was handed in by mistake")
    corrections.locator("form[action^='/organiser/withdraw'] button[value=preview]").click()
    page.locator("h2", has_text="What would change").wait_for()


def _invite(page: Page) -> None:
    row = page.locator("tr", has=page.locator("th", has_text=re.compile("^Bo$")))
    row.locator("summary").first.click()
    row.locator("summary", has_text="New invite").click()
    page.get_by_role("button", name="New invite for Bo").click()
    page.locator("h2", has_text="New invites").wait_for()


SCENES: Final = (
    Scene("enter", "", "enter"),
    Scene("enter-wrong", "", "enter", _guess),
    Scene("mine", "ada", "mine"),
    *(Scene(f"mine-{tab}", "ada", f"mine#{tab}") for tab in ("versions", "more")),
    Scene("mine-new", "cy", "mine"),
    Scene("begin", "ada"),
    Scene("unknown", "ada", "nowhere"),
    Scene("organiser", "organiser", "organiser"),
    *(Scene(f"organiser-{tab}", "organiser", f"organiser#{tab}") for tab in ("people", "corrections", "grades")),
    Scene("organiser-preview", "organiser", "organiser?of=ada#corrections", _preview),
    Scene("organiser-invite", "organiser", "organiser#people", _invite),
    Scene("alike", "organiser", "organiser/alike"),
    Scene("poster-screen", "organiser", "poster"),
    Scene("night", "ada", "night/", lambda page: page.locator("table").first.wait_for()),
    Scene("play", "ada", "night/#/play"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPlace]:
    with opened(tmp_path_factory.mktemp("place")) as place:
        ada = next(person for person in place.people.everybody() if person.bot == "ada")
        for state, said in (("ready", "It plays every game of the league."), ("refused", REFUSED)):
            version = place.hand_ins.keep(ada, [("my_bot.py", b"import serpant")])
            place.hand_ins.set_state(version.id, state, said)
        yield place


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_page_in_all_shapes(browser: Browser, place: OpenPlace, scene: Scene) -> None:  # noqa: F811
    def go(screen: Screen) -> None:
        page = screen.page
        if scene.who:
            enter(screen, place, scene.who)
        page.goto(place.base + scene.at)
        scene.act(page)
        page.locator("h1").first.wait_for()
        screen.complaints = [text for text in screen.complaints if "status of 40" not in text]  # it is asked for

    in_all_shapes(browser, place.base, f"place-{scene.name}", go)
