"""How soon a class knows where it stands: `make lab WHAT=place`.

30 students hand in within five minutes, ten of them twice; 50 spectators look on. It
prints how long each waited for a first interval from 20 deals, whether a first version
was overtaken by a second one, and what the pages take of the CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sqlite3
import sys
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from pips_tourney.night.log.kinds import ADD
from pips_tourney.night.log.store import read_store
from pips_tourney.place.desk import CHECKS_AT_ONCE
from pips_tourney.workshop.submit import PlaceClient
from tests.lab.place.opened import OpenedPlace, asked, write_bot

DEALS: Final = 20
LONGEST_S: Final = 300.0
ASKED_SHARE: Final = 0.95
PAGES_SHARE: Final = 0.06
EMPTY_S: Final = 60.0
POLL_S: Final = 5.0
LOOK_S: Final = 0.25
"""How often it is looked what every process has spent."""
AGAIN: Final = 3
"""Every third student hands in a second version after the first is checked."""


@dataclass
class HandedIn:
    """A student's first or second version, in seconds from the beginning."""

    student: int
    second: bool
    clicked_s: float
    checked_s: float | None = None
    interval_s: float | None = None


async def hand_in(place: PlaceClient, path: Path, of: HandedIn, begun: float) -> None:
    """Hand in, and follow the version until its first interval."""
    of.clicked_s = time.monotonic() - begun
    version = await asyncio.to_thread(place.submit, path)
    while of.interval_s is None:
        await asyncio.sleep(POLL_S)
        found, now = await asyncio.to_thread(asked, place), time.monotonic() - begun
        if found is None:
            continue
        newest = found["version"]
        assert newest["state"] != "refused", newest
        if of.checked_s is None and newest["id"] == version["id"] and newest["state"] == "ready":
            of.checked_s = now
        rows = [row for row in found["standings"] if row["bot"] == version["bot"]]
        if rows and rows[0]["deals"] >= DEALS and rows[0]["low"] is not None and rows[0]["high"] is not None:
            of.interval_s = now


async def student(place: PlaceClient, folder: Path, number: int, at: float, begun: float) -> list[HandedIn]:
    """A student hands in at a time; some hand in again when the first is checked."""
    await asyncio.sleep(max(0.0, begun + at - time.monotonic()))
    first = HandedIn(number, second=False, clicked_s=0.0)
    path = write_bot(folder, number)
    following = asyncio.create_task(hand_in(place, path, first, begun))
    if number % AGAIN:
        await following
        return [first]
    while first.checked_s is None:  # noqa: ASYNC110 - another task sees it
        await asyncio.sleep(POLL_S)
    second = HandedIn(number, second=True, clicked_s=0.0)
    with suppress(asyncio.CancelledError):
        await hand_in(place, path, second, begun)
    following.cancel()  # the second version has taken its place
    return [first, second]


