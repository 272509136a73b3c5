"""A simulated Dask cluster: a client, a scheduler, and workers that come and go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from distributed.scheduler import KilledWorker

from pips_tourney.engines.dask.worker import Batch, LastingArena, Team, check_bots, end_bots, play_batch
from pips_tourney.sandbox.tiers import NO_SANDBOX

if TYPE_CHECKING:
    from tests.lab.nights.machine import Machine

MOST_DEATHS: Final = 3
"""A task whose workers die more often than this is given up, as Dask does."""
WORKERS: Final = 2
NANNY_S: Final = 1.0
"""Seconds after which a worker's nanny starts another."""


class SimulatedWorker:
    """A worker's process, with the real arena that lives from batch to batch."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lasting: LastingArena | None = None

    async def do(self, task: Callable[..., Any], team: Team, what: Any, now: Callable[[], float]) -> Any:
        """Do one of Dask's tasks as `worker.py` does, on the simulated loop."""
        if self.lasting is None:
            self.lasting = LastingArena(team, lambda process: team.programs[process.rpartition("/")[0]], NO_SANDBOX, 0)
        began_s = now()
        if task is check_bots:
            return await self.lasting.do(self.lasting.check(what))
        assert task is play_batch
        played = await self.lasting.do(self.lasting.play(what.matches, lambda: None))
        return Batch([each._replace(arena=self.name) for each in played], now() - began_s)

    async def end(self) -> None:
        """End its arena, and whatever would end it later."""
        lasting, self.lasting = self.lasting, None
        if lasting is not None:
            if lasting._timer is not None:
                lasting._timer.cancel()
            await lasting._close()


class SimulatedTask:
    """The future of a task."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task

    def __await__(self) -> Generator[Any, None, Any]:
        return self._task.__await__()

    def release(self) -> None:
        """The result is needed no longer."""
        self._task.cancel()


class Cluster:
    """What a client of Dask is to the driver."""

    scheduler = SimpleNamespace(address="tls://scheduler")

    def __init__(self, machine: Machine, workers: int) -> None:
        self._machine = machine
        self._names = count()
        self.workers: list[SimulatedWorker] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        for _ in range(workers):
            self._add()

    def _add(self) -> None:
        self.workers.append(SimulatedWorker(f"tls://{next(self._names)}"))

    async def nthreads(self) -> dict[str, int]:
        return {worker.name: 1 for worker in self.workers}

    async def wait_for_workers(self, number: int) -> None:
        while len(self.workers) < number:  # noqa: ASYNC110 - as Dask does
            await asyncio.sleep(0.1)

    async def run(self, task: object, on_error: str) -> None:
        """End the bots of all workers, or their arenas too."""
        for worker in list(self.workers):
            if task is not end_bots:
                await worker.end()
            elif worker.lasting is not None:
                await worker.lasting.do(worker.lasting.end_bots())

    def submit(self, task: Callable[..., Any], *given: Any, **how: Any) -> Any:
        """Have a task done; the bots' files need not travel here."""
        if task not in (check_bots, play_batch):
            return None
        self._machine.passes("ordered")
        team, _, what = given
        done = asyncio.create_task(self._done(task, team, what, how["workers"][0], how["retries"]))
        self._tasks.add(done)
        done.add_done_callback(self._tasks.discard)
        return SimulatedTask(done)

    async def _done(self, task: Callable[..., Any], team: Team, what: Any, preferred: str, retries: int) -> Any:
        deaths = failures = 0
        while True:
            await asyncio.sleep(self._machine.delay_s)
            worker = next((one for one in self.workers if one.name == preferred), None)
            if worker is None:
                await self.wait_for_workers(1)
                worker = self.workers[deaths % len(self.workers)]
            doing = asyncio.ensure_future(worker.do(task, team, what, self._machine.now))
            try:
                await asyncio.wait([doing, worker.gone], return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not doing.done():
                    doing.cancel()
            if worker.gone.done():
                deaths += 1
                if deaths > MOST_DEATHS:
                    raise KilledWorker(task.__name__, None, deaths)  # type: ignore[arg-type]  # its state is not simulated
                continue
            self._machine.passes("result")
            if (error := doing.exception()) is None:
                await asyncio.sleep(self._machine.delay_s)
                return doing.result()
            failures += 1
            if failures > retries:
                raise error

    def lose(self, which: float) -> bool:
        """Kill a worker; its nanny starts another. False if there is none."""
        if not self.workers:
            return False
        worker = self.workers.pop(int(which * len(self.workers)))
        worker.gone.set_result(None)
        ending = asyncio.create_task(worker.end())  # what it ran goes with it
        self._tasks.add(ending)
        ending.add_done_callback(self._tasks.discard)
        asyncio.get_running_loop().call_later(NANNY_S, self._add)
        return True


async def simulated_cluster(machine: Machine) -> AbstractAsyncContextManager[Cluster]:
    """In place of the driver's client."""
    return _cluster(machine)


@asynccontextmanager
async def _cluster(machine: Machine) -> AsyncIterator[Cluster]:
    machine.cluster = cluster = Cluster(machine, WORKERS)
    try:
        yield cluster
    finally:
        machine.cluster = None
        await cluster.run(None, on_error="ignore")
