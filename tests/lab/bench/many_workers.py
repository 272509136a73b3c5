"""A cluster of many workers whose matches only take their time.

python -m tests.lab.bench.many_workers scheduler            prints its address
python -m tests.lab.bench.many_workers workers ADDRESS N    so many, in this one process

Both print a line when they are ready, and end with their standard input.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from logging import CRITICAL, getLogger
from time import sleep
from typing import Final
from unittest.mock import patch

import dask
from distributed import Scheduler, Worker

from pips.v1 import referee_pb2
from pips_referee.loop import fast_loop
from pips_tourney.engines import PlayedMatch
from pips_tourney.engines.dask.worker import Batch, Checked, Orders
from tests.lab.bench.runner import Instant

MATCH_S: Final = "PIPS_BENCH_MATCH_S"
"""The variable that tells workers how long a match takes."""
PROCESSES: Final = 2
"""That share the workers."""
AT_ONCE: Final = 32
"""Workers that begin together."""
LIGHT: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "1h",
    "distributed.admin.tick.interval": "1h",
}
"""What each worker does for itself, up to a hundred times a second.

Elsewhere that takes a core of its own; here hundreds of workers share one.
"""


@contextmanager
def cluster(workers: int, match_s: float) -> Iterator[str]:
    """A scheduler and that many workers, whose matches take so long; yields the
    scheduler's address.
    """
    with ExitStack() as stack, patch.dict(os.environ, {MATCH_S: str(match_s)}):
        address = stack.enter_context(_process("scheduler"))
        shares = [len(range(number, workers, PROCESSES)) for number in range(PROCESSES)]
        for share in shares:
            stack.enter_context(_process("workers", address, str(share)))
        yield address


@contextmanager
def _process(*words: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.lab.bench.many_workers", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def no_check(*_: object) -> Checked:
    return Checked([], {})


def no_op_batch(_: object, __: object, orders: Orders) -> Batch:
    """Takes its time, and hands back records of matches that were played before."""
    took_s = float(os.environ[MATCH_S]) * len(orders.matches)
    sleep(took_s)
    matches = [referee_pb2.MatchOrder.FromString(order.match) for order in orders.matches]
    return Batch([PlayedMatch(_instant().record(match)) for match in matches], took_s)


@cache
def _instant() -> Instant:
    return Instant(0)


async def _schedule() -> None:
    async with Scheduler(host="127.0.0.1", dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await _told_to_end()


async def _work(address: str, count: int) -> None:
    _instant()
    with tempfile.TemporaryDirectory(prefix="pips-bench-") as folder:
        workers = [
            Worker(address, nthreads=1, memory_limit=0, dashboard=False, local_directory=folder) for _ in range(count)
        ]
        for start in range(0, count, AT_ONCE):
            await asyncio.gather(*workers[start : start + AT_ONCE])
        print("ready", flush=True)
        await _told_to_end()
        await asyncio.gather(*(worker.close(nanny=False) for worker in workers))


async def _told_to_end() -> None:
    await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    getLogger("distributed").setLevel(CRITICAL)  # those that are told to end complain
    dask.config.set(LIGHT)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    match sys.argv[1:]:
        case ["scheduler"]:
            work = _schedule()
        case ["workers", address, count]:
            work = _work(address, int(count))
        case _:
            raise SystemExit(__doc__)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(work)


if __name__ == "__main__":
    main()
