"""The engine of a cluster: sends batches of matches to workers and collects results.

A batch takes about a second, so that scheduling takes little time compared with
playing. If a worker dies, its batches are played elsewhere. A batch that was played
twice gives the same records twice, and only one of each is stored.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from time import monotonic
from typing import Any, Final

from distributed import Client, Security
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from pips_referee.timing.standstill import patience
from pips_tourney.arena.exchange import ArenaLost
from pips_tourney.engines import BotsDidNotStart, EngineError, Job, PlayedMatch, of_another_game
from pips_tourney.engines.dask.parcel import Parcel, pack
from pips_tourney.engines.dask.worker import (
    Batch,
    Checked,
    Order,
    Orders,
    Team,
    check_bots,
    end_arena,
    end_bots,
    play_batch,
)
from pips_tourney.night.plan.fixtures import Fixture

BATCH_S: Final = 1.0
"""Target duration of a batch; at least half of it, except at a night's end."""
MOST_BATCH: Final = 1024
AHEAD: Final = 3
"""Batches per worker: one about to end, one being played, and the next."""
WORKERS_S: Final = 60.0
"""Timeout for a cluster without workers."""
CONNECT_S: Final = 5.0
LOOK_S: Final = 1.0
"""Interval between checks for new workers."""
RETRIES: Final = 2
"""How often a failed batch is retried on another worker before its matches are void."""


