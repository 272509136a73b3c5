"""What a bot in a tab costs, and whether it plays as it does in a process.

    python -m tests.lab.tab [--matches 50] [--visitors 30]

It takes a machine with nothing else to do. Chromium begins with an empty profile.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2 as httpx
import psutil
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

from pips_tourney.workshop.browser.own_wheel import wheel
from pips_tourney.workshop.browser.runtime import compile_modules, install
from tests.pips_tourney.web.browser import FLAGS, chromium
from tests.pips_tourney.web.tab_series import unlike

WAIT_MS = 120_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--matches", type=int, default=50, help="of each game, in the tab and here")
    parser.add_argument("--visitors", type=int, default=30, help="who fetch all files at once")
    words = parser.parse_args()
    install()
    compile_modules(wheel())
    with TemporaryDirectory(prefix="pt-", dir="/tmp") as folder, sync_playwright() as playwright:
        server = subprocess.Popen(
            [Path(sys.executable).with_name("pips-bot"), "workshop", "--port", "0"], stderr=subprocess.PIPE, text=True
        )
        try:
            assert server.stderr is not None
            found = re.search(r"http://\S+", server.stderr.readline())
            assert found is not None
            measure(playwright, found[0], Path(folder), psutil.Process(server.pid), words)
        finally:
            server.terminate()
            server.wait()


def measure(
    playwright: Playwright, address: str, folder: Path, server: psutil.Process, words: argparse.Namespace
) -> None:
    files: list[str] = []
    context = opened(playwright, folder)
    page = context.pages[0]
    page.on("request", lambda request: files.append(request.url))
    print(f"first visit, empty profile: ready after {ready(page, address):.1f} s (asked: 15)", flush=True)
    context.close()
    context = opened(playwright, folder)
    page = context.pages[0]
    print(f"second visit, browser started anew: ready after {ready(page, address):.1f} s (asked: 4)", flush=True)
    print(f"third visit, same browser: ready after {ready(page, address):.1f} s", flush=True)
    at_work: list[str] = []
    page.on("request", lambda request: at_work.append(request.url))
    spent = sum(server.cpu_times()[:2])
    print(f"200 matches of Serpent against greedy: {series_s(page):.1f} s (asked: 20)", flush=True)
    cost = sum(server.cpu_times()[:2]) - spent
    print(f"meanwhile: {len(at_work)} requests, {cost:.2f} s of the server's CPU", flush=True)
    assert set(at_work) <= set(files), "a worker asks for what the browser keeps, and no more"
    began = time.monotonic()
    same = unlike(page, folder, words.matches)
    print(f"{words.matches} matches a game: otherwise than here in {same or 'none'}, {time.monotonic() - began:.0f} s")
    context.close()
    visitors(server, files, words.visitors)
    assert not same


def opened(playwright: Playwright, folder: Path) -> BrowserContext:
    """A browser whose profile, with all that it keeps, is in the folder."""
    return playwright.chromium.launch_persistent_context(
        folder / "profile", executable_path=chromium(), args=FLAGS, reduced_motion="reduce"
    )


def ready(page: Page, address: str) -> float:
    began = time.monotonic()
    page.goto(address)
    page.locator("[role=status]", has_text="Ready").wait_for(timeout=WAIT_MS)
    return time.monotonic() - began


def series_s(page: Page) -> float:
    page.get_by_label("Game").select_option(label="Serpent")
    began = time.monotonic()
    page.click("#play")
    page.locator("h2", has_text="The result").wait_for(timeout=WAIT_MS)
    return time.monotonic() - began


def visitors(server: psutil.Process, files: list[str], number: int) -> None:
    """What `number` first visits at once cost the server: each fetches all files."""

    def visit(_: int) -> int:
        with httpx.Client(timeout=WAIT_MS / 1000, headers={"accept-encoding": "gzip"}) as client:
            size = 0
            for url in files:
                with client.stream("GET", url) as answer:
                    answer.raise_for_status()
                    size += sum(map(len, answer.iter_raw()))
            return size

    spent, began = sum(server.cpu_times()[:2]), time.monotonic()
    with ThreadPoolExecutor(number) as pool:
        sizes = [*pool.map(visit, range(number))]
    cpu = sum(server.cpu_times()[:2]) - spent
    print(
        f"{number} first visits at once: {len(files)} files and {sizes[0] / 1e6:.1f} MB each, "
        f"{cpu / number:.3f} s of the server's CPU each, {time.monotonic() - began:.1f} s in all"
    )


if __name__ == "__main__":
    main()
