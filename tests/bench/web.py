"""What the pages cost: their share of a night's CPU time with spectators, and how fast
the page of a long league opens.

`make bench-web`. Plays the league night once.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Final

import psutil

from tests.pips_tourney.web.nights import long_night

LEAGUE: Final = Path(__file__).parents[2] / "tournaments" / "league_night.toml"
SPECTATORS: Final = 50
LONG: Final = 10_000
LOOK_S: Final = 0.2


async def spectate(port: int) -> int:
    """One spectator: how many bytes came until the end."""
    seen = 0
    with suppress(ConnectionError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        while data := await reader.read(1 << 16):
            seen += len(data)
        writer.close()
    return seen


async def watched_night(folder: Path, league: Path, spectators: int) -> tuple[float, float, int]:
    """CPU seconds of the pages' process, of the whole night with it, and the bytes that
    spectators were sent.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["run", str(league), "--db", "night.db", "--web", "0", "--json"]
    runner = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pips_tourney", *words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert runner.stderr is not None
    port = await _port(runner.stderr)
    draining = asyncio.create_task(runner.stderr.read())
    looking = [asyncio.create_task(spectate(port)) for _ in range(spectators)]
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
    return spent, whole, sum(await asyncio.gather(*looking))


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
    database = long_night(folder, LONG)
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pips_tourney", "web", str(database), "--port", "0", stderr=subprocess.PIPE
    )
    assert server.stderr is not None
    port = await _port(server.stderr)
    await _get(port)  # the server has read the night when it answers for the first time
    begun = perf_counter()
    page = await _get(port)
    took = perf_counter() - begun
    server.terminate()
    await server.wait()
    [inside] = re.findall(rb'id="about">(.*?)</script>', page, re.DOTALL)
    assert json.loads(inside)["night"]["played"] > LONG - 12
    return took, len(page)


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
        league = Path(sys.argv[1]) if len(sys.argv) > 1 else LEAGUE
        begun = perf_counter()
        spent, whole, sent = asyncio.run(watched_night(Path(name), league, SPECTATORS))
        took = perf_counter() - begun
        print(
            f"{SPECTATORS} spectators were sent {sent / 1e6:.1f} MB; the pages took {spent:.1f} s of the night's "
            f"{whole:.0f} s of CPU time: {spent / whole:.2%}. "
            f"The night took {took:.0f} s: {spent / took:.2%} of one core"
        )