@dataclass
class DaskEngine:
    """Plays on the Dask cluster whose scheduler is at an address."""

    scheduler: str
    team: Team
    """What its workers know; its programs have the paths of this machine."""
    tls: Mapping[str, str] = field(default_factory=dict)
    """File names by `ca`, `cert` and `key`."""

    async def play(self, job: Job) -> None:
        """Play all matches of the job; see `Engine`."""
        parcel, programs = pack(self.team.programs)
        team = replace(self.team, parcel_sha256=parcel.sha256, programs=programs)
        async with AsyncExitStack() as cluster:
            client = await cluster.enter_async_context(await self._client())
            await _workers(client)
            driver = _Driver(client, job, team, client.submit(_as_it_is, parcel, key=f"bots-{parcel.sha256}"))
            try:
                await driver.check()
                await driver.drive()
            finally:
                with suppress(OSError, TimeoutError):  # workers that have gone leave nothing behind
                    await client.run(end_arena, on_error="ignore")

    async def _client(self) -> Any:
        """Return a client for the league's cluster, to be entered by the caller."""
        security = None
        if self.tls:
            ca, cert, key = (self.tls[name] for name in ("ca", "cert", "key"))
            security = Security(tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key, require_encryption=True)
        try:
            return await Client(
                self.scheduler, asynchronous=True, set_as_default=False, security=security, timeout=CONNECT_S
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise EngineError(f"there is no scheduler at {self.scheduler}: {error}") from None


@dataclass
class _Driver:
    """The batches of one night."""

    client: Any
    job: Job
    team: Team
    parcel: Any
    """Dask's copy of the bots' files, which workers pass on to each other."""
    _seconds: float = 0.0
    """Seconds per match, as measured on batches."""
    _under_way: dict[asyncio.Task[None], str] = field(default_factory=dict)
    """Batches being played, each with its worker."""
    _failed: list[asyncio.Task[None]] = field(default_factory=list)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Set whenever a batch ends."""
    _numbers: Iterator[int] = field(default_factory=count)

    async def check(self) -> None:
        """Wait for every bot's hello, on the worker whose arena will play it first.

        Raises `BotsDidNotStart`.
        """
        workers = await _workers(self.client)
        shares = {worker: list(self.job.check[number :: len(workers)]) for number, worker in enumerate(workers)}
        checks: list[Checked] = await asyncio.gather(
            *(self._submit(check_bots, share, worker) for worker, share in shares.items() if share)
        )
        if not all(checked.fenced for checked in checks):
            self.job.unfenced()
        failures = [failure for checked in checks for failure in checked.failures]
        plays = {process: games for checked in checks for process, games in checked.games.items()}
        failures += of_another_game(plays, self.job)
        if failures := list(self.job.do_without(failures)):
            raise BotsDidNotStart(failures)

    async def drive(self) -> None:
        """Play until the queue is empty."""
        workers: list[str] = []
        looked_s, shift = -LOOK_S, 0
        try:
            while await self.job.queue.begin(shift):
                if monotonic() - looked_s >= LOOK_S or not self._under_way:
                    workers, looked_s = await _workers(self.client), monotonic()
                self._ended.clear()
                if self._failed:
                    self._failed[0].result()
                await self._give_out(workers)
                if self._under_way:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(LOOK_S):
                            await self._ended.wait()
                elif not self._ended.is_set() and not await self.job.queue.more():
                    await self.client.run(end_bots, on_error="ignore")
                    shift += 1
        except OSError as error:
            raise EngineError(f"the cluster was lost: {error}") from None
        finally:
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _give_out(self, workers: Sequence[str]) -> None:
        """Give batches to workers that have too few, the least busy first."""
        batches = Counter(self._under_way.values())
        hungry = sorted([worker for worker in workers if batches[worker] < AHEAD], key=batches.__getitem__)
        while hungry:
            hungry = [worker for worker in hungry if self._feed(worker)]
            batches.update(hungry)
            await asyncio.sleep(0)  # so that these are sent before the workers get more
            hungry = [worker for worker in hungry if batches[worker] < AHEAD]

    def _feed(self, worker: str) -> bool:
        """Give the worker its next batch; return whether there was one."""
        if not (batch := self._take(worker)):
            return False
        task = asyncio.create_task(self._play(batch, worker))
        self._under_way[task] = worker
        task.add_done_callback(self._end)
        return True

    def _end(self, task: asyncio.Task[None]) -> None:
        del self._under_way[task]
        if task.cancelled() or task.exception() is not None:
            self._failed.append(task)
        self._ended.set()

    def _take(self, worker: str) -> list[Fixture]:
        """Return the next batch.

        Until the time per match is known, a batch has one match per table.
        """
        size = round(BATCH_S / self._seconds) if self._seconds else self.team.tables
        batch: list[Fixture] = []
        while len(batch) < min(max(size, 1), MOST_BATCH) and (fixture := self.job.queue.take(worker)) is not None:
            batch.append(fixture)
        return batch

    async def _play(self, fixtures: Sequence[Fixture], worker: str) -> None:
        orders = [Order(self.job.order(fixture).SerializeToString(), fixture.seating) for fixture in fixtures]
        try:
            batch: Batch = await self._submit(play_batch, Orders(orders), worker)
        except (KilledWorker, ArenaLost) as error:
            for fixture in fixtures:
                self.job.results(fixture, PlayedMatch(void=f"{type(error).__name__}: {error}"))
            return
        took = batch.seconds / len(fixtures)
        self._seconds = (self._seconds + took) / 2 if self._seconds else took
        for fixture, played in zip(fixtures, batch.played, strict=True):
            self.job.results(fixture, played)

    async def _submit(self, task: Callable[..., Any], what: Any, worker: str) -> Any:
        """Run a task on that worker, and return its result.

        The worker has the bots that the task needs. If it is busy or gone, another
        worker runs the task. No worker keeps the result afterwards.
        """
        key = f"{task.__name__}-{self.team.parcel_sha256[:8]}-{id(self)}-{next(self._numbers)}"
        future = self.client.submit(
            task, self.team, self.parcel, what,
            key=key, pure=False, retries=RETRIES, workers=[worker], allow_other_workers=True,
        )  # fmt: skip
        try:
            return await future
        except FutureCancelledError as error:
            raise EngineError(f"the cluster was lost: {error}") from None
        finally:
            future.release()


def _as_it_is(parcel: Parcel) -> Parcel:
    """Return the parcel; as a task, Dask runs it again if its worker is lost."""
    return parcel


async def _workers(client: Any) -> list[str]:
    """Return the workers' addresses; wait for the first one.

    Raises `EngineError` if none comes.
    """
    if not (workers := await client.nthreads()):
        try:
            async with patience(WORKERS_S):
                await client.wait_for_workers(1)
        except TimeoutError:
            where = client.scheduler.address
            raise EngineError(
                f"the cluster has no workers: start some with `dask worker {where} --nthreads 1`"
            ) from None
        workers = await client.nthreads()
    return sorted(workers)
