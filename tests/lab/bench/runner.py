"""What the runner itself takes of a core: simulated arenas hand back real records as
fast as they are taken, and one runner stores and rates them.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Final
from unittest.mock import patch

from pips.v1 import record_pb2, referee_pb2
from pips_referee.game import get_game
from pips_referee.match import Spent
from pips_referee.records.record import Header, write_record
from pips_tourney.engines import Job, PlayedMatch
from pips_tourney.play import crew, evening, runner
from tests.lab.bench.figures import ROUNDS, Figure, figure
from tests.lab.bench.nights import Silent, peak_mb

LEAGUE: Final = """
name = "Bench"
games = [{{ name = "serpent", options = {{ max_tiebreaks = 0 }} }}]
deals = {{ count = {deals} }}
bots = [{bots}]
"""
BOTS: Final = 8
PAIRS: Final = BOTS * (BOTS - 1) // 2
FEW, MANY = 5_000, 40_000
ARENAS: Final = 16
TEMPLATES: Final = 64
"""Matches that are really played; the others are theirs under other names."""
CPU_MS: Final = 0.2
RATE: Final = 4_000


def bench(*, quick: bool) -> Iterator[Figure]:
    rounds = 1 if quick else min(3, ROUNDS)
    few = [measure(500 if quick else FEW) for _ in range(rounds)]
    many = [measure(2_000 if quick else MANY) for _ in range(rounds)]
    yield figure("one runner, simulated arenas: stored and rated", "matches/s", [m["rate"] for m in many], RATE)
    name = "the same: its CPU time a match"
    yield figure(name, "ms", [m["cpu_ms"] for m in many], CPU_MS, less_is_better=True)
    grown = [one["peak_mb"] - other["peak_mb"] for one, other in zip(many, few, strict=True)]
    yield figure("the same: memory of 35,000 matches more", "MB", grown, less_is_better=True)


def measure(matches: int) -> dict[str, float]:
    """A night in a process of its own, as `play_instantly` tells it."""
    with tempfile.TemporaryDirectory() as folder:
        return play_instantly(write_league(Path(folder), BOTS, matches // (2 * PAIRS)))


def write_league(folder: Path, bots: int, deals: int) -> Path:
    """A league of `bots`, in which each pair plays `deals` twice."""
    league = folder / "bench.toml"
    entries = ", ".join(f'{{ name = "bot{number}", sample = "random" }}' for number in range(bots))
    league.write_text(LEAGUE.format(deals=deals, bots=entries), encoding="utf-8")
    return league


def play_instantly(league: Path, most: int = sys.maxsize, *, refereed: bool = False) -> dict[str, float]:
    """Play what a league lacks, in a process of its own: `most` matches at most.

    If `refereed`, each of them by the rules. Returns the seconds from the command to
    its first match (`start_s`), matches a second from the first to the end (`rate`),
    those seconds (`play_s`), CPU time a match (`cpu_ms`), and the peak memory
    (`peak_mb`).
    """
    command = [
        sys.executable,
        "-m",
        "tests.lab.bench.runner",
        str(league),
        str(most),
        "refereed" if refereed else "instant",
    ]
    begun = perf_counter()
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    sys.stderr.write(told.stderr)
    parts: dict[str, float] = json.loads(told.stdout)
    return {**parts, "start_s": parts["began_s"] - begun}  # one clock for all processes


class Instant:
    """An engine whose arenas have a record at hand for every match."""

    def __init__(self, most: int) -> None:
        self._played = [_rest_of_a_record(number) for number in range(TEMPLATES)]
        self._left = most
        self.began_s = self.began_cpu_s = 0.0

    async def play(self, job: Job) -> None:
        self.began_s, self.began_cpu_s = perf_counter(), process_time()
        await asyncio.gather(*(self._work(number, job) for number in range(ARENAS)))

    async def _work(self, number: int, job: Job) -> None:
        shift = 0
        while self._left and await job.queue.begin(shift):
            if (fixture := job.queue.take(number)) is None:
                shift += not await job.queue.more()
                continue
            self._left -= 1
            order = job.order(fixture)
            record = self.record(order)
            await asyncio.sleep(0)
            job.results(fixture, PlayedMatch(record, arena=str(number)))

    def record(self, order: referee_pb2.MatchOrder) -> bytes:
        """A match that was played before, under this order's header."""
        header = order.header.SerializeToString()
        return b"\x0a" + _varint(len(header)) + header + self._played[int(order.header.match_id, 16) % TEMPLATES]


class Refereed(Instant):
    """The same, but each match is played by the rules: for what reads records again."""

    def record(self, order: referee_pb2.MatchOrder) -> bytes:
        header = Header.read(order.header)
        return _played_record(header, Random(header.seed))


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])


def _rest_of_a_record(number: int) -> bytes:
    """The bytes of a real match's record without its header."""
    game = get_game("serpent")
    options = game.options({"max_tiebreaks": 0})
    header = Header(f"{number:032x}", game, options, ("one", "two"), bytes([number]) * 32)
    record = record_pb2.MatchRecord.FromString(_played_record(header, Random(number)))
    record.ClearField("header")
    return record.SerializeToString()


def _played_record(header: Header, rng: Random) -> bytes:
    """The record of a match between random players."""
    match = header.new_match()
    while match.to_ask is not None:
        match.answer(match.state.sample_action(rng), Spent(rng.randrange(20, 400)))
    return write_record(header, match)


def _play(path: Path, most: int, kind: str) -> None:
    engine = (Refereed if kind == "refereed" else Instant)(most)
    with patch.object(crew, "make_engine", lambda *_: engine):
        ended = runner.run_night(evening.RunConfig(path, path.with_suffix(".db")), Silent())
    took_s, cpu_s = perf_counter() - engine.began_s, process_time() - engine.began_cpu_s
    matches = ended.played_now
    assert ended.standings.complete or matches == most
    told = {"rate": matches / took_s, "cpu_ms": 1000 * cpu_s / max(1, matches), "peak_mb": peak_mb()}
    print(json.dumps({**told, "began_s": engine.began_s, "play_s": took_s}))


if __name__ == "__main__":
    _play(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
