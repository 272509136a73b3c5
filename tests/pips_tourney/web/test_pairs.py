"""Two bots side by side: the same cards, the other seat, as a browser shows it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from math import sqrt
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest
from playwright.sync_api import Browser

from pips_tourney.night.log.store import read_store
from pips_tourney.web.archive import Archive
from pips_tourney.web.report import report
from pips_tourney.web.server import Showing
from tests.needs import needs
from tests.pips_tourney.web.browser import Screen, served
from tests.pips_tourney.web.nights import long_night, small_night

pytestmark = [
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night of 240 matches, 235 of them played: a deal is half played."""
    return long_night(tmp_path_factory.mktemp("long"), 240, played=235)


def by_deal(path: Path, a: str, b: str, contest: str) -> list[list[float]]:
    """For every complete deal of two bots the first one's points, match by match."""
    deals: defaultdict[str, list[float]] = defaultdict(list)
    seats = 0
    with read_store(path) as store:
        for played in Archive(store).played:
            of = played.fixture
            seats = max(seats, len(of.seating)) if of.part == contest else seats
            if of.part == contest and {a, b} <= {*of.seating}:
                mine, theirs = (played.places[of.seating.index(bot)] for bot in (a, b))
                deals[of.block].append(0.5 if mine == theirs else float(mine < theirs))
    return [shares for shares in deals.values() if len(shares) == seats]


def percent(share: float) -> str:
    return f"{int(100 * share + 0.5)} %"


def test_the_record_is_that_of_the_complete_deals(browser: Browser, long: Path) -> None:
    means = [fmean(shares) for shares in by_deal(long, "ada", "bo", "serpent")]
    more = [*means, 0.0, 0.0, 1.0, 1.0]
    wide = 1.96 * pstdev(more) / sqrt(len(more))
    low, high = max(0.0, fmean(more) - wide), min(1.0, fmean(more) + wide)
    better = [sum(mean > 0.5 for mean in means), sum(mean < 0.5 for mean in means)]
    with served(Showing(long)) as base:
        screen = Screen(browser, base)
        page = screen.open("#/cross/serpent")
        page.locator('a[href="#/pair/ada/bo/serpent"]').focus()
        page.keyboard.press("Enter")
        page.locator(".record").wait_for()
        assert page.url.endswith("#/pair/ada/bo/serpent")
        told = page.locator(".record .big").inner_text()
        assert told == f"{percent(fmean(means))} of the points for ada, 95 % {percent(low)} to {percent(high)}"
        assert f"ada played {better[0]} better, bo {better[1]}, " in page.locator(".record").inner_text()
        rows = page.locator(".deals tbody tr")
        assert page.locator(".deals tbody td:nth-child(2)").all_inner_texts().count("ada") == better[0] > 0
        page.get_by_role("link", name="The same as bo sees it").click()
        page.get_by_text("of the points for bo").wait_for()
        rows.first.get_by_role("link").first.click()
        page.locator(".now").wait_for()
        screen.assert_quiet()
        screen.close()


@pytest.mark.parametrize("game", ["serpent", "pippip"])
def test_the_page_of_a_pair_is_for_everybody(browser: Browser, tmp_path: Path, game: str) -> None:
    with served(Showing(small_night(tmp_path))) as base:
        for where, shape in {"desk": {}, "phone": {"width": 390, "dark": True}}.items():
            screen = Screen(browser, base, **shape)  # type: ignore[arg-type]
            page = screen.open(f"#/pair/ada/cy/{game}")
            page.locator(".deals tbody tr").first.wait_for()
            assert page.locator(".deals tbody tr").count() == 2
            screen.assert_accessible()
            screen.keep(f"pair-{game}-{where}", whole=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            screen.assert_quiet()
            screen.close()


def test_those_who_never_met_are_told_so(browser: Browser, long: Path) -> None:
    with served(Showing(long)) as base:
        screen = Screen(browser, base)
        for path in ("ada/ada", "ada/nobody", "nobody"):
            screen.open(f"#/pair/{path}").get_by_text("They have not met").wait_for()
        screen.assert_quiet()
        screen.close()


def test_a_report_has_the_pairs_too(browser: Browser, long: Path) -> None:
    file = long.with_name("report.html")
    file.write_text(report(long, []), encoding="utf-8")
    inside: dict[str, Any] = json.loads(re.findall(r'id="about">(.*?)</script>', file.read_text(), re.DOTALL)[0])
    screen = Screen(browser, file.as_uri())
    page = screen.open("#/pair/ada/bo")
    assert page.locator(".deals tbody tr").count() > 0
    links = page.locator(".deals tbody a").evaluate_all("nodes => nodes.map((node) => node.hash.slice(8))")
    assert set(links) <= {*inside["replays"]}
    screen.assert_accessible()
    screen.assert_quiet()
    screen.close()
