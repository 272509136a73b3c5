"""A browser, and a small night in all four games, for the module that asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.pips_tourney.web.browser import launch
from tests.pips_tourney.web.nights import small_night


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a night that is over."""
    return small_night(tmp_path_factory.mktemp("night"))
