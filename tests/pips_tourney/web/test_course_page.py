"""Where a match was decided: the graph below a replay, and the way to a mistake."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser

from pips_tourney.night.store import read_store
from pips_tourney.web.course import stored_course
from pips_tourney.web.courses import Courses
from pips_tourney.web.server import Showing
from tests.pips_tourney.web.browser import Screen, chromium, served
from tests.pips_tourney.web.nights import small_night

pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]


def test_a_click_and_a_key_lead_to_the_worst_mistake(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found_at_once(courses: Courses, match_id: str) -> dict[str, Any]:
        return await asyncio.to_thread(stored_course, courses._database, match_id, 1.0)

    monkeypatch.setattr(Courses, "_find", found_at_once)  # at idle priority a busy machine lets it wait
    night = small_night(tmp_path, deals=1)
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
            assert worst["better_said"] in page.locator(".course .moments li").first.inner_text()
            screen.assert_accessible()
            screen.keep(f"course-{where}", whole=True)
            for _ in course["mistakes"]:  # all round
                page.keyboard.press("m")
            page.wait_for_function("place => location.hash === place", arg=f"#/match/{match}/{frame}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            screen.assert_quiet()
            screen.close()
