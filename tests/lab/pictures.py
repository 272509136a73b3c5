"""The pictures of the README, made anew from a real night: `make lab WHAT=pictures`.

A night of the sample bots is played from a fixed secret, its pages are opened in
Chromium, and two of them are kept in docs/pictures/.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import sync_playwright

from pips_tourney.web.server import Showing
from tests.pips_tourney.web.browser import Screen, chromium, launch, served

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
SECRET: Final = "5e" * 32
MIDDLE: Final = 60
"""The step at which the board is shown: armies of both sides stand on it."""
LEAGUE: Final = """
name = "Thursday's league"
games = [
    { name = "serpent", deals = 60 },
    { name = "wichita", deals = 60 },
    { name = "pippip", deals = 10 },
    { name = "dominion", deals = 10, options = { size = 3 } },
]
deals = { suite = "league", count = 60 }
bots = [
    { name = "random", sample = "random" },
    { name = "cautious", sample = "cautious" },
    { name = "greedy", sample = "greedy" },
    { name = "search", sample = "search" },
]
"""


def play_night(folder: Path) -> Path:
    """The night's database."""
    (folder / "league.toml").write_text(LEAGUE, encoding="utf-8")
    (folder / "secret").write_text(SECRET, encoding="ascii")
    command = [sys.executable, "-m", "pips_tourney", "run", "league.toml", "--secret-file", "secret"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "league.db"


def take_pictures(night: Path) -> None:
    """The standings of the night, and the board of a match of Dominion."""
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright, served(Showing(night)) as base:
        browser = launch(playwright)
        desk = Screen(browser, base, width=1280, height=470)
        desk.open("#/standings/serpent")
        desk.page.screenshot(path=PICTURES / "night.png")
        rows = desk.page.request.get(f"{base}api/matches").json()
        board = Screen(browser, base, width=1280, height=870)
        match = next(row[1] for row in rows if row[2].startswith("dominion"))
        page = board.open(f"#/match/{match}/{MIDDLE}")
        page.screenshot(path=PICTURES / "board.png")
        browser.close()


def main() -> None:
    """Play and photograph; needs Chromium."""
    if chromium() is None:
        sys.exit("there is no Chromium to take pictures with; on Debian and Ubuntu: apt-get install chromium")
    with TemporaryDirectory() as folder:
        take_pictures(play_night(Path(folder)))


if __name__ == "__main__":
    main()
