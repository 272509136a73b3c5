"""What a bot that slows its tables costs a place: `make lab WHAT=place-slow`.

Twelve clean bots play a night on a place. A student hands in a bot that passes its
check. After that it is slow, in one of several ways. Then the bot is withdrawn, and the
next one comes. Each may cost at most a third of the matches a minute that the place
plays without it. Matches with a fault do not count.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx2 as httpx

from tests.e2e.desk import wait_until
from tests.lab.place.opened import OpenedPlace

CLEAN: Final = 12
LEAST: Final = 2 / 3
"""This part of the pace is left."""
LEAGUE: Final = """
name = "Class"
games = ["wichita"]
bots = [{}]
deals = 1000
max_faults = 15

[place]
anonymous = false
"""
ENTRIES: Final = ", ".join(
    f'{{ name = "{sample} {number}", sample = "{sample}" }}'
    for number in range(CLEAN // 3)
    for sample in ("random", "greedy", "cautious")
)
BOT: Final = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
from pips_sdk import run
from pips_sdk.wichita import WichitaBot

def is_slow():
    return time.time() > {after}

def work(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass

def answers():
    {answers}

class Slow(WichitaBot):
    def draw(self, view):
        if is_slow():
            answers()
        return len(view.hand) < 5

if is_slow():
    {starts}
if __name__ == "__main__":
    run(Slow)
"""
KINDS: Final = {
    "clean": ("pass", "pass"),
    "loops": ("while True: pass", "pass"),
    "sleeps": ("time.sleep(0.9)", "pass"),
    "computes": ("work(0.9)", "pass"),
    "process pool": ("with ProcessPoolExecutor(4) as pool: [*pool.map(work, [0.1] * 4)]", "pass"),
    "prints": ("print('x' * 1_000_000)", "pass"),
    "crashes": ("os._exit(1)", "pass"),
    "crashes at start": ("os._exit(1)", "os._exit(1)"),
    "slow to start": ("pass", "time.sleep(8)"),
}
"""By kind, what its bot does in an answer and at its start."""


def played(place: OpenedPlace, bot: str = "", faults: str = "=") -> int:
    """How many matches without a fault (or with, by `!=`) the night has, of a bot."""
    found = f"SELECT count(*) FROM results WHERE faults {faults} '[]' AND seats LIKE ?"
    with closing(sqlite3.connect(f"file:{place.folder}/class.db?mode=ro", uri=True)) as store:
        return int(store.execute(found, (f"%{bot}%",)).fetchone()[0])


def pace(place: OpenedPlace, seconds: float) -> float:
    """The matches a minute that are played in that time."""
    before, begun = played(place), time.monotonic()
    time.sleep(seconds)
    return 60 * (played(place) - before) / (time.monotonic() - begun)


def with_a_bot(place: OpenedPlace, name: str, kind: str, after_s: float, seconds: float) -> float:
    """The pace while a student's bot of that kind plays; it is withdrawn at the end."""
    answers, starts = KINDS[kind]
    client, form = place.enter(place.codes[name])
    with closing(client):
        slow_from = time.time() + after_s
        source = BOT.format(after=slow_from, answers=answers, starts=starts)
        client.post("/mine", data={"form": form}, files={"files": ("bot.py", source)}).raise_for_status()
        wait_until(lambda: state(client) in ("ready", "refused"), f"{kind} is not checked")
        assert state(client) == "ready", f"{kind}: {client.get('/mine').text}"
        time.sleep(max(0.0, slow_from - time.time()))
        found = pace(place, seconds)
        client.post("/mine/withdraw", data={"form": form}).raise_for_status()
    return found


def state(client: httpx.Client) -> str:
    """That of a student's newest version; asked as seldom as a page does."""
    time.sleep(0.5)
    return str(client.get("/api/v1/versions").json()["versions"][-1]["state"])


def main() -> int:
    """Print the paces; 1 if a kind costs too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS], default=[*KINDS])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--after", type=float, default=15.0, help="seconds from the hand-in until a bot is slow")
    said = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), len(said.kinds), league=LEAGUE.format(ENTRIES))
        place.prepare()
        try:
            place.open()
            time.sleep(said.after)
            without = pace(place, said.seconds)
            print(f"{'without':24} {without:6.0f} matches a minute", flush=True)
            found = {}
            for kind, name in zip(said.kinds, place.codes, strict=True):
                found[kind] = with_a_bot(place, name, kind, said.after, said.seconds)
                print(
                    f"{kind:24} {found[kind]:6.0f}   {found[kind] / without:4.0%} of the pace; "
                    f"its own matches: {played(place, name)}, with faults {played(place, name, '!=')}",
                    flush=True,
                )
        finally:
            place.close()
    return int(min(found.values()) < LEAST * without)


if __name__ == "__main__":
    sys.exit(main())