async def look_on(port: int, cookie: str) -> None:
    """A spectator, who reads the news until they end."""
    with suppress(ConnectionError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        ask = f"GET /night/events HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncookie: pips-place={cookie}\r\n\r\n"
        writer.write(ask.encode())
        while await reader.readline():
            pass
        writer.close()


async def a_class(
    place: OpenedPlace, minutes: float, spectators: int, seed: int
) -> tuple[list[HandedIn], tuple[float, float]]:
    """The evening of a class: what was handed in, and the pages' shares of the CPU."""
    luck = random.Random(seed)
    programs = [await asyncio.to_thread(place.student, name) for name in place.codes]
    client, _ = place.enter(place.organiser)
    cookie = client.cookies["pips-place"]
    client.close()
    crowd = [asyncio.create_task(look_on(place.port, cookie)) for _ in range(spectators)]
    spending = Spending(place)
    counting = asyncio.create_task(spending.count())
    begun = time.monotonic()
    times = [luck.uniform(0, 60 * minutes) for _ in programs]
    bots = [
        student(program, place.folder, number, at, begun)
        for number, (program, at) in enumerate(zip(programs, times, strict=True))
    ]
    async with asyncio.timeout(60 * minutes + 2 * LONGEST_S):
        found = [each for of in await asyncio.gather(*bots) for each in of]
    for task in (*crowd, counting):
        task.cancel()
    return found, spending.shares()


class Spending:
    """The CPU time of the pages' process, and of all that it has started.

    Nobody is told what a bot has spent that ends with its fence. So each process is
    looked at while it lives. What it spends after the last look is not counted: the
    share of the pages is rather less than what is said.
    """

    def __init__(self, place: OpenedPlace) -> None:
        assert place.process is not None
        self._main = psutil.Process(place.process.pid)
        self._before: dict[psutil.Process, float] = {}
        self._spent: dict[psutil.Process, float] = {}
        self._look()
        self._before, self._begun = dict(self._spent), time.monotonic()

    def shares(self) -> tuple[float, float]:
        """The part of the pages' own process, since this was made.

        The first is of what the place has spent: others that need the machine make it
        larger. The second is of all that the cores could give.
        """
        self._look()
        spent = {each: cpu_s - self._before.get(each, 0.0) for each, cpu_s in self._spent.items()}
        own, could_s = spent[self._main], (time.monotonic() - self._begun) * len(os.sched_getaffinity(0))
        return own / sum(spent.values()), own / could_s

    async def count(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            await asyncio.to_thread(self._look)

    def _look(self) -> None:
        for each in (self._main, *self._main.children(recursive=True)):
            with suppress(psutil.Error):
                times = each.cpu_times()
                self._spent[each] = times.user + times.system


def overtaken(place: OpenedPlace) -> int:
    """First versions that were checked after a second one that came later.

    The place itself says in which order they came and were let into the night. Of two
    that are checked at once either may enter first. It is an estimate: a slow check
    beside two quick ones counts, too.
    """
    folder = place.folder
    with closing(sqlite3.connect(f"file:{folder / 'class-place' / 'place.db'}?mode=ro", uri=True)) as book:
        versions = book.execute("SELECT id, number, bot FROM versions WHERE state = 'ready'").fetchall()
    with read_store(folder / "class.db") as store:
        entered = {entry.payload["bot"]["name"]: at for at, entry in enumerate(store.log(ADD))}
    seconds = [(came, entered[bot]) for came, number, bot in versions if number > 1]
    return sum(
        sum(came < later and at < entered[bot] for later, at in seconds) >= CHECKS_AT_ONCE
        for came, number, bot in versions
        if number == 1
    )


def alone(place: OpenedPlace) -> float:
    """Seconds until the first interval of somebody who hands in alone."""
    one = HandedIn(0, second=False, clicked_s=0.0)
    program, begun = place.student("s00"), time.monotonic()
    asyncio.run(hand_in(program, write_bot(place.folder, 0), one, begun))
    assert one.interval_s is not None
    return one.interval_s - one.clicked_s


def main() -> int:
    """Play the evening and print its figures; 1 if one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--spectators", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pp-", dir="/tmp") as folder:
        empty = OpenedPlace(Path(folder) / "empty", 1)
        full = OpenedPlace(Path(folder) / "full", said.students)
        for place in (empty, full):
            place.folder.mkdir()
            place.prepare()
        try:
            empty.open()
            first_s = alone(empty)
            empty.close()
            full.open()
            found, (share, of_cores) = asyncio.run(a_class(full, said.minutes, said.spectators, said.seed))
        finally:
            empty.close()
            full.close()
        late = overtaken(full)
    firsts = [each for each in found if not each.second]
    waited = sorted((each.interval_s or float("inf")) - each.clicked_s for each in firsts if each.interval_s)
    soon = sum(wait <= LONGEST_S for wait in waited) / max(1, len(waited))
    print(f"alone: the first interval after {first_s:.1f} s (at most {EMPTY_S:.0f})")
    print(
        f"{said.students} within {said.minutes:g} minutes: {soon:.0%} have theirs within {LONGEST_S:.0f} s "
        f"(median {waited[len(waited) // 2]:.0f} s, longest {waited[-1]:.0f} s, {len(firsts) - len(waited)} replaced)"
    )
    print(f"first versions that a later second one has overtaken: {late}")
    print(
        f"the pages of {said.spectators} spectators took {share:.1%} of the place's CPU time "
        f"(at most {PAGES_SHARE:.0%}), and {of_cores:.1%} of what the cores could give"
    )
    return int(first_s > EMPTY_S or soon < ASKED_SHARE or late > 0 or share >= PAGES_SHARE)


if __name__ == "__main__":
    sys.exit(main())
