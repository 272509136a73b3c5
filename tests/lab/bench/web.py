"""What the pages cost: their share of a night's CPU time with 1 and with 50 spectators,
how old standings are that are looked at or opened, and how fast a long league opens.

lab `web`. Plays a night of 12,000 short matches twice, or the league file that
is named.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, time
from typing import Any, Final

import psutil

from tests.pips_tourney.web.nights import long_night

LEAGUE: Final = """
name = "Short matches"
games = ["wichita"]
deals = 400
bots = [
    { name = "a", sample = "random" }, { name = "b", sample = "random" }, { name = "c", sample = "random" },
    { name = "d", sample = "random" }, { name = "e", sample = "random" }, { name = "f", sample = "random" },
]
"""
"""A night of 12,000 matches between bots that answer at once."""
SPECTATORS: Final = (1, 50)
MOST_SHARE: Final = {1: 0.03, 50: 0.06}
MOST_AGE_S: Final = 5.0
LONG: Final = 10_000
LOOK_S: Final = 0.2
VISIT_S: Final = 3.7
"""How often somebody else opens the page, and looks how old it is."""


@dataclass
class Spectator:
    """What one spectator was sent."""

    bytes: int = 0
    oldest_s: float = 0.0
    """The longest time between two standings, sent as soon as they are made."""

    async def look_on(self, port: int) -> None:
        """Open the page, and read the news until they end."""
        with suppress(ConnectionError):
            await _get(port)
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
            writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            before: float | None = None
            while line := await reader.readline():
                self.bytes += len(line)
                if line.startswith(b"event: night"):
                    now = perf_counter()
                    self.oldest_s = max(self.oldest_s, 0.0 if before is None else now - before)
                    before = now
            writer.close()


async def oldest_opened(port: int) -> float:
    """Open the page every now and then; how old the oldest standings on it were."""
    oldest_s = 0.0
    with suppress(ConnectionError):
        while page := await _get(port):
            oldest_s = max(oldest_s, time() - _night_of(page)["made"])
            await asyncio.sleep(VISIT_S)
    return oldest_s


async def watched_night(folder: Path, league: Path, spectators: int) -> tuple[float, float, list[Spectator], float]:
    """CPU seconds of the pages' process and of the whole night with it.

    Also what its spectators were sent, and how old an opened page was.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["run", str(league), "--db", f"night-{spectators}.db", "--web", "0", "--json"]
    runner = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pips_tourney", *words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert runner.stderr is not None
    port = await _port(runner.stderr)
    draining = asyncio.create_task(runner.stderr.read())
    crowd = [Spectator() for _ in range(spectators)]
    looking = [asyncio.create_task(each.look_on(port)) for each in crowd]
    opening = asyncio.create_task(oldest_opened(port))
    pages, spent = _pages_of(runner.pid), 0.0
    while runner.returncode is None:
        with suppress(psutil.Error):
            times = pages.cpu_times()
            spent = times.user + times.system
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(runner.wait()), LOOK_S)
    await draining
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    await asyncio.gather(*looking)
    return spent, whole, crowd, await opening


async def _port(stderr: asyncio.StreamReader) -> int:
    while line := (await stderr.readline()).decode():
        if found := re.search(r"Look on at http://127\.0\.0\.1:(\d+)/", line):
            return int(found[1])
    raise AssertionError("the runner ended before it served anything")


def _pages_of(runner: int) -> psutil.Process:
    return next(child for child in psutil.Process(runner).children() if "pips_tourney.web" in child.cmdline())


async def opening(folder: Path) -> tuple[float, int]:
    """Seconds until the page of a long league has come with its standings inside, and
    its size.
    """
    async with _served(long_night(folder, LONG)) as port:
        await _get(port)  # the server has read the night when it answers for the first time
        begun = perf_counter()
        page = await _get(port)
        took = perf_counter() - begun
    assert _night_of(page)["played"] > LONG - 12
    return took, len(page)


def _night_of(page: bytes) -> dict[str, Any]:
    """The standings inside a page."""
    [inside] = re.findall(rb'id="about">(.*?)</script>', page, re.DOTALL)
    return dict(json.loads(inside)["night"])


async def first_page(database: Path) -> float:
    """Seconds from the command until the first page of a night has come."""
    begun = perf_counter()
    async with _served(database) as port:
        await _get(port)
        return perf_counter() - begun


@asynccontextmanager
async def _served(database: Path) -> AsyncIterator[int]:
    """The port at which a night's pages are served."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pips_tourney", "serve", str(database), "--listen", "127.0.0.1:0", stderr=subprocess.PIPE
    )
    assert server.stderr is not None
    try:
        yield await _port(server.stderr)
    finally:
        server.terminate()
        await server.wait()


async def _get(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    page = await reader.read()
    writer.close()
    return page


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        seconds, size = asyncio.run(opening(Path(name)))
        print(f"the page of {LONG} matches: {1000 * seconds:.0f} ms, {size / 1000:.0f} kB")
        league = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path(name, "short.toml")
        if len(sys.argv) < 2:
            league.write_text(LEAGUE, encoding="utf-8")
        for spectators in SPECTATORS:
            begun = perf_counter()
            spent, whole, crowd, opened_s = asyncio.run(watched_night(Path(name), league, spectators))
            took = perf_counter() - begun
            sent, oldest_s = sum(each.bytes for each in crowd), max(each.oldest_s for each in crowd)
            print(
                f"{spectators} spectators: standings were {oldest_s:.1f} s old at most, on a page that was opened "
                f"{opened_s:.1f} s (wanted: {MOST_AGE_S:.0f}); the pages took {spent:.1f} s of the night's "
                f"{whole:.0f} s of CPU time: {spent / whole:.2%} (wanted: {MOST_SHARE[spectators]:.0%}), and sent "
                f"{sent / 1e6:.1f} MB. The night took {took:.0f} s: "
                f"{spent / took:.2%} of one core"
            )
