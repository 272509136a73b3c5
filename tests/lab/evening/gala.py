"""The gala: a knockout of eight with long names, on pages and in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from tests.lab.evening.room import Findings, Room, serving
from tests.lab.evening.students import LONG
from tests.pips_tourney.web.browser import Screen, chromium, launch

PLAYERS: Final = (
    "ada", "bo", "cy", "dee", "eve", "fay", "Müller", LONG,
)  # fmt: skip
SAMPLES: Final = ("search", "greedy", "cautious", "random")
LEAGUE: Final = """
name = "Gala"
games = [{ name = "wichita", deals = 2 }, { name = "serpent", deals = 1 }]
schedule = "round-robin"
final = { name = "knockout", bots = 8, deals = 2 }
"""
SEATS: Final = 24


def play(room: Room) -> None:
    """The night of the gala."""
    bots = [
        f'[[bots]]\nname = "{name}"\nsample = "{SAMPLES[number % len(SAMPLES)]}"\n'
        for number, name in enumerate(PLAYERS)
    ]
    room.write("gala.toml", LEAGUE + "".join(bots))
    room.type("run", "gala.toml")


def final(room: Room, found: Findings) -> None:
    """The table of a final has the order of its bracket, with its winner."""
    with found.step("W3"):
        tables = json.loads(room.type("standings", "gala.db", "--json").out)["tables"]
        last = next(table for table in tables if table.get("rounds"))
        order = [row["bot"] for row in last["rows"]]
        winner, others = (
            last["rounds"][-1]["through"],
            [seat["bot"] for one in last["rounds"][-1]["tables"] for seat in one],
        )
        assert [order[0]] == winner and set(order[:2]) == set(others), f"{order} against {last['rounds'][-1]}"
        shown = room.type("standings", "gala.db").said
        assert f"{winner[0]} has won it" in shown
        found.shown("W3", "terminal and JSON have the finalists first, and the winner")
    with found.step("W17"):
        said = room.type("standings", "gala.db").said
        assert "serpent has too few deals yet for an interval of any bot here: it takes 3 more deals of each" in said
        found.shown("W17", "the overall table names the contest with too few deals")


@contextmanager
def browsers() -> Iterator[Browser]:
    """A browser, in which pictures are taken."""
    assert chromium() is not None, "there is no Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def on_screen(room: Room, found: Findings) -> None:
    """The pages of the gala, in Chromium; pictures are kept in artifacts/web/."""
    with browsers() as browser, serving(room, "serve", "gala.db", "--listen", "127.0.0.1:0", name="gala") as pages:
        wide, narrow = (Screen(browser, pages.base, width=width) for width in (1280, 390))
        label = next(table["label"] for table in pages.about()["night"]["tables"] if table.get("rounds"))
        with found.step("W3"):
            page = wide.open(f"#/standings/{label}")
            assert re.search(r"has won|won the|winner", page.inner_text("main"), re.IGNORECASE), "no winner on the page"
            wide.keep("evening-final")
            page = wide.open("#/screen")
            wide.keep("evening-podium")
            found.shown("W3", "picture evening-final.png: the bracket on the page, with its winner")
        with found.step("W4"):
            for name, screen in (("1280", wide), ("390", narrow)):
                for at in ("#/standings/wichita", f"#/bot/{LONG}", "#/cross/wichita"):
                    page = screen.open(at)
                    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    assert over <= 0, f"{at} at {name} px is {over} px too wide"
                screen.open("#/standings/wichita")
                screen.keep(f"evening-long-name-{name}")
            cut = wide.open("#/standings/wichita").locator("table th", has_text="Matches").first.bounding_box()
            assert cut is not None and cut["x"] + cut["width"] <= 1280, "the column Matches is cut off"
            found.shown("W4", "pictures evening-long-name-1280.png and -390.png: nothing is wider than the screen")
        with found.step("W17"):
            page = wide.open("#/nosuchpage")
            assert re.search(r"no (such )?page|there is no", page.inner_text("main"), re.IGNORECASE), "no word of it"
            found.shown("W17", "an unknown page says so")
        for screen in (wide, narrow):
            screen.close()


def seats(room: Room, found: Findings) -> None:
    """A class sits down to play at once, in the folder of several nights."""
    with (
        found.step("W5"),
        browsers() as browser,
        serving(room, "serve", "gala.db", "--listen", "127.0.0.1:0", name="play") as pages,
    ):
        taken = [
            pages.get("api/seats", "POST", {"game": "wichita", "seats": 2, "others": ["random"]}) for _ in range(SEATS)
        ]
        assert {status for status, _ in taken} == {200}, [taken[-1], len(taken)]
        found.shown("W5", f"{SEATS} persons sit down at one server")
        screen = Screen(browser, pages.base)
        screen.open("#/play/wichita")
        screen.keep("evening-play")
        screen.close()
