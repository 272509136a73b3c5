"""How soon a class knows where it stands: `make lab WHAT=place`.

60 students hand in within five minutes by the form of their page, half of them a bot
with a mistake, while a night is played. Each page asks what became of it as a browser's
does. It prints how long the verdicts and the first ratings took, from the click on, and
how long others waited for their pages meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, Final

import httpx2 as httpx

from tests.lab.evening.students import BROKEN, FINE
from tests.lab.place.opened import OpenedPlace

LEAGUE: Final = """
name = "Class"
games = ["wichita"]
bots = [
  { name = "random", sample = "random" }, { name = "greedy", sample = "greedy" },
  { name = "cautious", sample = "cautious" }, { name = "random 2", sample = "random" },
  { name = "greedy 2", sample = "greedy" }, { name = "cautious 2", sample = "cautious" },
]
deals = 50
max_faults = 15

[place]
anonymous = false
"""
LOOP: Final = BROKEN["sleeps"].replace("__import__('time').sleep(1.5)", "while True: pass")
MISTAKES: Final = (LOOP, *(text for text in BROKEN.values() if text not in FINE.values()))
"""A bot of each kind that no check lets in."""
POLL_S: Final = 2.0
"""As often as a page asks."""
LOOK_S: Final = 0.25
"""The pause between two pages of each onlooker."""
PAGES: Final = ("/mine", "/night/", "/night/api/matches", "/api/v1/standings")
LATEST_S: Final = 90.0
"""So long is waited after the last hand-in."""


@dataclass
class HandIn:
    """What a student waited for, in seconds from the click on."""

    is_good: bool
    state: str = ""
    verdict_s: float = inf
    rating_s: float = inf


@dataclass
class Waits:
    """Seconds of many waits, and what they may be at most."""

    of: str
    most: tuple[float, float]
    """The median, and nineteen of twenty."""
    waits: list[float] = field(default_factory=list)

    @property
    def figures(self) -> tuple[float, float, float]:
        """The median, the wait of nineteen in twenty, and the longest."""
        ordered = sorted(self.waits)
        return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 19 // 20)], ordered[-1]

    def line(self) -> str:
        p50, p95, longest = self.figures
        return (
            f"{self.of:14} n {len(self.waits):5}   p50 {p50:6.2f} s (at most {self.most[0]:g})   "
            f"p95 {p95:6.2f} s (at most {self.most[1]:g})   max {longest:6.2f} s"
        )

    @property
    def is_held(self) -> bool:
        return all(figure <= most for figure, most in zip(self.figures, self.most, strict=False))


def browser(place: OpenedPlace, code: str) -> tuple[httpx.AsyncClient, str]:
    """A browser that has entered, and what its forms carry."""
    client, form = place.enter(code)
    with closing(client):
        cookies = dict(client.cookies)
    return httpx.AsyncClient(base_url=place.address, cookies=cookies, follow_redirects=True, timeout=60), form


async def student(client: httpx.AsyncClient, form: str, source: str, at: float, of: HandIn) -> None:
    """Hand in at a time of the loop's clock; follow it to its first rating."""
    now = asyncio.get_running_loop().time
    await asyncio.sleep(at - now())
    clicked = now()
    files = {"files": ("bot.py", source.encode())}
    (await client.post("/mine", data={"form": form}, files=files)).raise_for_status()
    while of.state not in ("ready", "refused"):
        await asyncio.sleep(POLL_S)
        of.state = (await _json(client, "/api/v1/versions"))["versions"][-1]["state"]
    of.verdict_s = now() - clicked
    while of.state == "ready" and of.rating_s == inf:
        about = await _json(client, "/api/v1/me")
        if any(row["elo"] is not None and row["low"] is not None for row in about["standings"]):
            of.rating_s = now() - clicked
        else:
            await asyncio.sleep(POLL_S)


async def _json(client: httpx.AsyncClient, path: str) -> Any:
    return (await client.get(path)).raise_for_status().json()


async def look_on(client: httpx.AsyncClient, waits: list[float]) -> None:
    """Somebody else, who reads page after page until cancelled."""
    while True:
        for path in PAGES:
            begun = time.monotonic()
            (await client.get(path)).raise_for_status()
            waits.append(time.monotonic() - begun)
            await asyncio.sleep(LOOK_S)


async def watch(client: httpx.AsyncClient) -> None:
    """A spectator, who reads the news until they end."""
    with suppress(httpx.HTTPError):
        async with client.stream("GET", "/night/events", timeout=None) as news:
            async for _ in news.aiter_raw():
                pass


async def an_hour(place: OpenedPlace, minutes: float, onlookers: int, seed: int) -> tuple[list[HandIn], list[float]]:
    """The first hour of a class: what was handed in, and the waits of others."""
    luck, waits = random.Random(seed), list[float]()
    browsers = [browser(place, code) for code in place.codes.values()]
    others, students = browsers[:onlookers], browsers[onlookers:]
    hand_ins = [HandIn(is_good=number % 2 == 0) for number in range(len(students))]
    begun = asyncio.get_running_loop().time()
    following = [
        student(client, form, source_of(number, good=of.is_good), begun + luck.uniform(0, 60 * minutes), of)
        for number, ((client, form), of) in enumerate(zip(students, hand_ins, strict=True))
    ]
    crowd = [asyncio.create_task(each) for client, _ in others for each in (look_on(client, waits), watch(client))]
    _, late = await asyncio.wait(list(map(asyncio.ensure_future, following)), timeout=60 * minutes + LATEST_S)
    broken = [task.exception() for task in crowd if task.done()]
    for task in (*crowd, *late):
        task.cancel()
    assert not any(broken), broken
    return hand_ins, waits


def source_of(number: int, *, good: bool) -> str:
    """A student's bot, with words of its own in it."""
    kinds = [*FINE.values()] if good else MISTAKES
    return f"# of student {number}\n{kinds[number // 2 % len(kinds)]}"


def told(hand_ins: Iterable[HandIn], pages: list[float]) -> bool:
    """Print the figures; whether all targets are reached."""
    every = list(hand_ins)
    figures = [
        Waits("verdict", (10.0, 30.0), [each.verdict_s for each in every]),
        Waits("first rating", (20.0, 60.0), [each.rating_s for each in every if each.is_good]),
        Waits("others' pages", (inf, 0.5), pages),
    ]
    wrong = sum(each.state != ("ready" if each.is_good else "refused") for each in every)
    for each in figures:
        print(each.line())
    print(f"verdicts that are wrong or missing: {wrong} of {len(every)}")
    return not wrong and all(each.is_held for each in figures)


def main() -> int:
    """Play the hour and print its figures; 1 if one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--onlookers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pp-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), said.students + said.onlookers, league=LEAGUE)
        place.prepare()
        try:
            place.open()
            hand_ins, waits = asyncio.run(an_hour(place, said.minutes, said.onlookers, said.seed))
        finally:
            place.close()
    return int(not told(hand_ins, waits))


if __name__ == "__main__":
    sys.exit(main())
