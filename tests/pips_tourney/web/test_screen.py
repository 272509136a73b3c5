"""The big screen in a browser.

Places that move, the end with its podium, the address for the audience.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from starlette.testclient import TestClient

from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.store import open_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.web.server import Showing, Site
from tests.needs import needs
from tests.pips_tourney.web.browser import Screen, served
from tests.pips_tourney.web.nights import SECRET, final_night, play_on, play_round, small_night

pytestmark = pytest.mark.xdist_group("browser")


@needs("chromium")
def test_it_follows_the_night_and_says_who_moved(browser: Browser, tmp_path: Path) -> None:
    path = small_night(tmp_path, played=30)
    with open_store(path) as store, served(Showing(path)) as base:
        screen = Screen(browser, base, width=1920, height=1080)
        page = screen.open("#/screen")
        page.locator(".top li").first.wait_for()
        assert page.locator("#top").is_hidden()
        page.locator(".now-playing .board").wait_for()  # nobody plays: a replay of late
        moment = page.locator(".now-playing").inner_text()
        page.wait_for_function("said => document.querySelector('.now-playing').innerText !== said", arg=moment)
        assert page.evaluate("document.documentElement.scrollHeight") <= 1080
        assert "30 of 42 matches" in page.locator(".facts-of").inner_text()
        size = page.locator(".top li").first.evaluate("(row) => parseFloat(getComputedStyle(row).fontSize)")
        assert size > 40  # of 1080 pixels: read from ten metres
        page.evaluate("""async () => {
            const { about, redraw } = await import('./static/state.js');
            for (const turned of [false, true]) {
                const night = structuredClone(about.night), main = night.tables.find((one) => !one.game);
                if (turned) main.rows.reverse();
                main.rows.forEach((row, at) => (row.rank = at + 1));  // as copies all have the first place
                night.made += 60;
                about.night = night;
                redraw();
            }
        }""")
        assert page.locator(".moved.up").count() == 1
        assert page.locator(".moved.down").count() == 2, "the middle one has left the first place before"
        assert page.locator(".moved.up").inner_text().startswith("▲2")
        play_on(store, 30, 36)
        page.locator(".facts-of", has_text="36 of 42").wait_for()
        for width, height in ((1920, 1080), (1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            screen.assert_accessible()
        page.keyboard.press("Escape")
        page.get_by_role("heading", name="Standings").wait_for()
        assert page.locator("#top").is_visible()
        screen.assert_quiet()
        screen.close()


@needs("chromium")
@pytest.mark.parametrize("dark", [False, True])
def test_at_the_end_there_is_a_podium_and_the_bracket(browser: Browser, tmp_path: Path, *, dark: bool) -> None:
    path = final_night(tmp_path, 'final = { name = "knockout", bots = 4, deals = 2 }')
    with open_store(path) as store:
        while play_round(store):
            pass
        store.append(ENDED, {"secret": SECRET.key.hex(), "digest": "", "standings_sha256": ""})
        final = standings(last_night(store)).tables[1]
    with served(Showing(path)) as base:
        screen = Screen(browser, base, width=1920, height=1080, dark=dark)
        page = screen.open("#/screen")
        assert page.locator(".podium .step1 .bot").all_inner_texts() == [final.winner]
        assert page.locator(".podium .step2 .bot").all_inner_texts() == [final.rows[1].bot]
        for step, row in enumerate(final.rows[:2], 1):
            told = page.locator(f".podium .step{step} small").all_inner_texts()
            assert told[0].endswith(" Elo") and (row.low is None) == (" to " not in told[1]) and told[1], told
        assert page.locator(".winner").inner_text().startswith(f"★ {final.winner} has won the final")
        assert page.locator(".bracket .round").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= 1920
        screen.assert_accessible()
        screen.keep(f"screen-end{'-dark' if dark else ''}")
        screen.assert_quiet()
        screen.close()


def test_the_room_gets_the_address_as_a_picture_where_it_can_come(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=6)
    with TestClient(Site(Showing(path, token="let-me-in")).app(), base_url="http://10.0.0.7:8080") as client:
        page = client.get("/?token=let-me-in").text
        assert '"link":"http://10.0.0.7:8080/"' in page
        assert "data:image/svg+xml" in page
    with TestClient(Site(Showing(path)).app(), base_url="http://127.0.0.1:8080") as client:
        assert '"code"' not in client.get("/").text  # nobody can come from elsewhere
