"""10,000 connections to a place: `make lab WHAT=place-flood`.

They are opened from 20 addresses of this machine and say nothing. The oldest of them
make room for later ones. A student who was there before gets every page meanwhile, and
the place is as before when they have gone.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

import psutil

from tests.lab.place.opened import OpenedPlace

CONNECTIONS: Final = 10_000
ADDRESSES: Final = 20
AT_ONCE: Final = 200
ANSWER_S: Final = 60.0
MOST_MB: Final = 150
"""The most memory by which the place may grow."""


async def knock(port: int, number: int, found: Counter[str]) -> asyncio.StreamWriter | None:
    """Open a connection, and count how it is met; returns one that stays open."""
    here = f"127.0.1.{1 + number % ADDRESSES}"
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(here, 0))
    except OSError as error:
        found[f"not opened ({error.strerror})"] += 1
        return None
    try:
        said = await asyncio.wait_for(reader.read(12), 0.5)
    except TimeoutError:
        found["open"] += 1
        return writer
    except OSError:
        said = b""
    found[said.decode(errors="replace") or "closed"] += 1
    writer.close()
    return None


async def flood(place: OpenedPlace) -> tuple[Counter[str], float]:
    """Open them all; returns how they were met, and a page's longest time."""
    found: Counter[str] = Counter()
    client, _ = await asyncio.to_thread(place.enter, place.codes["s00"])
    held, slowest = [], 0.0
    for first in range(0, CONNECTIONS, AT_ONCE):
        numbers = range(first, min(CONNECTIONS, first + AT_ONCE))
        held += [each for each in await asyncio.gather(*(knock(place.port, n, found) for n in numbers)) if each]
        begun = time.monotonic()
        page = await asyncio.to_thread(client.get, "/mine")
        assert page.status_code == 200, page.status_code
        slowest = max(slowest, time.monotonic() - begun)
    for writer in held:
        writer.close()
    client.close()
    return found, slowest


def main() -> int:
    """Print how they were met; 1 if the place suffered."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, CONNECTIONS + 1000), hard))
    with tempfile.TemporaryDirectory(prefix="pf-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), 1)
        place.prepare()
        try:
            place.open()
            assert place.process is not None
            memory = psutil.Process(place.process.pid).memory_info
            before = memory().rss
            found, slowest = asyncio.run(flood(place))
            grown = (memory().rss - before) >> 20
            place.student("s00")  # somebody new comes in
        finally:
            place.close()
        said = place.said
    print(f"{CONNECTIONS} connections: {dict(found)}")
    print(f"a student's page took {slowest:.2f} s at most; the place grew by {grown} MB")
    well = sum(found.values()) == CONNECTIONS and "Traceback" not in said
    return int(not (well and grown <= MOST_MB and slowest < ANSWER_S))


if __name__ == "__main__":
    sys.exit(main())
