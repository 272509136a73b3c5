"""Decisions a second of a bot in C++ that speaks lines, beside a bot over gRPC.

The bot, its bridge and the referee are on one core, and the clocks and faults are as
always. The rival is the same arena with the sample bot `random`, without a bridge.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pips_referee.loop import fast_loop
from pips_tourney.arena.arena import Arena
from pips_tourney.bots.executable import program
from tests.lab.bench.figures import ROUNDS, Figure, figure
from tests.lab.bench.over_grpc import TWO, WARMING, arena_of_samples, decisions

SOURCE: Final = Path(__file__).parents[3] / "sample_bots" / "languages" / "cpp" / "bot.cpp"
TABLES: Final = 64
AT_LEAST: Final = 15_000


def bench(*, quick: bool) -> Iterator[Figure]:
    if shutil.which("g++") is None:
        print("over_lines is left out: its bot is in C++, and g++ is not installed", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=fast_loop()) as runner:
        subprocess.run(["g++", "-O2", "-o", Path(folder, "bot"), SOURCE], check=True)
        yield from runner.run(_bench(Path(folder), 2 if quick else ROUNDS, 100 if quick else 400))


async def _bench(folder: Path, rounds: int, matches: int) -> list[Figure]:
    core = min(os.sched_getaffinity(0))
    by_lines = Arena(core, lambda _: program([str(folder / "bot")], folder, {}, lines=True), 30.0)
    found: dict[str, list[float]] = {}
    async with by_lines, arena_of_samples(core) as by_grpc:
        for arena in (by_lines, by_grpc):
            await decisions([arena], WARMING, 1)
        for _ in range(rounds):
            for tables in (1, TABLES):
                for processes, bots in enumerate((("a", "a"), TWO), 1):
                    for how, arena in (("lines", by_lines), ("gRPC", by_grpc)):
                        name = f"{tables} over {how}, {processes}"
                        played = await decisions([arena], matches if tables > 1 else matches // 10, tables, bots)
                        found.setdefault(name, []).append(played)
    return list(_figures(found))


def _figures(found: dict[str, list[float]]) -> Iterator[Figure]:
    for tables in (1, TABLES):
        at = f"{tables} table{'s' if tables > 1 else ''}"
        for processes, who in ((1, "both seats in one process"), (2, "two processes")):
            lines, grpc = (found[f"{tables} over {how}, {processes}"] for how in ("lines", "gRPC"))
            budget = AT_LEAST if (tables, processes) == (TABLES, 1) else None
            yield figure(f"a bot in C++ in lines, {at}, {who}, one core", "decisions/s", lines, budget)
            shares = [one / other for one, other in zip(lines, grpc, strict=True)]
            yield figure(f"the same as a share of gRPC's, {at}, {who}", "", shares)
