"""Where a match was decided: the graph below a replay, and the way to a mistake."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Page

from pips_referee.records.record import read_record
from pips_sdk.serpent import SerpentView
from pips_tourney.analysis.decided import decisions
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.web.match.courses import Courses
from pips_tourney.web.match.lessons import lesson
from pips_tourney.web.server import Showing
from tests.needs import needs
from tests.pips_tourney.in_process import play, write_league
from tests.pips_tourney.web.browser import Screen, served
from tests.pips_tourney.web.nights import SECRET, small_night

pytestmark = [
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]


NAMES = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def rows_on(page: Page) -> list[list[str]]:
    """The cards of both rows of Serpent, as the page names them; sorted by row."""
    rows = page.locator(".row[role=group]").all()
    return sorted([each.get_attribute("aria-label") or "" for each in row.locator(".card").all()] for row in rows)


def rows_at(night: Path, match: str, mistake: dict[str, Any]) -> list[list[str]]:
    """The same of the position in which the mistake was made, by the rules alone."""
    with read_store(night) as store:
        record = read_record(store.rows([match])[match].record)
    bot = record.header.names[mistake["seat"]]
    (state,) = [each.state for each in decisions(record, bot) if each.number == mistake["question"]]
    view = state.view(mistake["seat"])
    assert isinstance(view, SerpentView)
    codes = [[card.code for card in row if card is not None] for row in (view.my_row, view.other_row)]
    return sorted([f"{NAMES.get(code[:-1], code[:-1])} of {SUITS[code[-1]]}" for code in row] for row in codes)


async def found_at_once(courses: Courses, what: str, of: str) -> Any:
    """Instead of a process of its own: at idle priority a busy machine lets it wait."""
    return await asyncio.to_thread(lesson, courses._database, 1.0, what, of)


def test_a_click_and_a_key_lead_to_the_worst_mistake(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Courses, "_find", found_at_once)
    night = small_night(tmp_path, deals=1, games='[{ name = "serpent", options = { hands = 2 } }]')
    with read_store(night) as store:
        match = next(row.id for _, row in store.since(0) if (row.game, row.faults) == ("serpent", "[]"))
    with served(Showing(night)) as base:
        assert httpx.get(f"{base}api/match/nothing/course").status_code == 404
        course = httpx.get(f"{base}api/match/{match}/course", timeout=240).json()
        assert "mistakes" in course, course
        worst = course["mistakes"][0]
        frame = course["frames"][""][worst["step"] - 1]
        assert len(course["expected"]) == len(course["frames"][""])
        for where, shape in {"desk": {}, "phone": {"width": 390, "dark": True}}.items():
            screen = Screen(browser, base, **shape)  # type: ignore[arg-type]
            page = screen.open(f"#/match/{match}")
            page.get_by_role("button", name="Analyse this match").click()
            page.locator("svg.course").wait_for()
            assert page.locator("svg.course circle").count() == len(course["mistakes"])
            assert page.locator("svg.course polyline").count() == 2
            page.locator(".course .moments").first.get_by_role("button").first.click()
            page.wait_for_function("place => location.hash === place", arg=f"#/match/{match}/{frame}")
            assert rows_on(page) == rows_at(night, match, worst)
            first = page.locator(".course .moments li").first
            assert "It cost" not in first.inner_text()
            first.get_by_role("button", name=worst["better_said"], exact=True).click()
            assert "You chose the better one" in first.inner_text() and "It cost" in first.inner_text()
            screen.assert_accessible()
            screen.keep(f"course-{where}", whole=True)
            for _ in course["mistakes"]:  # all round
                page.keyboard.press("m")
            page.wait_for_function("place => location.hash === place", arg=f"#/match/{match}/{frame}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            screen.assert_quiet()
            screen.close()


def serpent_night(folder: Path) -> Path:
    """A night of two random bots with one deal of two hands."""
    league = write_league(folder, "ada", "bo", deals=1)
    text = league.read_text(encoding="utf-8").replace('game = "serpent"\n', "")
    league.write_text(text + '[[games]]\nname = "serpent"\noptions = { hands = 2 }\n', encoding="utf-8")
    programme = make_programme(read_league(league))
    with open_store(folder / "night.db") as store:
        night = begin(store, programme, SECRET)
        store.add([row_of(play(each.header(SECRET), bytes(32))) for each in night.fixtures()])
    return folder / "night.db"


def test_a_bots_page_says_where_it_loses_and_what_luck_gave(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Courses, "_find", found_at_once)
    night = serpent_night(tmp_path)
    with served(Showing(night)) as base:
        assert httpx.get(f"{base}api/bot/nobody/losses").status_code == 404
        losses = httpx.get(f"{base}api/bot/ada/losses", timeout=240).json()
        luck = httpx.get(f"{base}api/luck", timeout=240).json()["contests"]
        for where, shape in {"desk": {}, "phone": {"width": 390, "dark": True}}.items():
            screen = Screen(browser, base, **shape)  # type: ignore[arg-type]
            page = screen.open("#/bots/ada")
            page.get_by_role("button", name="Where does it lose?").click()
            section = page.locator(".lesson", has_text="Where it loses")
            section.locator("table").first.wait_for()
            assert section.locator("table").count() == len(losses)
            first = losses[0]["situations"][0]
            assert first["situation"] in section.locator("tbody tr").first.inner_text()
            page.get_by_role("button", name="What was luck?").click()
            lucky = page.locator(".lesson", has_text="The ratings leave luck out")
            lucky.locator("table").wait_for()
            assert lucky.locator("tbody tr").count() == len(luck)
            screen.assert_accessible()
            screen.keep(f"bot-lessons-{where}", whole=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            example = next(each for each in losses[0]["situations"] if each["examples"])["examples"][0]
            section.get_by_role("link", name=example["match"][:8]).first.click()
            page.locator(".now").wait_for()
            assert f"#/match/{example['match']}/" in page.url
            page = screen.open("#/standings/serpent")  # the luck is known by now
            page.locator(".lesson table").wait_for()
            assert page.locator(".lesson tbody tr").count() == len(luck["serpent"])
            screen.keep(f"luck-{where}", whole=True)
            screen.assert_quiet()
            screen.close()
