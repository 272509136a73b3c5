"""A real night, served while it is played.

Pages change without a reload, and nothing is left when it is over.
"""

from __future__ import annotations

import re
import socket
import subprocess
from typing import Final

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.e2e.desk import Desk, desk, finish, wait_until
from tests.needs import needs
from tests.patience import PATIENCE_S
from tests.pips_tourney.web.browser import Screen, launch

__all__ = ["desk"]
pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.unmeasured]
GATED: Final = 'clock = { answer_ms = 0 }\nsandbox = { tier = "none" }'
"""The bots wait for a file, and may read it."""
HAND_MS: Final = 200
MOST_HANDS: Final = 2000
"""The night has fewer; a page that is slower than the night never shows all."""
SHIFTS: Final = """() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({type: 'layout-shift', buffered: false});
    window.sameDocument = true;
}"""


def link_of(runner: subprocess.Popen[str]) -> str:
    assert runner.stderr is not None
    told = []
    for line in runner.stderr:
        told.append(line)
        if found := re.search(r"Look on at (http://\S+)", line):
            return found[1]
    raise AssertionError(f"nothing is served: {''.join(told)}")


def played(page: Page) -> int:
    return int(page.locator(".far").inner_text().split(" of ")[0].replace(",", ""))


def let_play(desk: Desk, hands: int) -> None:
    """How many hands the gated bot may begin."""
    written = desk.folder / "gate.new"
    written.write_text(str(hands), encoding="ascii")
    written.replace(desk.folder / "gate")


def play_until_shown(desk: Desk, page: Page, wanted: str, hands: int = 0) -> int:
    """Play hand by hand until it is shown; how many hands that took.

    So the match is still under way when the page is looked at.
    """
    while not page.locator(wanted).first.is_visible():
        hands += 1
        assert hands < MOST_HANDS, "the night was over before the page showed it"
        let_play(desk, hands)
        page.wait_for_timeout(HAND_MS)
    return hands


@pytest.mark.long
@needs("chromium")
def test_standings_move_while_the_night_is_played(desk: Desk) -> None:
    let_play(desk, 0)
    bots = ("ada=random", "bo=greedy", "cy=cautious", "dee=gated_bot.py")
    desk.league(*bots, deals=10, tables=2, more=GATED)
    runner = desk.play("--web", "0", "--arenas", "1")
    base = link_of(runner)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        screen = Screen(browser, base)
        page = screen.open("#/tables")
        hands = play_until_shown(desk, page, ".live .board.serpent .card.back")  # the last match of a deal
        screen.keep("live-tables")
        page.get_by_role("link", name="Standings").click()
        hands = play_until_shown(desk, page, ".standings tbody tr:nth-child(3)", hands)
        page.evaluate(SHIFTS)
        counts = [played(page)]
        while len(set(counts)) < 4:
            hands += 1
            assert hands < MOST_HANDS, "the night was over before the page showed it"
            let_play(desk, hands)
            page.wait_for_timeout(HAND_MS)
            counts.append(played(page))
        assert counts[-1] < 120
        let_play(desk, 10**9)
        page.locator(".far", has_text="120 of 120, over").wait_for()
        assert counts == sorted(counts)
        assert page.locator(".standings tbody tr").count() == 4
        assert page.evaluate("window.sameDocument") is True
        assert page.evaluate("window.shifted") < 0.02
        assert "120 matches counted" in page.locator("p.quiet").first.inner_text()
        screen.keep("live")
        screen.assert_quiet()
        browser.close()
    finish(runner)
    desk.assert_nothing_is_left()


def test_a_port_that_is_taken_is_said_before_the_night_begins(desk: Desk) -> None:
    desk.league("ada=random", "bo=random", deals=1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        runner = desk.play("--web", str(taken.getsockname()[1]))
        _, err = finish(runner, 2)
    assert "nothing can be served at 127.0.0.1" in err
    assert not (desk.folder / "night.db").exists()


def test_the_pages_end_with_a_runner_that_was_killed(desk: Desk) -> None:
    desk.league("ada=random", "bo=random", deals=20)
    runner = desk.play("--web", "0")
    link_of(runner)
    wait_until(lambda: bool(desk.named("pips_tourney.web")), "no pages are served")
    runner.kill()
    runner.communicate(timeout=PATIENCE_S)
    wait_until(lambda: not desk.named("pips_tourney.web"), "the pages are still served")


def test_web_serves_a_night_until_it_is_told_to_stop(desk: Desk) -> None:
    desk.league("ada=random", "bo=random", deals=1)
    finish(desk.play())
    served = desk.begin("serve", "night.db", "--listen", "0.0.0.0:0")
    link = link_of(served)
    assert re.fullmatch(r"http://[^/]+:\d+/\?token=[\w-]{20,}", link)
    served.terminate()
    served.communicate(timeout=PATIENCE_S)
    _, err = finish(desk.begin("serve", "nowhere.db", "--listen", "127.0.0.1:0"), 2)
    assert "there is no such database" in err
    assert desk.tell("report", "night.toml").startswith("written to night-report: night.html for you")
    assert (desk.folder / "night-report" / "night.html").read_text(encoding="utf-8").count("<script") == 2
