"""The engine of a cluster: hands batches of matches to its workers and takes back what
became of them.

A batch is work for about a second, so that what the scheduler does for it is little
beside it. Whatever a worker that dies was at is played elsewhere; a batch that was
played twice gives the same records twice, and one of each is stored.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import count
from typing import Any, Final

from distributed import Client, Security
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from pips_tourney.arena.arena import ArenaLost
from pips_tourney.bots.executable import Executable
from pips_tourney.engines import BotsDidNotStart, EngineError, Job, of_another_game
from pips_tourney.engines.dask.own_cluster import own_cluster
from pips_tourney.engines.dask.parcel import Parcel, pack
from pips_tourney.engines.dask.worker import (
    PACKAGE,
    Batch,
    Checked,
    Order,
    Team,
    check_bots,
    end_arena,
    play_batch,
)
from pips_tourney.engines.played import hand_back
from pips_tourney.night.programme import Fixture
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import COPY_MB, Tier

BATCH_S: Final = 1.0
"""How long a batch should take; it is never to be less than half of it, but at the end
of a night.
"""
MOST_BATCH: Final = 1024
AHEAD: Final = 3
"""Batches for each worker: one that it ends, one that it plays, and the next."""
WORKERS_S: Final = 60.0
"""How long a cluster may be without a worker."""
CONNECT_S: Final = 5.0
LOOK_S: Final = 1.0
"""How often new workers are looked for."""
RETRIES: Final = 2
"""How often a batch that failed is given to another worker before its
matches are void.
"""


@dataclass
class DaskEngine:
    """`scheduler` is an address, or empty for a cluster of `workers` processes on this
    machine.
    """

    scheduler: str
    workers: int
    programs: Mapping[str, Executable]
    """By `BOT/CONTEST`."""
    startup_s: float
    tables: int
    alone: bool
    tier: Tier | None = None
    limits: Limits = field(default_factory=Limits)
    copy_mb: int = COPY_MB
    bots_as_root: bool = False
    tls: Mapping[str, str] = field(default_factory=dict)
    """Files: `ca`, `cert`, `key`."""

    async def play(self, job: Job) -> None:
        """Play all the job has; see `Engine`."""
        parcel, programs = pack(self.programs)
        team = Team(
            version(PACKAGE),
            parcel.sha256,
            programs,
            self.startup_s,
            self.tables,
            self.alone,
            self.tier,
            self.limits,
            self.copy_mb,
            self.bots_as_root,
        )
        async with AsyncExitStack() as cluster:
            client = await cluster.enter_async_context(await self._client())
            await _workers(client)
            there = client.submit(_as_it_is, parcel, key=f"bots-{parcel.sha256}")
            driver = _Driver(client, job, team, there)
            try:
                await driver.check()
                await driver.drive()
            finally:
                with suppress(OSError, TimeoutError):  # of workers that are gone nothing is left
                    await client.run(end_arena, on_error="ignore")

    async def _client(self) -> Any:
        """Of the league's cluster, or of one of this machine's own; not entered yet."""
        if not self.scheduler:
            return own_cluster(self.workers)
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
    """The bots' files, on every worker that plays."""
    _seconds: float = 0.0
    """What a match takes of a batch's time."""
    _numbers: Iterator[int] = field(default_factory=count)
    _arena_numbers: Iterator[int] = field(default_factory=count)
    _arenas: dict[str, int] = field(default_factory=dict)
    """What number the arena of a worker has for the queue, by the worker's address."""

    async def check(self) -> None:
        """See every bot to its hello, on the worker whose arena begins with it;
        `BotsDidNotStart`.
        """
        workers = await _workers(self.client)
        shares = {worker: list(self.job.check[number :: len(workers)]) for number, worker in enumerate(workers)}
        checks: list[Checked] = await asyncio.gather(
            *(self._submit(check_bots, share, worker) for worker, share in shares.items() if share)
        )
        failures = [failure for checked in checks for failure in checked.failures]
        plays = {process: games for checked in checks for process, games in checked.games.items()}
        failures += of_another_game(plays, self.job)
        if failures := list(self.job.do_without(failures)):
            raise BotsDidNotStart(failures)

    async def drive(self) -> None:
        """Until the queue has no more."""
        under_way: dict[asyncio.Task[None], str] = {}
        try:
            while True:
                workers = await _workers(self.client)
                self._let_go(workers)
                while len(under_way) < AHEAD * len(workers):
                    if (given := self._give_out(workers, Counter(under_way.values()))) is None:
                        break
                    batch, worker = given
                    under_way[asyncio.create_task(self._play(batch, worker))] = worker
                if not under_way:
                    if not await self.job.queue.more():
                        return
                    continue
                done, _ = await asyncio.wait(under_way, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    del under_way[task]
                    task.result()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    def _let_go(self, workers: Sequence[str]) -> None:
        """What others are kept from by workers that are gone."""
        for gone in self._arenas.keys() - set(workers):
            self.job.queue.leave(self._arenas.pop(gone))

    def _give_out(self, workers: Sequence[str], queues: Counter[str]) -> tuple[list[Fixture], str] | None:
        """The next batch, and for whom: the one with the fewest that the queue has
        something for.
        """
        for worker in sorted(workers, key=queues.__getitem__):
            if worker not in self._arenas:
                self._arenas[worker] = next(self._arena_numbers)
            if batch := self._take(self._arenas[worker]):
                return batch, worker
        return None

    def _take(self, arena: int) -> list[Fixture]:
        """The next batch; as many as there are tables while nothing is known of how
        long a match takes.
        """
        size = round(BATCH_S / self._seconds) if self._seconds else self.team.tables
        batch: list[Fixture] = []
        while len(batch) < min(max(size, 1), MOST_BATCH) and (fixture := self.job.queue.take(arena)) is not None:
            batch.append(fixture)
        return batch

    async def _play(self, fixtures: Sequence[Fixture], worker: str) -> None:
        orders = [Order(self.job.order(fixture).SerializeToString(), fixture.seating) for fixture in fixtures]
        try:
            batch: Batch = await self._submit(play_batch, orders, worker)
        except (KilledWorker, ArenaLost) as error:
            for fixture in fixtures:
                self.job.results.void(fixture, f"{type(error).__name__}: {error}")
            return
        took = batch.seconds / len(fixtures)
        self._seconds = (self._seconds + took) / 2 if self._seconds else took
        for fixture, played in zip(fixtures, batch.played, strict=True):
            hand_back(self.job, fixture, played, batch.worker)

    async def _submit(self, task: Callable[..., Any], what: Any, worker: str) -> Any:
        """Have a task done by that worker, whose bots are those it needs, or by another
        when that one is busy or gone; its result, which no worker keeps after that.
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
    """A task, so that a parcel that is lost with its worker is made again."""
    return parcel


async def _workers(client: Any) -> list[str]:
    """Their addresses; waits for the first. `EngineError` when none comes."""
    if not await client.nthreads():
        try:
            await client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            where = client.scheduler.address
            raise EngineError(
                f"the cluster has no workers: start some with `dask worker {where} --nthreads 1`"
            ) from None
    return sorted(await client.nthreads())
