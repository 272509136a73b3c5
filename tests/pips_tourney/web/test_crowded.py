"""Pages with thirty bots, the public report and the lobby: they fit, and axe agrees."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser

from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.store import open_store
from pips_tourney.web.public import Public
from pips_tourney.web.report import report
from pips_tourney.web.server import Showing
from tests.needs import needs
from tests.pips_tourney.web.browser import Screen, served
from tests.pips_tourney.web.nights import SECRET, long_night

pytestmark = [
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]
THIRTY: Final = [f"Bot number {number} of Hohenstein-Schröder"[: 12 + number] for number in range(30)]
SHAPES: Final[list[dict[str, Any]]] = [
    {"width": 1920, "height": 1080},
    {"width": 1280, "dark": True},
    {"width": 390, "height": 844},
]
LOBBY: Final = """async () => {
    const { about, redraw } = await import('./static/state.js');
    const here = {player: 'ada', here: true, check: null, rtt_ms: 3};
    about.lobby = {begun: false, when_all_here: true, guests: [here, {...here, player: 'bo', check: ''},
        {...here, player: 'cy', check: 'it crashed'}, {...here, player: 'dee', here: false}]};
    redraw();
}"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_night(tmp_path_factory.mktemp("crowd"), 870, names=THIRTY)


def fits(screen: Screen) -> bool:
    return bool(screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_thirty_bots_on_a_projector_and_on_a_phone(browser: Browser, crowd: Path) -> None:
    with served(Showing(crowd)) as base:
        for shape in SHAPES:
            screen = Screen(browser, base, **shape)
            for view in ("cross", "screen") if shape["width"] == 1920 else ("standings",):
                screen.open(f"#/{view}")
                screen.keep(f"thirty-{view}-{shape['width']}")
                assert fits(screen), (view, shape)
                if view == "cross" and shape["width"] == 1920:
                    assert screen.page.evaluate(
                        "(([box]) => box.scrollWidth <= box.clientWidth)(document.querySelectorAll('main .scroll'))"
                    )
            screen.assert_quiet()
            screen.close()


def test_news_of_matches_leave_a_cross_table_alone(browser: Browser, crowd: Path) -> None:
    with served(Showing(crowd)) as base:
        screen = Screen(browser, base, width=390)
        page = screen.open("#/cross")
        page.evaluate("""async () => {
            window.drawn = 0;
            const { views } = await import('./static/state.js'), { cross } = views;
            views.cross = (...asked) => (window.drawn++, cross(...asked));
        }""")
        for concern, drawn in ('["matches", "pair"]', 0), ('["screen"]', 0), ('["standings", "cross"]', 1), ("", 2):
            page.evaluate(f"import('./static/state.js').then(({{ redraw }}) => redraw({concern}))")
            assert page.evaluate("window.drawn") == drawn, concern
        screen.close()


def test_parents_get_one_page_of_paper(browser: Browser, crowd: Path, tmp_path: Path) -> None:
    """The winner, the podium and the table of thirty bots, on A4 with its margins."""
    night = Path(shutil.copy(crowd, tmp_path))
    with open_store(night) as store:
        store.append(ENDED, {"secret": SECRET.key.hex(), "digest": "", "standings_sha256": ""})
    file = tmp_path / "public.html"
    file.write_text(report(night, [], Public()), encoding="utf-8")
    screen = Screen(browser, file.as_uri(), width=718, height=1047)
    page = screen.open("")
    page.emulate_media(media="print")
    boxes = [page.locator(part).bounding_box() for part in (".front", ".front + .sheet")]
    assert all(boxes) and boxes[1]["y"] + boxes[1]["height"] - boxes[0]["y"] <= 1040, boxes  # type: ignore[index]
    assert page.locator(".front + .sheet tbody tr").count() == 30
    assert page.locator(".winner").count() == page.locator(".front .winner").count() == 1
    assert page.locator(".front .podium").count() == 1
    screen.keep("public-paper")
    screen.close()


def test_axe_on_the_public_report_and_the_lobby(browser: Browser, tmp_path: Path) -> None:
    night = long_night(tmp_path, 48)
    file = tmp_path / "public.html"
    file.write_text(report(night, [], Public()), encoding="utf-8")
    for shape in SHAPES[1:]:
        screen = Screen(browser, file.as_uri(), **shape)
        screen.open("#/standings")
        screen.assert_accessible()
        screen.open("#/cross")
        screen.assert_accessible()
        screen.assert_quiet()
        screen.close()
    with served(Showing(night)) as base:
        screen = Screen(browser, base, width=1280)
        page = screen.open("#/standings")
        page.evaluate(LOBBY)
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "To the contents"
        page.get_by_role("link", name="Lobby").focus()
        page.keyboard.press("Enter")
        page.locator("ul.lobby li").nth(3).wait_for()
        assert page.locator(".big").inner_text() == "3 of 4 are here. The night begins when all are here and checked."
        screen.assert_accessible()
        screen.keep("lobby")
        screen.assert_quiet()
        screen.close()
