"""A league of short matches split into its parts, the ratings of many results, and the
runner's memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter
from typing import Final

from pips.v1 import referee_pb2
from pips_tourney.engines import Engine, Job, PlayedMatch
from pips_tourney.night.log.store import Row
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.play import evening
from tests.lab.bench.figures import ROUNDS, Figure, figure

LEAGUE: Final = """
name = "Bench"
games = ["wichita"]
deals = {{ count = {deals} }}
{more}
[[bots]]
name = "one"
sample = "random"
[[bots]]
name = "two"
sample = "random"
"""
PLAYING: Final = 0.9
FIRST_MATCH_S: Final = 0.35
BOT_START: Final = 5.5
"""A bot's start beside that of an empty Python process: it was 11."""
RATED: Final = 200_000
FEW, MANY = 1_000, 20_000


def bench(*, quick: bool) -> Iterator[Figure]:
    rounds = 1 if quick else ROUNDS
    nights = [night(200 if quick else FEW) for _ in range(rounds)]
    yield figure("league of 1,000 short matches: whole", "s", [n["whole_s"] for n in nights], less_is_better=True)
    for part, what, budget in (
        ("start", "to its first match", FIRST_MATCH_S),
        ("play", "playing and storing", None),
        ("end", "rating, and the end", None),
    ):
        yield figure(f"the same: {what}", "s", [n[f"{part}_s"] for n in nights], budget, less_is_better=True)
    yield figure("the same: share spent playing", "", [n["play_s"] / n["whole_s"] for n in nights], PLAYING)
    begun = [(cpu_s("-c", "pass"), cpu_s("-P", "-m", "pips_sdk.random_bot", "serpent")) for _ in range(3 * rounds)]
    yield figure("a bot's process up to its hello", "ms of CPU", [1000 * bot for _, bot in begun], less_is_better=True)
    shares = [bot / empty for empty, bot in begun]
    yield figure("the same beside an empty one", "times", shares, BOT_START, less_is_better=True)
    for bots, results, budget in ((8, RATED, 1), (30, 8_700, 0.05), (150, 8_000, 1)):
        what, took = f"{results:,} results of {bots} bots rated", [_rating(bots, results) for _ in range(rounds)]
        yield figure(what, "s", took, budget, less_is_better=True)
    if not quick:
        long = night(MANY)
        grown = long["peak_mb"] - nights[0]["peak_mb"]
        yield figure("runner's memory after 1,000 matches", "MB", [n["peak_mb"] for n in nights], less_is_better=True)
        yield figure("more of it after 20,000", "MB", [grown], 10, less_is_better=True)
        yield figure("cost of the last 2,000 beside that of the first", "", [long["slower"]], 1.1, less_is_better=True)


def night(matches: int, more: str = "") -> dict[str, float]:
    """A night of `pips-tourney run`: what its parts took, and from start to end."""
    with tempfile.TemporaryDirectory() as folder:
        league = Path(folder, "bench.toml")
        league.write_text(LEAGUE.format(deals=matches // 2, more=more), encoding="utf-8")
        start = perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "tests.lab.bench.one_night", str(league), str(start)],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"the night ended with status {done.returncode}: {done.stderr[-1000:]}")
        whole_s = perf_counter() - start
    parts: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {**parts, "whole_s": whole_s, "end_s": whole_s - parts["start_s"] - parts["play_s"]}


def cpu_s(*words: str) -> float:
    """CPU time of a Python process; a bot finds no referee and ends."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=False, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _rating(bots: int, many: int) -> float:
    """Seconds to rate `many` results."""
    from pips_tourney.ratings.rate import rate  # a night that is played here loads it when it needs it
    from pips_tourney.ratings.result import Result

    rng = Random(1)
    names = [f"bot {n}" for n in range(bots)]
    results = []
    for number in range(many // 2):
        pair = tuple(rng.sample(names, 2))
        for seated in (pair, pair[::-1]):
            places = rng.choice([(1, 2), (2, 1), (1, 2), (2, 1), (1, 1)])
            results.append(Result(f"{sorted(pair)}/{number}", seated, places))
    start = perf_counter()
    rate(results)
    return perf_counter() - start


class Timed:
    """An engine that notes when the first match was ordered, and when each
    one ended.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.began = 0.0
        self.ends = array("d")  # as a list they were a twentieth of the memory that is measured

    async def play(self, job: Job) -> None:
        def order(fixture: Fixture) -> referee_pb2.MatchOrder:
            self.began = self.began or perf_counter()
            return job.order(fixture)

        def note(fixture: Fixture, played: PlayedMatch) -> None:
            self.ends.append(perf_counter())
            job.results(fixture, played)

        await self._engine.play(replace(job, order=order, results=note))

    @property
    def slower(self) -> float:
        """How long the last 2,000 matches took, beside the first 2,000 after a start of
        200.
        """
        first, last = self.ends[2200] - self.ends[200], self.ends[-1] - self.ends[-2001]
        return last / first


def peak_mb() -> float:
    """The peak of this process alone; that of `getrusage` begins with its parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


class Silent:
    """A watcher that prints nothing."""

    def told(self, line: str) -> None:
        pass

    def begins(self, announcement: evening.Announcement) -> None:
        pass

    def stored(self, rows: Sequence[Row]) -> None:
        pass

    def ends(self) -> None:
        pass
