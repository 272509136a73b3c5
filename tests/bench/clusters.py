"""The engine of a cluster beside that of one machine, and how many workers one driver
can keep at work.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Final
from unittest.mock import patch

from distributed import Client, LocalCluster

from pips.v1 import record_pb2, referee_pb2
from pips_tourney.engines.dask import driver
from pips_tourney.engines.dask.worker import Batch, Checked, Order
from pips_tourney.engines.played import PlayedMatch
from pips_tourney.play import evening, run
from tests.bench.figures import ROUNDS, Figure, figure
from tests.bench.nights import LEAGUE, Silent, night

MATCHES: Final = 2_000
WORKERS: Final = (16, 64, 256)
MATCH_S: Final = 0.1
"""How long a match of the simulation takes its worker."""
ROUNDS_A_WORKER: Final = 30
"""Matches that each worker of the simulation is given."""
DASK_SHARE: Final = 0.9
ANSWERS: Final = 50


def bench(*, quick: bool) -> Iterator[Figure]:
    matches, rounds = (400, 1) if quick else (MATCHES, ROUNDS)
    pairs = [(night(matches), night(matches, 'engine = "dask"')) for _ in range(rounds)]
    yield figure("local engine, 2 arenas", "matches/s", [matches / local["play_s"] for local, _ in pairs])
    yield figure("Dask on the same cores", "matches/s", [matches / dask["play_s"] for _, dask in pairs])
    shares = [local["play_s"] / dask["play_s"] for local, dask in pairs]
    yield figure("Dask beside the local engine", "", shares, DASK_SHARE)
    for workers in WORKERS[:1] if quick else WORKERS:
        rate = _simulated(workers)
        yield figure(f"one driver, {workers} workers of no-op matches of {1000 * MATCH_S:g} ms", "matches/s", [rate])
        yield figure("the same: share of the workers' time in use", "", [rate * MATCH_S / workers])


def _simulated(workers: int) -> float:
    """Matches a second of a night whose matches only take their time: scheduling,
    storing, and nothing else.

    The workers are threads of this process, so that what they cost is the driver's too:
    a real one has more to spare.
    """
    matches = workers * ROUNDS_A_WORKER
    with tempfile.TemporaryDirectory() as folder, ExitStack() as patches:
        league = Path(folder, "bench.toml")
        text = LEAGUE.format(deals=matches // 2, more='engine = "dask"\nscheduler = "here"')
        league.write_text(text, encoding="utf-8")
        begun: list[float] = []

        async def client(engine: driver.DaskEngine, cluster: Any) -> Any:
            here = await LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=False,
                memory_limit=0,
                dashboard_address=None,
                asynchronous=True,
            )
            await cluster.enter_async_context(here)
            begun.append(perf_counter())
            return Client(here, asynchronous=True, set_as_default=False)

        patches.enter_context(patch.object(driver.DaskEngine, "_client", client))
        patches.enter_context(patch.object(driver, "play_batch", no_op_batch))
        patches.enter_context(patch.object(driver, "check_bots", no_check))
        ended = run.run_night(evening.RunConfig(league, league.with_suffix(".db")), Silent())
        took = perf_counter() - begun[0]
    assert ended.standings.complete
    return matches / took


def no_check(*_: object) -> Checked:
    return Checked([], {})


def no_op_batch(_: object, __: object, orders: Sequence[Order]) -> Batch:
    """Takes its time, and hands back records that look like records."""
    sleep(MATCH_S * len(orders))
    return Batch([PlayedMatch(_record(order)) for order in orders], MATCH_S * len(orders), str(os.getpid()))


def _record(order: Order) -> bytes:
    match = referee_pb2.MatchOrder.FromString(order.match)
    record = record_pb2.MatchRecord(header=match.header)
    for number in range(ANSWERS):
        record.answers.add(seat=number % 2, used_us=100)
    record.outcome.places.extend([1, 2])
    record.outcome.scores.extend([1, 0])
    record.outcome.questions = ANSWERS
    return record.SerializeToString()
