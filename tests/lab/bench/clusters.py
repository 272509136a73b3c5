"""The engine of a cluster beside that of one machine, and how many workers one driver
can keep at work.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import process_time
from typing import Any, Final
from unittest.mock import patch

from distributed import LocalCluster

from pips_tourney.engines.choice import make_engine
from pips_tourney.engines.dask import driver
from pips_tourney.play import crew, evening, runner
from tests.lab.bench.figures import ROUNDS, Figure, figure
from tests.lab.bench.many_workers import cluster, no_check, no_op_batch
from tests.lab.bench.nights import Silent, Timed, night
from tests.lab.bench.runner import BOTS, PAIRS, write_league

MATCHES: Final = 2_000
CROWDS: Final = ((2, 0.0001, 10_000), (64, 0.1, 100), (256, 0.1, 100), (1_000, 0.4, 50))
"""Workers, the seconds of a match, and the matches for each worker.

The last two could play 2,500 a second.
"""
DASK_SHARE: Final = 0.95
ONE_DRIVER: Final = 2_000


def bench(*, quick: bool) -> Iterator[Figure]:
    matches, rounds = (400, 1) if quick else (MATCHES, ROUNDS)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as here:
        engine = f'engine = "dask"\nscheduler = "{here.scheduler_address}"'
        pairs = [(night(matches), night(matches, engine)) for _ in range(rounds)]
    yield figure("local engine, 2 arenas", "matches/s", [matches / local["play_s"] for local, _ in pairs])
    yield figure("Dask on the same cores", "matches/s", [matches / dask["play_s"] for _, dask in pairs])
    shares = [local["play_s"] / dask["play_s"] for local, dask in pairs]
    yield figure("Dask beside the local engine", "", shares, DASK_SHARE)
    for workers, match_s, each in CROWDS[1:2] if quick else CROWDS:
        told = simulated(workers, match_s, each)
        name = f"one driver, {workers} workers of no-op matches of {1000 * match_s:g} ms"
        yield figure(name, "matches/s", [told["rate"]], ONE_DRIVER if workers / match_s > ONE_DRIVER else None)
        yield figure("the same: from the first quarter's end to the last's begin", "matches/s", [told["steady"]])
        yield figure("the same: share of the workers' time in use then", "", [told["steady"] * match_s / workers])
        yield figure("the same: the driver's CPU time a match", "ms", [told["cpu_ms"]], less_is_better=True)


def simulated(workers: int, match_s: float, each: int) -> dict[str, float]:
    """A night whose matches only take their time, `each` for every worker.

    Tells `rate`, matches a second from the first order to the last record; `steady`,
    the same of the matches in the middle; and `cpu_ms`, the driver's CPU time a match.
    Scheduler and workers are processes of their own.
    """
    matches = workers * each
    engines: list[Timed] = []

    def timed(*settings: Any) -> Any:
        engines.append(Timed(make_engine(*settings)))
        return engines[0]

    with tempfile.TemporaryDirectory() as folder, cluster(workers, match_s) as address, ExitStack() as patches:
        league = write_league(Path(folder), BOTS, matches // (2 * PAIRS))
        with league.open("a", encoding="utf-8") as file:
            file.write(f'tables = 1\nengine = "dask"\nscheduler = "{address}"\n')
        patches.enter_context(patch.object(crew, "make_engine", timed))
        patches.enter_context(patch.object(driver, "play_batch", no_op_batch))
        patches.enter_context(patch.object(driver, "check_bots", no_check))
        begun = process_time()
        ended = runner.run_night(evening.RunConfig(league, league.with_suffix(".db")), Silent())
        cpu_s = process_time() - begun
    assert ended.standings.complete
    ends = engines[0].ends
    quarter, last = len(ends) // 4, 3 * len(ends) // 4
    return {
        "rate": len(ends) / (ends[-1] - engines[0].began),
        "steady": (last - quarter) / max(ends[last] - ends[quarter], 1e-9),
        "cpu_ms": 1000 * cpu_s / len(ends),
    }
