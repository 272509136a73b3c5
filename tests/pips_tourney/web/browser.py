"""A browser for tests: Debian's Chromium, headless.

It sends requests to the server under test only.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Playwright, Request

from pips_tourney.web.address import listen
from pips_tourney.web.serve import Server
from pips_tourney.web.server import Showing, Site
from tests.patience import PATIENCE_S

ARTIFACTS: Final = Path(__file__).parents[3] / "artifacts" / "web"
FLAGS: Final = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-dev-shm-usage", "--disable-sync", "--no-first-run",
]  # fmt: skip
GRAVE: Final = {"serious", "critical"}


def chromium() -> str | None:
    """The path of the browser; CI installs it."""
    return shutil.which("chromium")


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=chromium(), args=FLAGS)


class Screen:
    """A page whose console and requests are watched."""

    def __init__(
        self, browser: Browser, base: str, *, width: int = 1280, height: int = 800, dark: bool = False
    ) -> None:
        self._context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        self._base = base
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.page = self._watched()

    def _watched(self) -> Page:
        page = self._context.new_page()
        page.set_default_timeout(1000 * PATIENCE_S)
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._asked)
        return page

    def again(self) -> None:
        """A new page for the same visitor: nothing but the browser's cache is kept."""
        if self.page.url.startswith(self._base):
            self.page.evaluate("localStorage.clear()")
        self.page.close()
        self._context.clear_cookies()
        self.complaints.clear()
        self.strangers.clear()
        self.page = self._watched()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self._base, "data:")):
            self.strangers.append(request.url)

    def open(self, hash_: str) -> Page:
        """The view at that address of the page."""
        self.page.goto(f"{self._base}{hash_}")
        self.page.locator("h1").first.wait_for()
        if hash_.startswith("#/match/"):
            self.page.locator(".now").wait_for()
        return self.page

    def keep(self, name: str, *, whole: bool = False) -> None:
        """Keep a picture among the artifacts."""
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{name}.png", full_page=whole)

    def assert_accessible(self) -> None:
        """axe-core finds nothing serious."""
        found = Axe().run(self.page, options={"resultTypes": ["violations"]}).response["violations"]
        grave = [
            f"{each['id']}: {each['help']}: {[node['html'][:160] for node in each['nodes'][:3]]}"
            for each in found
            if each["impact"] in GRAVE
        ]
        assert not grave, "\n".join([self.page.url, *grave])

    def assert_quiet(self) -> None:
        """Nothing was complained of, and no other server was asked."""
        found = [text[:300] for text in self.complaints + self.strangers]
        assert not found, found[:5]

    def close(self) -> None:
        self._context.close()


@contextmanager
def served(showing: Showing) -> Iterator[str]:
    """The address of the server, which runs in a thread of this process."""
    listener = listen("127.0.0.1", 0)
    server = Server(Site(showing))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    deadline = monotonic() + PATIENCE_S
    while not server.started:
        assert thread.is_alive() and monotonic() < deadline, "the server did not start"
        sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
